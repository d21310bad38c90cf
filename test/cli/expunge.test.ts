import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { standsIn } from '../support/everybyte.ts'
import { GITHUB } from '../support/secrets.ts'
import { Shell } from '../support/shell.ts'

const PLACE = 'the meeting is at noon behind the old lighthouse'

const user = (session: string, uuid: string, content: unknown, more: object = {}): string =>
  `${JSON.stringify({
    type: 'user',
    uuid,
    sessionId: session,
    timestamp: '2026-01-01T00:00:00.000Z',
    message: { role: 'user', content },
    ...more,
  })}\n`

const source = (session: string): string =>
  [
    user(session, 'u1', `Use ${GITHUB}`),
    user(session, 'u2', `${'a long text '.repeat(200)}${GITHUB}`, { parentUuid: 'u1' }),
    user(session, 'u3', PLACE, {
      parentUuid: 'u2',
      toolUseResult: { stdout: JSON.stringify({ token: GITHUB }), [GITHUB]: 'x'.repeat(1500) + GITHUB },
    }),
    `no JSON ${GITHUB}\n`,
    `{"torn": "${GITHUB}`,
  ].join('')

/** A store that holds a secret wherever one can stand. */
async function told(): Promise<Shell> {
  const shell = new Shell({ samples: false })
  writeFileSync(shell.path('s1.jsonl'), source('s1'))
  writeFileSync(shell.path('s2.jsonl.gz'), gzipSync(`${source('s2')} again"}\n`))
  await shell.run('sess init')
  await shell.run('sess import s1.jsonl s2.jsonl.gz')
  await shell.run('sess append s1 --role user', { stdin: [`once more ${GITHUB}`] })
  await shell.run(`sess rename s2 "With ${GITHUB}"`)
  await shell.run(`sess label "as ${GITHUB}" s1`)
  await shell.run('sess fork s1 --title Forked')
  await shell.run(`sess set s1 token=${GITHUB}`)
  await shell.run('sess export s1 --format codex --to-agent')
  return shell
}

const digits = async (shell: Shell): Promise<string> =>
  (JSON.parse((await shell.run('sess scan --json')).stdout.split('\n')[0] ?? '') as { secret: string }).secret

it('removes a secret from every byte of the store, and every oid stays', async () => {
  const shell = await told()
  const before = (await shell.run('sess ls-objects')).stdout
  expect((await standsIn(shell.path('.sess'), GITHUB)).length).toBeGreaterThan(5)
  const mark = await digits(shell)
  expect(await shell.type(`sess expunge -n --secret ${mark}`)).toMatchInlineSnapshot(`
    "$ sess expunge -n --secret 7f8dfb7e
    would expunge 1 secret (7f8dfb7e) from 3 entries and 16 records
    ! it cannot be undone; files that were imported or exported, and backups, still hold it
    ! dry run: nothing was written
    "
  `)
  expect((await shell.run('sess scan')).code).toBe(1)
  expect(await shell.type(`sess expunge --yes --secret ${mark} --why "it leaked"`)).toMatchInlineSnapshot(`
    "$ sess expunge --yes --secret 7f8dfb7e --why "it leaked"
    Expunged 1 secret (7f8dfb7e) from 3 entries and 16 records
    ! it cannot be undone; files that were imported or exported, and backups, still hold it
    "
  `)
  expect(await standsIn(shell.path('.sess'), GITHUB)).toEqual([])
  expect((await shell.run('sess ls-objects')).stdout).toBe(before)
  expect((await shell.run('sess fsck')).stdout).toMatch(/^all is well/)
  expect(await shell.type('sess log s1')).toMatchInlineSnapshot(`
    "$ sess log s1
    487df763d4  2026-05-01 12:02  user       (*main, label: as [expunged:7f8dfb7e]) once more [expunged…
    3934502c21  2026-01-01 00:00  user       the meeting is at noon behind the old lighthouse
    28a2dd0897  2026-01-01 00:00  user       a long text a long text a long text a long text a long tex…
    291516fcfe  2026-01-01 00:00  user       Use [expunged:7f8dfb7e]
    "
  `)
  expect((await shell.run('sess search lighthouse')).stdout).toContain('lighthouse')
})

