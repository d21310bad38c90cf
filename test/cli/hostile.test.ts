import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isObject, type Json } from '../../src/model/json.ts'
import { ALL, sampled } from '../support/amount.ts'
import { ANY_CHARACTER } from '../support/characters.ts'
import { HARMFUL } from '../support/harmful.ts'
import { listedByHelp } from '../support/help.ts'
import { Shell } from '../support/shell.ts'

const fixture = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url)), 'utf8')

/** Text that moves the cursor, sets titles, reaches the clipboard, hides, reorders, covers or breaks lines. */
const HOSTILE = [
  '\u001b[2J\u001b[1;1H\u001b[8m',
  '\u001b]0;title\u0007\u001b]52;c;cm0gLXJm\u0007',
  '\u001b]8;;http://example.com\u001b\\link\u001b]8;;\u001b\\',
  '\u001bP+q544e\u001b\\\u009b31m\u0090x\u009c',
  '\rover\u0008\u0008\u007f\u0000',
  '\nsess: nothing is wrong\r\n\u2028\u2029\u0085\u000b\u000c',
  '\u202egnp.exe\u2066x\u2069\u061c\u200e\u200f',
  '\u200b\ufeff\u00ad\u2060\u180e\u3164\uffa0\u115f\u2800\u034f',
  'a\u200db\u200cc\ufe0f\ufe0f\u{e0100}\u{e0041}\u{e007f}\u{fff9}',
  `z${'\u0335\u0489'.repeat(30)}`,
  '\ud83d half \udc00',
  'plain "words" \\ 字 👩‍👩‍👧 é',
]

/** Fields that the formats tell their records by: all others may hold anything. */
const KEPT = new Set([
  'type',
  'role',
  'timestamp',
  'subtype',
  'version',
  'stopReason',
  'stop_reason',
  'mimeType',
])

/** Puts a text behind every text in a file, the same behind the same, so that what links records still does. */
function poisoned(lines: string, text: string, kept: readonly string[] = []): string {
  const value = (json: Json, key: string): Json => {
    if (typeof json === 'string') return KEPT.has(key) || kept.includes(key) ? json : json + text
    if (isObject(json))
      return Object.fromEntries(Object.entries(json).map(([name, item]) => [name, value(item, name)]))
    return Array.isArray(json) ? (json as readonly Json[]).map((item) => value(item, key)) : json
  }
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => `${JSON.stringify(value(JSON.parse(line) as Json, ''))}\n`)
    .join('')
}

/** The looks that sess itself gives to texts. */
const LOOKS = [0, 1, 2, 22, 31, 32, 33, 34, 35, 36, 39].map((code) => `\u001b[${code}m`)

/** Plainly, on a terminal, and for programs. */
const WAYS = [
  [[], false],
  [[], true],
  [['--json'], false],
] as const

async function filled(text: string): Promise<{ shell: Shell; names: string[] }> {
  const shell = new Shell({ samples: false })
  const folder = `from${text.replaceAll(/[\0/]/g, '').toWellFormed().slice(0, 60)}`
  mkdirSync(shell.path(folder))
  for (const [name, lines] of Object.entries({
    'a.jsonl': poisoned(fixture('claude/session.jsonl'), text),
    'b.jsonl': poisoned(fixture('pi/v3.jsonl'), text, ['id', 'parentId', 'targetId']),
    'c.jsonl': poisoned(fixture('codex/turn.jsonl'), text),
    'd.jsonl': `${poisoned(fixture('generic/chat.jsonl'), text)}{"broken": "${text}`,
  }))
    writeFileSync(shell.path(folder, name), lines)
  const taken = await shell.main(['import', folder])
  expect(taken.code).toBe(0)
  expect(taken.output).not.toMatch(HARMFUL)
  await shell.main(['append', '--new', '--title', text, '--role', 'user'], { stdin: [text.toWellFormed()] })
  const { stdout } = await shell.main(['ls', '--json'])
  const sessions = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string })
  expect(sessions.length).toBe(5)
  return { shell, names: sessions.map(({ id }) => id) }
}

async function expectSafe(text: string, few = Number.POSITIVE_INFINITY): Promise<void> {
  const { shell, names } = await filled(text)
  const { commands } = await listedByHelp(shell)
  expect(commands).toContain('log')
  for (const command of sampled(commands, few)) {
    // An export is the file itself, not meant for a terminal.
    if (command === 'export') continue
    const dry = (await shell.run(`sess help ${command}`)).stdout.includes('--dry-run') ? ['-n'] : []
    const [first = '', second = ''] = names
    for (const [given, ways] of [
      [[], WAYS],
      [[first], WAYS],
      [[first, second], ALL ? WAYS : WAYS.slice(0, 1)],
      [[`${first}~1`], ALL ? WAYS : WAYS.slice(1, 2)],
      ...names.slice(1).map((name) => [[name], WAYS.slice(0, 1)] as const),
      [[text], WAYS.slice(0, 1)],
    ] as const)
      for (const [flags, terminal] of ways) {
        const words = [command, ...dry, ...flags, '--', ...given]
        const { stdout, stderr, output } = await shell.main(words, {
          terminal,
          columns: 100,
          rows: 1000,
          // It ends only when it is told to.
          ...(command === 'watch' && { stopAfter: 20 }),
        })
        const seen = terminal ? seenOf(output) : output
        expect(HARMFUL.exec(seen)?.[0], `${JSON.stringify(words)} prints ${JSON.stringify(seen)}`).toBe(
          undefined,
        )
        if (flags.length > 0)
          for (const line of `${stdout}${stderr}`.split('\n'))
            if (line.startsWith('{')) expect(JSON.parse(line)).toBeTypeOf('object')
      }
  }
}

