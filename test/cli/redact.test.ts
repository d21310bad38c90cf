import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { GITHUB, SHOPIFY, SPELLED } from '../support/secrets.ts'
import { Shell } from '../support/shell.ts'

const lines = [
  { type: 'user', uuid: 'u1', sessionId: 's1', message: { role: 'user', content: `Use ${GITHUB}` } },
  {
    type: 'assistant',
    uuid: 'u2',
    parentUuid: 'u1',
    sessionId: 's1',
    message: {
      id: 'm1',
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 't1', name: 'bash', input: { command: `push ${GITHUB} ${SHOPIFY}` } },
      ],
    },
  },
  {
    type: 'user',
    uuid: 'u3',
    parentUuid: 'u2',
    sessionId: 's1',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'done' }] },
    toolUseResult: { stdout: `pushed with ${GITHUB}` },
  },
].map((line) => ({ timestamp: '2026-01-01T00:00:00.000Z', ...line }))

async function told(): Promise<Shell> {
  const shell = new Shell({ samples: false })
  // As Python spells it, with an escape that no compact text has, and a line that no agent understands.
  const spelled = lines.map((line) => JSON.stringify(line).replaceAll('":', '": ').replaceAll(',"', ', "'))
  writeFileSync(shell.path('s1.jsonl'), `${spelled.join('\n')}\nno JSON: ${SHOPIFY} é\n`)
  await shell.run('sess import s1.jsonl')
  return shell
}

it('copies a session without its secrets, and leaves the session as it is', async () => {
  const shell = await told()
  expect(await shell.type('sess redact -n s1')).toMatchInlineSnapshot(`
    "$ sess redact -n s1
    would create session 019de369-e060-7617-9819-1a1b1c1d1e1f from s1: 2 secrets masked in 3 places
    ! dry run: nothing was written
    "
  `)
  expect(await shell.type('sess redact s1')).toMatchInlineSnapshot(`
    "$ sess redact s1
    Created session 019de36a-cac0-7627-a829-2a2b2c2d2e2f from s1: 2 secrets masked in 3 places
    ! go back with: sess undo
    "
  `)
  const copy = (
    JSON.parse((await shell.run('sess ls --json -n 1')).stdout.split('\n')[0] ?? '') as { id: string }
  ).id
  expect((await shell.run(`sess scan ${copy}`)).code).toBe(0)
  expect((await shell.run(`sess log ${copy}`)).stdout).toMatchInlineSnapshot(`
    "663a60984d  2026-01-01 00:00  tool       (*main) ← done
    0ac7804605  2026-01-01 00:00  assistant  → bash push [redacted:github:7f8dfb7e] [redacted:shopify:0…
    422728e2c6  2026-01-01 00:00  user       Use [redacted:github:7f8dfb7e]
    "
  `)
  expect((await shell.run('sess export s1')).stdout).toBe(readFileSync(shell.path('s1.jsonl'), 'utf8'))
  expect((await shell.run('sess fsck')).code).toBe(0)
  await shell.run('sess undo')
  expect((await shell.run(`sess log ${copy}`)).code).toBe(1)
})