it('tells what is read of what is no more, and gives no bytes for those that were read', async () => {
  const shell = await told()
  await shell.run(`sess expunge --yes --secret ${await digits(shell)}`)
  for (const command of ['show s1', 'context s1', 'tree s1', 'ls', 'op log', 'handoff "go on" s1']) {
    const { code, output } = await shell.run(`sess ${command}`)
    expect([command, code, output.includes(GITHUB)]).toEqual([command, 0, false])
  }
  const { stdout, stderr } = await shell.run('sess export s1')
  expect(stdout).toBe(readFileSync(shell.path('s1.jsonl'), 'utf8').replaceAll(GITHUB, `[expunged:7f8dfb7e]`))
  expect(stderr).toMatchInlineSnapshot(`
    "not written: expunged (1)  content that was expunged is left out
    "
  `)
  for (const format of ['sess', 'pi', 'claude-code', 'codex', 'html'])
    expect((await shell.run(`sess export s1 --format ${format}`)).stdout).not.toContain(GITHUB)
})

it('does not let it come back: by the same file, a grown one, a copy, or in other words', async () => {
  const shell = await told()
  await shell.run(`sess expunge --yes --secret ${await digits(shell)}`)
  await shell.run('sess import s1.jsonl s2.jsonl.gz')
  appendFileSync(
    shell.path('s1.jsonl'),
    `"}\n${user('s1', 'u9', `and again ${GITHUB}`, { parentUuid: 'u3' })}`,
  )
  await shell.run('sess import s1.jsonl')
  writeFileSync(shell.path('s3.jsonl'), source('s3'))
  await shell.run('sess import s3.jsonl')
  writeFileSync(shell.path('s4.jsonl'), user('s4', 'v1', `quite another ${GITHUB}`))
  await shell.run('sess import s4.jsonl')
  await shell.run('sess append s4 --role user', { stdin: [`said anew ${GITHUB}`] })
  expect(await standsIn(shell.path('.sess'), GITHUB)).toEqual([])
  expect((await shell.run('sess fsck')).stdout).toMatch(/^all is well/)
  expect((await shell.run('sess ls --json')).stdout.trimEnd().split('\n').length).toBe(5)
})

it('says that it cannot be undone, and goes back no further by a restore', async () => {
  const shell = await told()
  const secret = await digits(shell)
  await shell.run(`sess expunge --yes --secret ${secret}`)
  expect(await shell.type('sess undo')).toMatchInlineSnapshot(`
    "$ sess undo
    ! sess: operation 8 removed content permanently and cannot be undone
    ! hint: type 'sess undo NUMBER' to undo an earlier one, of those that 'sess op log' lists
    exit 1
    "
  `)
  expect((await shell.run('sess op restore 2')).code).toBe(0)
  expect((await shell.run('sess undo')).code).toBe(0)
  expect((await shell.run('sess log s1 --at-op 2')).output).not.toContain(GITHUB)
  expect(await standsIn(shell.path('.sess'), GITHUB)).toEqual([])
  expect((await shell.run('sess fsck')).stdout).toMatch(/^all is well/)
  await shell.run('sess import s1.jsonl')
  expect(await standsIn(shell.path('.sess'), GITHUB)).toEqual([])
})

it('removes all that an entry says, whoever says it', async () => {
  const shell = new Shell({ samples: false })
  const text = `${user('s1', 'u1', PLACE, { toolUseResult: { stdout: PLACE } })}${user('s1', 'u2', 'understood', { parentUuid: 'u1' })}`
  writeFileSync(shell.path('s1.jsonl'), text)
  await shell.run('sess init')
  await shell.run('sess import s1.jsonl')
  const before = (await shell.run('sess ls-objects')).stdout
  expect(await shell.type('sess expunge --yes s1')).toMatchInlineSnapshot(`
    "$ sess expunge --yes s1
    ! sess: there is no entry 's1' (it names a session)
    ! hint: type 'sess log SESSION' to see a session's entries
    exit 1
    "
  `)
  expect(await shell.type('sess expunge --yes s1~1 --why "told by mistake"')).toMatchInlineSnapshot(`
    "$ sess expunge --yes s1~1 --why "told by mistake"
    Expunged the content of 1 entry and 1 record
    ! it cannot be undone; files that were imported or exported, and backups, still hold it
    "
  `)
  expect(await standsIn(shell.path('.sess'), 'lighthouse')).toEqual([])
  expect((await shell.run('sess ls-objects')).stdout).toBe(before)
  expect(await shell.type('sess log s1')).toMatchInlineSnapshot(`
    "$ sess log s1
    8d6a8d8848  2026-01-01 00:00  user       (*main) understood
    4af88d4a54  2026-01-01 00:00  user       [expunged: told by mistake]
    "
  `)
  expect((await shell.run('sess ls')).stdout).not.toContain('lighthouse')
  expect((await shell.run('sess export s1')).stdout).toMatchInlineSnapshot(`
    "{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"[expunged: told by mistake]"},"toolUseResult":{"stdout":"[expunged: told by mistake]"}}
    {"type":"user","uuid":"u2","sessionId":"s1","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"understood"},"parentUuid":"u1"}
    "
  `)
  expect((await shell.run('sess fsck')).stdout).toMatch(/^all is well/)
  writeFileSync(shell.path('s2.jsonl'), text.replaceAll('"s1"', '"s2"'))
  await shell.run('sess import s2.jsonl')
  expect(await standsIn(shell.path('.sess'), 'lighthouse')).toEqual([])
  expect((await shell.run('sess fsck')).stdout).toMatch(/^all is well/)
})