/** The sequence by which a status line begins its line again. */
const ANEW = '\r\u001b[K'

/** Returns what a command printed but for what sess itself does to a line. */
const seenOf = (output: string): string =>
  [...LOOKS, ANEW].reduce((rest, own) => rest.replaceAll(own, ''), output)

/** Messages beside data: errors of every kind with unknown names, candidates, hints. */
const mistaken = (text: string, id: string): string[][] => [
  ...[
    'show',
    'log',
    'context',
    'fork',
    'tree',
    'diff',
    'resume',
    'rm',
    'stats',
    'expunge',
    'cat-file',
    'compare',
  ].map((command) => [command, '--', `${id}/${text}`]),
  ...['show', 'switch', 'export', 'merge', 'handoff', 'redact', 'scan'].map((command) => [
    command,
    '--',
    `x${text}`,
  ]),
  ['log', '-r', `author(${text}`],
  ['log', '-r', text],
  ['search', `"${text}`],
  ['ls', '--format', `{{${text}`],
  ['ls', '--agent', text],
  ['import', '--', text],
  ['import', '--format', text],
  ['branch', '--', id, text],
  ['label', '--session', id, '--', text],
  ['rename', '--', id, text.repeat(200)],
  ['set', '--', id, `${text}=1`],
  ['set', '--', id, `key=${text.repeat(200)}`],
  ['config', '--', text, '1'],
  ['config', '--', 'color', text],
  ['update-ref', '--', text, text],
  ['ls', '--at-op', text],
  ['--store', text, 'ls'],
  [text],
  ['help', text],
  ['log', `--${text}`],
  ['hash-object', '--', text],
  ['undo', '--', text],
  ['export', '--out', `no/${text}`, '--', id],
]

/** Lines that are completed, each from names that a transcript gave. */
const COMPLETED = [
  'log',
  'show',
  'switch',
  'label',
  'branch',
  'import',
  'op',
  'search',
  'set',
  'for-each-ref',
  'ls',
]

it('nor in errors, hints, completions, prompts and lines that say how far it is', async () => {
  const text = HOSTILE.join(' ')
  const { shell, names } = await filled(text)
  const [id = ''] = names
  const plain = text.replaceAll('\0', '')
  const safely = async (words: readonly string[], setting: Parameters<Shell['main']>[1] = {}) => {
    const ran = await shell.main(words, { columns: 100, ...setting })
    const harmful = HARMFUL.exec(seenOf(ran.output))?.[0]
    expect(harmful, `${JSON.stringify(words)} prints ${JSON.stringify(ran.output)}`).toBe(undefined)
    return ran
  }
  let refused = 0
  for (const [i, words] of mistaken(plain, id).entries())
    for (const [flags, terminal] of ALL ? WAYS : [WAYS[i % WAYS.length]!]) {
      const { code, stderr } = await safely([...flags, ...words], { terminal })
      if (code === 0) continue
      refused++
      expect([words[0], code]).not.toEqual([words[0], 70])
      if (flags.length > 0)
        expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toHaveProperty('error.code')
    }
  expect(refused).toBeGreaterThan(ALL ? 60 : 20)

  for (const command of COMPLETED)
    for (const typed of ['', id.slice(0, 3), `${id}/`, `${id}..`, plain.slice(0, 5)])
      for (const flags of [[], ['--json']])
        await safely(['completion', 'words', ...flags, '--', command, typed])
  expect((await safely(['completion', 'words', '--', 'log', ''])).stdout.split('\n').length).toBeGreaterThan(
    5,
  )

  const folder = readdirSync(shell.dir).find((name) => name.startsWith('from')) ?? ''
  const store = ['--store', shell.path('again')]
  const hasty = { terminal: true, hasty: true }
  const told: string[] = []
  for (const words of [
    [...store, 'import', folder],
    ['fsck'],
    ['scan'],
    ['gc', '--grace', 'now', '--operations', 'now'],
    ['import', '--reread'],
    ['export', id, '--out', shell.path('out.jsonl')],
  ])
    if ((await safely(words, hasty)).output.includes(ANEW))
      told.push(words.find((word) => /^[a-z]+$/.test(word)) ?? '')
  expect(told).toContain('import')
  expect(told.length).toBeGreaterThan(2)
}, 300_000)

it('prints nothing that a transcript could mislead or steer a terminal with', async () => {
  await expectSafe(HOSTILE.join(' '), ALL ? undefined : 10)
}, 300_000)

it('whatever stands in it', async () => {
  const hostile = fc.array(
    fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: ANY_CHARACTER, maxLength: 8 })),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  await fc.assert(
    fc.asyncProperty(hostile, (pieces) => expectSafe(pieces.join(''), ALL ? 8 : 4)),
    { numRuns: 1 },
  )
}, 600_000)