it('copies nothing where there is nothing to replace', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess redact 3b1f')).toMatchInlineSnapshot(`
    "$ sess redact 3b1f
    Session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 holds no secret: nothing was copied
    "
  `)
})

it('replaces secrets in the bytes of a source alone, and says where', async () => {
  const shell = await told()
  const { stdout, stderr } = await shell.run('sess export s1 --redact')
  const marks = stdout.match(/\[redacted:github:[0-9a-f]{8}\]/g) ?? []
  expect(marks.length).toBe(3)
  expect(new Set(marks).size).toBe(1)
  const source = readFileSync(shell.path('s1.jsonl'), 'utf8')
  const shopify = /\[redacted:shopify:[0-9a-f]{8}\]/.exec(stdout)?.[0] ?? ''
  expect(stdout).toBe(source.replaceAll(GITHUB, marks[0] ?? '').replaceAll(SHOPIFY, shopify))
  expect(stderr).toMatchInlineSnapshot(`
    "not written: redacted (4)  secrets are replaced by marks: 291516fcfe, f89a711604, 4669511303
    "
  `)
})

it.each(['sess', 'pi', 'claude-code', 'codex', 'jsonl', 'markdown', 'html'])(
  'writes none in the format %s',
  async (format) => {
    const shell = await told()
    const { stdout, stderr, code } = await shell.run(`sess export s1 --redact --format ${format}`)
    expect(code).toBe(0)
    expect(stdout).not.toContain(GITHUB)
    expect(stdout).not.toContain(SHOPIFY)
    expect(stdout).toContain('[redacted:github:')
    expect(stderr).toContain('not written: redacted')
  },
)

it('writes a copy that continues nothing where an agent looks', async () => {
  const shell = await told()
  const { stdout, code } = await shell.run('sess export s1 --redact --format codex --to-agent --json')
  expect(code).toBe(0)
  const { path } = JSON.parse(stdout) as { path: string }
  const text = readFileSync(path.replace('/home/ada', shell.dir), 'utf8')
  expect(text).toContain('[redacted:github:')
  expect(text).not.toContain(GITHUB)
  await shell.run('sess import s1.jsonl')
  expect((await shell.run('sess ls --json')).stdout.trimEnd().split('\n').length).toBe(1)
})

/** A session in which a token is recognised once, and stands in other spellings in every other place. */
async function inAllSpellings(): Promise<Shell> {
  const shell = new Shell({ samples: false })
  const others = Object.values(SPELLED).map((spell) => spell(GITHUB))
  const first = lines[0] as object
  const said = [
    { ...first, message: { role: 'user', content: `Use ${GITHUB}` } },
    ...others.map((text, i) => ({
      ...first,
      type: 'assistant',
      uuid: `a${i}`,
      parentUuid: i === 0 ? 'u1' : `a${i - 1}`,
      message: {
        id: `m${i}`,
        role: 'assistant',
        content: [{ type: 'tool_use', id: `t${i}`, name: `mcp__A${GITHUB}Z__get`, input: { [text]: text } }],
      },
      toolUseResult: { type: 'image', source: { type: 'base64', media_type: 'text/plain', data: text } },
    })),
  ]
  const text = said.map((line) => `${JSON.stringify(line)}\n`).join('')
  writeFileSync(shell.path('s1.jsonl'), `${text}no JSON: A${GITHUB}Z\n{"torn": "A${GITHUB}Z`)
  await shell.run('sess import s1.jsonl')
  return shell
}

/** Parts of the token in its spellings. */
const parts = [
  GITHUB,
  GITHUB.slice(4, 24),
  ...['', 'x', 'xy'].map((before) =>
    Buffer.from(before + GITHUB)
      .toString('base64')
      .slice(4, 40),
  ),
  ...['percent-encoded', 'with escapes in JSON'].map(
    (name) => SPELLED[name]?.(GITHUB).slice(1, 30) as string,
  ),
]

it.each(['', ' --format sess', ' --format codex', ' --format pi', ' --format markdown', ' --format html'])(
  'replaces what was recognised once in all of its spellings: export --redact%s',
  async (format) => {
    const shell = await inAllSpellings()
    const { stdout, code } = await shell.run(`sess export s1 --redact${format}`)
    expect(code).toBe(0)
    for (const part of parts) expect([part, stdout.includes(part)]).toEqual([part, false])
    expect(stdout).toContain('A[redacted:github:7f8dfb7e]Z')
  },
)

it('replaces what was recognised once in all of its spellings in a copy', async () => {
  const shell = await inAllSpellings()
  const made = JSON.parse((await shell.run('sess redact s1 --json')).stdout) as {
    session: string
    replaced: number
  }
  expect(made.replaced).toBeGreaterThan(12)
  expect((await shell.run(`sess scan ${made.session}`)).code).toBe(0)
  const { stdout } = await shell.run(`sess export ${made.session} --format sess`)
  for (const part of parts) expect([part, stdout.includes(part)]).toEqual([part, false])
})

it('replaces a secret that is given, also where it stands only in base64', async () => {
  const shell = await inAllSpellings()
  const given = 'Tr0ub4dor&3 correct horse'
  const stdin = [Buffer.from(`password=${given}`).toString('base64')]
  await shell.run('sess append s1 --role user', { stdin })
  const made = await shell.run('sess redact s1 --secret - --json', { stdin: [given] })
  const { session } = JSON.parse(made.stdout) as { session: string }
  expect((await shell.run(`sess export ${session} --format sess`)).stdout).not.toContain(stdin[0])
})
