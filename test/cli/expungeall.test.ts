import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { expunge } from '../../src/ops/secrets/expunge.ts'
import { loadSecretList } from '../../src/sources/secretrules.ts'
import { processName } from '../../src/storage/directory/processname.ts'
import { sampled } from '../support/amount.ts'
import { readingsIn } from '../support/everybyte.ts'
import { SPELLED } from '../support/secrets.ts'
import { Shell } from '../support/shell.ts'
import { openRepo } from '../support/store.ts'

/** Letters and digits that no other secret shares, put together here so that no scanner takes them for real ones. */
const letters = (seed: string, count: number): string =>
  ['1', '2', '3']
    .map((part) =>
      createHash('sha512')
        .update(seed + part)
        .digest('base64')
        .replaceAll(/\W/g, ''),
    )
    .join('')
    .slice(0, count)

const pem = (kind: string, ...lines: readonly string[]): string =>
  [`-----BEGIN ${kind} KEY-----`, ...lines, `-----END ${kind} KEY-----`].join('\n')

/** Secrets that rules recognise in the text around them. */
const ALL_RECOGNISED: readonly (readonly [secret: string, around?: (secret: string) => string])[] = [
  [['ghp', letters('github', 36)].join('_')],
  [['shpat', createHash('md5').update('shopify').digest('hex')].join('_')],
  [['sk', 'ant', 'api03', `${letters('anthropic', 93)}AA`].join('-')],
  [letters('aws', 40), (secret) => `AWS_SECRET_ACCESS_KEY="${secret}"`],
  [['npm', letters('npm', 36)].join('_')],
  [['xoxb', '123456789012', '1234567890123', letters('slack', 24)].join('-')],
  [`https://ada:${letters('basic', 20)}@hooks.example.org`],
  [`postgres://ada:${letters('postgres', 20)}@db.example.org/tides`],
  [pem('RSA PRIVATE', `MI${letters('first', 62)}`, letters('second', 64))],
  [pem('PRIVATE', `MC4CAQAwBQYDK2VwBCIE${letters('ed25519', 44)}`)],
]

const RECOGNISED = sampled(ALL_RECOGNISED, 2)

/** Secrets that only their owner knows: of two lines, a long one, one with characters that others escape. */
const GIVEN = [
  `Tr0ub4dor&3-${letters('line 1', 24)}\nand9the-second=${letters('line 2', 24)}`,
  letters('long', 164),
  `wJalr/X"${letters('odd', 24)}\\K7-bPxR%fiCY+é`,
]

const SECRETS = [...RECOGNISED.map(([secret]) => secret), ...GIVEN]

const base = { timestamp: '2026-01-01T00:00:00.000Z', cwd: '/work' }

