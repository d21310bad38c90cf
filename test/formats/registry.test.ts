import { describe, expect, it } from 'vitest'
import type { Sample } from '../../src/formats/core/sample.ts'
import { detectFormat, FORMATS, formatNamed, viewOf } from '../../src/formats/registry.ts'
import type { Json } from '../../src/model/json.ts'
import { SHAPES, shapeNamed } from '../../src/ops/export/shapes.ts'
import { sessionFolders } from '../../src/sources/sessionfolders.ts'

const sampleOf = (name: string, text: string): Sample => ({
  name,
  head: new TextEncoder().encode(text),
  lines: text
    .split('\n')
    .slice(0, -1)
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Json),
  whole: true,
})

it('lists each format by its own name and dialect, and whether it has sidecar files', () => {
  for (const { name, dialect, hasSidecars, load } of FORMATS) {
    expect(load()).toMatchObject({ name, dialect })
    expect([name, load().sidecars !== undefined]).toEqual([name, hasSidecars ?? false])
  }
})

it('has each name and dialect once', () => {
  const names = FORMATS.map((format) => format.name)
  const dialects = FORMATS.map((format) => format.dialect)
  expect(new Set(names).size).toBe(FORMATS.length)
  // The two drafts share theirs, and so do OpenCode and Kilo.
  expect(new Set(dialects).size).toBe(FORMATS.length - 2)
  expect(dialects).toEqual([
    'sess',
    'claude',
    'claude-web',
    'codex',
    'codex-json',
    'dash',
    'rollouts',
    'rollouts-session',
    'draft',
    'draft',
    'openclaw',
    'omp',
    'pi',
    'gemini',
    'qwen',
    'kimi',
    'kimi-state',
    'grok',
    'grok-updates',
    'grok-summary',
    'kiro',
    'kiro-session',
    'vibe',
    'antigravity',
    'windsurf',
    'copilot',
    'droid',
    'droid-settings',
    'cursor',
    'clawdbot',
    'amp',
    'continue',
    'cline',
    'cline-cli',
    'cline-ui',
    'cline-session',
    'aider',
    'opencode',
    'opencode',
    'crush',
    'goose',
    'kiro-database',
    'cursor-chat',
    'jsonl',
    'json',
    'bytes',
  ])
  for (const name of names) expect(formatNamed(name)?.name).toBe(name)
  expect(formatNamed('nope')).toBeUndefined()
})

it.each([
  ['x.jsonl', `{"oid":"${'0'.repeat(64)}","parents":[],"type":"sess/message","body":{}}\n`, 'sess'],
  ['x.jsonl', '{"a":1}\n', 'jsonl'],
  ['x.json', '', 'bytes'],
  ['x.md', 'hello\n'.replace('hello', ''), 'bytes'],
])('detects %s with %j', (name, text, dialect) => {
  expect(detectFormat(sampleOf(name, text)).dialect).toBe(dialect)
})

it('detects a document', () => {
  const head = new TextEncoder().encode('{\n  "messages": []\n}\n')
  expect(detectFormat({ name: 'x.json', head, lines: [], whole: true }).name).toBe('json')
})

it('asks the dialect what an entry means, and guesses where nobody knows', () => {
  const body = { role: 'user', content: 'hi' }
  const shown = { role: 'user', blocks: [{ kind: 'text', text: 'hi' }] }
  const nothing = { role: null, blocks: [] }
  expect(viewOf('sess/message', body)).toEqual(shown)
  expect(viewOf('sess/other', body)).toEqual(nothing)
  expect(viewOf('jsonl/record', body)).toEqual(shown)
  expect(viewOf('martian/word', body)).toEqual(shown)
  expect(viewOf('martian', body)).toEqual(shown)
  expect(viewOf('bytes/x', body)).toEqual(nothing)
})

it.each([
  ['agents', ['main', 'agents', '.openclaw'], 'openclaw'],
  ['-tides', ['sessions', 'agent', '.omp'], 'oh-my-pi'],
  ['--tides--', ['sessions', 'agent', '.pi'], 'pi'],
])(
  'detects a file of the family of pi that does not show its agent by the folders of %s',
  (folder, above, name) => {
    const header = '{"type":"session","version":3,"id":"1","cwd":"/w"}\n'
    expect(detectFormat({ ...sampleOf('x.jsonl', header), folder, above }).name).toBe(name)
  },
)

const THERE = { id: 'ID', path: '/home/ada/FILE' }
const MACHINE = { home: '/home/ada', variables: {}, cwd: '/home/ada/tides' }

describe('what sessions can be written as', () => {
  it('is resumed by an agent that looks somewhere, or has a reason why by none', () => {
    const places = SHAPES.map(({ name, format, agent, writer }) => {
      if (!agent) return `${name}: ${writer.unresumed}`
      expect([
        writer.unresumed,
        sessionFolders(MACHINE).some((place) => place.agent === format?.name),
      ]).toEqual([...[undefined, true]])
      const take = agent.take ? `${agent.take(THERE).join(' ')}; ` : ''
      return `${name}: ${agent.title}: ${take}${agent.opens?.(THERE) ?? agent.resume(THERE).join(' ')}`
    })
    expect(places).toMatchInlineSnapshot(`
      [
        "sess: sess itself imports it",
        "claude-code: Claude Code: claude --resume ID",
        "codex: Codex: codex resume ID",
        "dash: Dash: open the file in a program on Dash: SessionTree.open("/home/ada/FILE")",
        "rollouts: rollouts: rollouts -s ID",
        "rollouts-folder: rollouts: rollouts -s ID",
        "index-tree: no agent that was released reads this draft",
        "uuid-tree: no agent that was released reads this draft",
        "oh-my-pi: oh-my-pi: omp --resume /home/ada/FILE",
        "pi: pi: pi --session /home/ada/FILE",
        "pi-v1: pi: pi --session /home/ada/FILE",
        "pi-v2: pi: pi --session /home/ada/FILE",
        "pi-v4: pi's command line reads no version 4: '--format pi'",
        "gemini-cli: Gemini CLI: gemini --resume ID",
        "kilo: Kilo: kilo import /home/ada/FILE; kilo --session ID",
        "opencode: OpenCode: opencode import /home/ada/FILE; opencode --session ID",
        "opencode-files: OpenCode: opencode --session ID",
        "opencode-database: OpenCode takes sessions from what it exports: '--format opencode'",
        "jsonl: its lines are for programs",
        "markdown: it is a text to read",
        "html: it is a page to read",
      ]
    `)
  })

  it('has a name of its own each', () => {
    for (const format of SHAPES) expect(shapeNamed(format.name)).toBe(format)
  })
})