/** Returns a store in which something was said that could be guessed. */
async function guessable(): Promise<Shell> {
  const shell = new Shell({ samples: false })
  await shell.run('sess init')
  await shell.run('sess append --new --title Tea --role user', { stdin: ['my password is hunter2'] })
  await shell.run('sess append Tea --role user', { stdin: ['now go on'] })
  return shell
}

it('offers another way where a secret could be guessed', async () => {
  const shell = await guessable()
  expect(await shell.type('sess expunge --yes --secret -', { stdin: ['hunter2\n'] })).toMatchInlineSnapshot(`
    "$ sess expunge --yes --secret -
    ! sess: '94af8c6b' could be guessed from the digests that remain
    ! hint: copy its sessions with 'sess redact SESSION --secret -', remove them with 'sess rm', name the copies with 'sess rename', then type 'sess gc --operations now --grace now'; or remove what can be removed with --force
    exit 1
    "
  `)
  expect((await shell.run('sess expunge --yes --secret - --force', { stdin: ['hunter2'] })).code).toBe(0)
  expect(await standsIn(shell.path('.sess'), 'hunter2')).toEqual([])
})

it('offers it too where an entry is named, and what that says could be guessed', async () => {
  const shell = await guessable()
  expect(await shell.type('sess expunge --yes Tea~1')).toMatchInlineSnapshot(`
    "$ sess expunge --yes Tea~1
    ! sess: 'Tea~1' could be guessed from the digests that remain
    ! hint: copy its sessions with 'sess redact SESSION --secret -', remove them with 'sess rm', name the copies with 'sess rename', then type 'sess gc --operations now --grace now'; or remove what can be removed with --force
    exit 1
    "
  `)
  expect((await shell.run('sess expunge --yes Tea~1 --force')).code).toBe(0)
  expect(await standsIn(shell.path('.sess'), 'hunter2')).toEqual([])
  const long = `an answer ${'of which nobody guesses all '.repeat(3)}`
  await shell.run('sess append Tea --role assistant', { stdin: [long] })
  expect((await shell.run('sess expunge --yes Tea/main')).code).toBe(0)
  expect(await standsIn(shell.path('.sess'), 'nobody guesses')).toEqual([])
})

it('offers a way that leaves no digest', async () => {
  const shell = await guessable()
  const [own = ''] = (await shell.run('sess ls --json')).stdout.split('\n')
  const { id } = JSON.parse(own) as { readonly id: string }
  const [oid = ''] = (await shell.run('sess ls-objects')).stdout.split(' ')
  expect(oid).toHaveLength(64)
  const made = await shell.run('sess redact Tea --secret - --json', { stdin: ['hunter2'] })
  const { session } = JSON.parse(made.stdout) as { readonly session: string }
  for (const command of [
    `sess rm ${id}`,
    `sess rename ${session} Tea`,
    'sess gc --operations now --grace now',
  ])
    expect([command, (await shell.run(command)).code]).toEqual([command, 0])
  expect((await shell.run('sess ls-objects')).stdout).not.toContain(oid)
  expect(await standsIn(shell.path('.sess'), 'hunter2')).toEqual([])
  expect((await shell.run('sess fsck')).stdout).toMatch(/^all is well: 2 entries/)
})

it('refuses what names nothing', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess expunge --yes')).toMatchInlineSnapshot(`
    "$ sess expunge --yes
    ! sess: nothing to expunge was named
    ! hint: name entries, or secrets with --secret: 'sess scan' finds them
    exit 2
    "
  `)
  expect(await shell.type('sess expunge --yes --secret 01234567')).toMatchInlineSnapshot(`
    "$ sess expunge --yes --secret 01234567
    ! sess: no secret '01234567' was found
    ! hint: type 'sess scan' to list the secrets
    exit 1
    "
  `)
})
