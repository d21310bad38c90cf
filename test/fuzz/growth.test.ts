import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { sampleOf } from '../../src/formats/core/sample.ts'
import { detectFormat, FORMATS } from '../../src/formats/registry.ts'
import { grown } from '../support/grown.ts'

const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url))
const FILES = readdirSync(fixtures, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(fixtures, join(entry.parentPath, entry.name)))
  .sort()

/** Sidecar files of agents that are written at once and have no fixture. */
const BESIDE: readonly (readonly [string, string])[] = [
  ['state.json', '{"title":"T","agents":{"main":{"homedir":"/w"}},"workDir":"/w"}'],
  ['summary.json', '{"info":{"id":"1","cwd":"/w"},"num_chat_messages":2}'],
  ['0a000000-0000-4000-8000-000000000001.json', '{"session_id":"0a","cwd":"/w","session_state":{"a":1}}'],
  ['1.settings.json', '{"assistantActiveTimeMs":1,"model":"m","tokenUsage":{"inputTokens":1}}'],
  ['ui_messages.json', '[{"ts":1,"type":"say","say":"text","text":"a"},{"ts":2,"type":"ask","ask":"b"}]'],
  ['session.json', '{"session_id":"1","source":"cli","messages_path":"/w/1.messages.json"}'],
  ['x.bin', 'no text \u0000 at all'],
]

const formatOf = (name: string, bytes: Uint8Array): string =>
  detectFormat(sampleOf(name, bytes, bytes.length)).name

/** In so many steps at most a document is read: each step reads all of it. */
const MOST = 12

async function expectSame(name: string, source: Buffer, lengths: readonly number[]): Promise<void> {
  const once = await grown(name, source)
  expect(once).toMatchObject({ sessions: 1, wrong: [], findings: [] })
  expect(await grown(name, source, lengths)).toEqual(once)
}

/** The ends of lines, and places within the next one: behind its first byte, in its middle, before its newline. */
function lineSteps(source: Buffer): number[] {
  const steps = new Set<number>()
  for (let at = 0; at < source.length; ) {
    const end = source.indexOf(10, at)
    const next = end < 0 ? source.length : end + 1
    for (const step of [at + 1, Math.floor((at + next) / 2), next - 1, next]) steps.add(step)
    at = next
  }
  return [...steps].sort((a, b) => a - b)
}

it.each(FILES)('%s is the same read line by line, torn and whole, as at once', async (file) => {
  const source = readFileSync(join(fixtures, file))
  const steps = lineSteps(source)
  const every = file.endsWith('.jsonl') ? 1 : Math.ceil(steps.length / MOST)
  const taken = steps.filter((_, i) => i % every === 0)
  await expectSame(basename(file), source, taken)
})

it.each(BESIDE)('%s is the same read in pieces as at once', async (name, text) => {
  const source = Buffer.from(text)
  await expectSame(name, source, [1, source.length >> 1, source.length - 1])
})

it('leaves no reader out', () => {
  const read = FILES.map((file) => formatOf(basename(file), readFileSync(join(fixtures, file))))
  const beside = BESIDE.map(([name, text]) => formatOf(name, Buffer.from(text)))
  // Kilo's sessions have OpenCode's reader; only their place says that they are Kilo's.
  const readers = FORMATS.map(({ name }) => name).filter((name) => name !== 'kilo')
  expect([...new Set([...read, ...beside])].sort()).toEqual(readers.sort())
})

const user = (uuid: string, parentUuid: string | null, more: string): string =>
  `{"type":"user","uuid":"${uuid}","parentUuid":${JSON.stringify(parentUuid)},"sessionId":"s",${more}}`

it.each([
  [
    'lines',
    'it.jsonl',
    [
      user('u', null, '"message":{"role":"user","content":"Grüße 😀"}'),
      `${user('a', 'u', '"message":[]')}{"a":1}`,
      'no "JSON" \u0000{',
      user('v', 'u', '"message":{"content":"\\ud83d"},"n":7.0'),
    ].join('\r\n'),
  ],
  ['a list', 'it.json', '[\n{"role":"user","content":"ü"},\n {"role":"assistant","content":"b"}\n]\n'],
  ['a document', 'it.json', '\ufeff{"id":"x","messages":[{"role":"user","content":"a"}, {"b":1}],"n":1}'],
  ['a document among lines', 'it.jsonl', '{"messages":[{"role":"user"}]}\n'],
  ['text', 'it.md', 'Grüße\n\u0000\n{}'],
])('%s read byte by byte are the same as at once', async (_, name, text) => {
  const source = Buffer.from(text)
  await expectSame(
    name,
    source,
    Array.from({ length: source.length }, (_byte, i) => i),
  )
})