const lines = (values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('')

/** A session of Claude Code with a secret in every place of a record. */
function transcript(session: string, secret: string, around: (secret: string) => string): string {
  let last: string | null = null
  let count = 0
  const line = (type: string, message: object, more: object = {}): object => {
    const uuid = `${session}-u${count++}`
    const value = { ...base, type, uuid, parentUuid: last, sessionId: session, message, ...more }
    last = uuid
    return value
  }
  const user = (content: unknown, more: object = {}): object => line('user', { role: 'user', content }, more)
  return (
    lines([
      // The prompt of the session is cut within the secret.
      user(`${'please use this key: '.repeat(4)}${around(secret)} and then go on`),
      ...Object.values(SPELLED).map((spell) => user(`it is ${spell(secret)} said ${session}`)),
      line('assistant', {
        role: 'assistant',
        id: `${session}-m`,
        content: [
          {
            type: 'tool_use',
            id: `${session}-t`,
            name: `mcp__${secret}__get`,
            input: { [secret]: JSON.stringify({ a: secret }) },
          },
          { type: 'text', text: `${'a long answer '.repeat(300)}${secret}${' that goes on'.repeat(300)}` },
        ],
      }),
      user(
        [
          {
            type: 'tool_result',
            tool_use_id: `${session}-t`,
            content: `1\t${secret.replaceAll('\n', '\n2\t')}`,
          },
        ],
        {
          toolUseResult: {
            stdout: `> ${secret.replaceAll('\n', '\n> ')}`,
            [secret]: 'x'.repeat(1500) + secret,
          },
          cwd: `/work/${secret}`,
        },
      ),
      user([
        {
          type: 'document',
          source: {
            type: 'base64',
            media_type: 'text/plain',
            data: Buffer.from(JSON.stringify(`a file: ${secret}`)).toString('base64'),
          },
        },
      ]),
      { type: 'summary', summary: `About ${secret}`, leafUuid: last },
      { type: 'user', __proto__x: 1, n: secret },
    ]) + `no JSON ${secret.replaceAll('\n', ' ')}\n`
  )
}

/** The traces of a secret in a store and its files: its words, as they are, escaped and encoded. */
function traces(secret: string): string[] {
  const words = secret.split(/\s/).filter((word) => word.length > 20 && !word.startsWith('-----'))
  return words.flatMap((word) => {
    const encoded = ['', 'x', 'xy'].map((before) =>
      Buffer.from(before + word)
        .toString('base64')
        .slice(4, 28),
    )
    const units = word
      .slice(0, 12)
      .replace(/[^]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    return [
      word.slice(0, 16),
      word.slice(-16),
      word.slice(6, 22),
      encodeURIComponent(word).slice(0, 20),
      units,
      ...encoded,
    ]
  })
}

/** Whether a secret may be a part of a path, and whether one may be the name of a label. */
const isFileName = (secret: string): boolean => secret.length < 120 && !/[/\n]/.test(secret)
const isLabel = (secret: string): boolean => /^[\w-]+$/.test(secret)

/** Returns a store that holds every secret in every place that it can stand in. */
async function filled(): Promise<Shell> {
  const shell = new Shell({ samples: false })
  await shell.run('sess init')
  const all = [...RECOGNISED, ...GIVEN.map((secret) => [secret] as const)]
  const completed: (() => void)[] = []
  for (const [i, [secret, around = (text: string) => text]] of all.entries()) {
    const id = `s${i}`
    const text = transcript(id, secret, around)
    const folder = ['in', `${i}`, isFileName(secret) ? secret : 'plain']
    mkdirSync(shell.path(...folder, id, 'subagents'), { recursive: true })
    const path = join(...folder, `${id}.jsonl`)
    writeFileSync(shell.path(path), `${text}{"torn": "${secret.replaceAll('\n', '\\n')}`)
    writeFileSync(
      shell.path(...folder, id, 'subagents', `agent-${isFileName(secret) ? secret : 'a1'}.jsonl`),
      transcript(`${id}-agent`, secret, around).replaceAll(
        `"sessionId":"${id}-agent"`,
        `"sessionId":"${id}"`,
      ),
    )
    writeFileSync(shell.path('in', `${i}`, `gz${i}.jsonl.gz`), gzipSync(transcript(`gz${i}`, secret, around)))
    mkdirSync(shell.path('in', `${i}`, 'aider'))
    writeFileSync(
      shell.path('in', `${i}`, 'aider', '.aider.chat.history.md'),
      `\n# aider chat started at 2026-01-01 00:00:00\n\n#### ${`key: ${secret}`.replaceAll('\n', '  \n#### ')}\n\nAs you say: ${secret}\n\n> Tokens: 1\n\n#### ${secret.replaceAll('\n', '  \n#### ')}`,
    )
    completed.push(() => {
      writeFileSync(
        shell.path(path),
        `${text}{"torn": "${secret.replaceAll('\n', '\\n')}"}\n{"again": "${secret.slice(0, -6)}`,
      )
    })
  }
  expect((await shell.run('sess import in --all')).code).toBe(0)
  // Torn lines are completed: their former tails are named by the first import alone.
  for (const complete of completed) complete()
  await shell.run('sess import in --all')
  for (const [i, [secret]] of all.entries()) {
    const id = `s${i}`
    await shell.main(['append', id, '--role', 'user'], { stdin: [`once more ${secret}`] })
    await shell.main(['rename', `gz${i}`, `With ${secret}`])
    await shell.main(['set', id, `token=${secret}`])
    if (isLabel(secret)) await shell.main(['label', secret.slice(0, 200), id])
    await shell.main(['fork', id, '--title', 'Forked'])
    await shell.main(['export', id, '--format', 'codex', '--to-agent'])
    await shell.main(['append', '--new', '--title', `gone${i}`, '--role', 'user'], {
      stdin: [`removed ${secret}`],
    })
    await shell.main(['rm', `gone${i}`])
  }
  return shell
}

/** Puts copies of the database where a repair and a process that was killed leave them. */
function copies(store: string): void {
  const current = join(store, 'db.2')
  renameSync(join(store, 'db.1'), current)
  writeFileSync(join(store, 'generation'), '2\n')
  for (const name of [
    'broken/2026-01-01T00-00-00.000Z/database',
    'db.1',
    `snapshot.${processName().replace(/^\d+/, '4194304')}.abc/db`,
  ])
    cpSync(current, join(store, name), { recursive: true, mode: 0 })
}

it(`leaves no trace of ${SECRETS.length} kinds of secrets in 30 places`, { timeout: 300_000 }, async () => {
  const shell = await filled()
  const store = shell.path('.sess')
  copies(store)
  const scanned = await shell.run('sess scan --json')
  const marks = new Set(
    scanned.stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { secret: string }).secret),
  )
  const before = (await shell.run('sess ls-objects')).stdout
  const readings = await readingsIn(store)
  for (const secret of SECRETS) {
    const [first = ''] = traces(secret)
    expect([secret, readings.some(([, text]) => text.includes(first))]).toEqual([secret, true])
  }
  const repo = await openRepo(store)
  const find = await loadSecretList()
  const done = await expunge(repo, { marks: [...marks], secrets: GIVEN, find, force: true })
  await repo.close()
  expect([done.secrets.length >= SECRETS.length, done.left]).toEqual([true, []])

  const left: string[] = []
  const all = SECRETS.flatMap((secret) => traces(secret).map((trace) => [secret, trace] as const))
  for (const [where, text] of await readingsIn(store))
    for (const [secret, trace] of all) if (text.includes(trace)) left.push(`${where}: ${trace} of ${secret}`)
  expect(left).toEqual([])
  expect((await shell.run('sess ls-objects')).stdout).toBe(before)
  expect((await shell.run('sess fsck')).stdout).toMatch(/^all is well/)
  expect((await shell.run('sess scan')).stdout).toBe('')
  for (const command of [
    'ls --json',
    'op log',
    'search key --json',
    'reflog',
    'log s0 --json',
    'for-each-ref',
  ]) {
    const { output } = await shell.run(`sess ${command}`)
    for (const [, trace] of all) expect([command, output.includes(trace)]).toEqual([command, false])
  }
})
