import { cpSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

const CODEX = 'rollout-2026-03-31T16-10-00-019d3f52-7a10-7c43-9be1-40f6d2a8c531.jsonl'

it('says what was taken in and what was shared', async () => {
  const shell = new Shell()
  expect(await shell.type('sess import sessions')).toMatchInlineSnapshot(`
    "$ sess import sessions
    sessions/claude/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl
      claude-code session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: 22 entries in 25 records, all new
    sessions/claude/c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e.jsonl
      claude-code session c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e: 16 entries in 17 records, 4 new, 12 shared with what was there
    sessions/codex/rollout-2026-03-31T16-10-00-019d3f52-7a10-7c43-9be1-40f6d2a8c531.jsonl
      codex session 019d3f52-7a10-7c43-9be1-40f6d2a8c531: 11 entries in 19 records, all new
    sessions/codex/rollout-2026-04-01T10-00-00-019d4482-11c6-7e90-8f2a-b3d97e610c48.jsonl
      codex session 019d4482-11c6-7e90-8f2a-b3d97e610c48: 11 entries in 19 records, 4 new, 7 shared with what was there
    sessions/pi/2026-04-02T07-30-00-000Z_019d4e07-5b20-7d11-a6c2-93e1f04b7a65.jsonl
      pi session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65: 15 entries in 18 records, all new
    5 files, 43.0 kB, 5 sessions: 75 entries in 98 records, 56 new, 19 shared with what was there
    "
  `)
  expect(await shell.type('sess import sessions/pi')).toMatchInlineSnapshot(`
    "$ sess import sessions/pi
    sessions/pi/2026-04-02T07-30-00-000Z_019d4e07-5b20-7d11-a6c2-93e1f04b7a65.jsonl
      pi session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65: 15 entries in 18 records, nothing new
    1 file, 5.9 kB, 1 session: 15 entries in 18 records, nothing new
    "
  `)
})

it('gives one line per file and then totals to scripts', async () => {
  const shell = new Shell()
  const { stdout, stderr, code } = await shell.run('sess import sessions/claude --json')
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines).toMatchInlineSnapshot(`
    [
      {
        "bytes": 15571,
        "contained": false,
        "entries": 22,
        "format": "claude-code",
        "newEntries": 22,
        "newObjects": 23,
        "path": "/home/ada/sessions/claude/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl",
        "records": 25,
        "salvaged": 0,
        "session": "3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14",
        "warnings": [],
      },
      {
        "bytes": 12417,
        "contained": false,
        "entries": 16,
        "format": "claude-code",
        "newEntries": 4,
        "newObjects": 4,
        "path": "/home/ada/sessions/claude/c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e.jsonl",
        "records": 17,
        "salvaged": 0,
        "session": "c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e",
        "warnings": [],
      },
      {
        "totals": {
          "bytes": 27988,
          "entries": 38,
          "files": 2,
          "newEntries": 26,
          "newObjects": 27,
          "records": 42,
          "sessions": 2,
        },
      },
    ]
  `)
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
})

it('takes the others where a path is missing, and exits with 1', async () => {
  const shell = new Shell()
  expect(await shell.type('sess import nothing sessions/pi gone')).toMatchInlineSnapshot(`
    "$ sess import nothing sessions/pi gone
    sessions/pi/2026-04-02T07-30-00-000Z_019d4e07-5b20-7d11-a6c2-93e1f04b7a65.jsonl
      pi session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65: 15 entries in 18 records, all new
    ! sess: there is no file or folder '/home/ada/nothing'
    ! hint: check the path; the other files are imported
    ! sess: there is no file or folder '/home/ada/gone'
    ! hint: check the path; the other files are imported
    1 file, 5.9 kB, 1 session: 15 entries in 18 records, all new
    exit 1
    "
  `)
  const { stdout, stderr, code } = await shell.run('sess import nothing sessions/pi --json')
  expect(stdout.trimEnd().split('\n')).toHaveLength(2)
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: 'no-path',
      kind: 'user',
      message: "there is no file or folder '/home/ada/nothing'",
      hint: 'check the path; the other files are imported',
      retryable: false,
    },
  })
  expect(code).toBe(1)
})

it('speaks of other files where there are some to take', async () => {
  const shell = new Shell({ samples: false })
  writeFileSync(shell.path('there.jsonl'), '{"role":"user","content":"hi"}\n')
  symlinkSync('nowhere', shell.path('loose.jsonl'))
  expect(
    [
      await shell.type('sess import nothing'),
      await shell.type('sess import nothing loose.jsonl'),
      await shell.type('sess import nothing there.jsonl'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess import nothing
    ! sess: there is no file or folder '/home/ada/nothing'
    ! hint: check the path
    exit 1
    $ sess import nothing loose.jsonl
    ! sess: there is no file or folder '/home/ada/nothing'
    ! hint: check the path
    ! sess: there is no file or folder '/home/ada/loose.jsonl'
    ! hint: check the path
    exit 1
    $ sess import nothing there.jsonl
    there.jsonl
      jsonl session there-ae760f5b: 1 entry in 1 record, all new
    ! sess: there is no file or folder '/home/ada/nothing'
    ! hint: check the path; the other files are imported
    1 file, 31 bytes, 1 session: 1 entry in 1 record, all new
    exit 1
    "
  `)
})

it('shows what it noticed in a damaged file', async () => {
  const shell = new Shell({ samples: false })
  const line = (n: number): string =>
    JSON.stringify({
      type: 'user',
      uuid: `00000000-0000-4000-8000-00000000000${n}`,
      parentUuid: n === 1 ? null : `00000000-0000-4000-8000-00000000000${n - 1}`,
      sessionId: '5e550001-0000-4000-8000-000000000001',
      timestamp: '2026-03-01T09:00:00.000Z',
      message: { role: 'user', content: `prompt ${n}` },
    })
  const glued = `${line(1)}\n{"cut": ${line(2)}\nnot json\n\u0000\u0000${line(3)}\n{"also": 1, cut\n${line(4)}\n[`
  writeFileSync(shell.path('damaged.jsonl'), glued)
  expect(await shell.type('sess import damaged.jsonl')).toMatchInlineSnapshot(`
    "$ sess import damaged.jsonl
    damaged.jsonl
      claude-code session 5e550001-0000-4000-8000-000000000001: 3 entries in 6 records, all new
      1 record salvaged from damaged lines
      line 2, byte 217: no JSON object or array
      line 3, byte 476: no JSON object or array
      line 4, byte 487: a record was recovered from a damaged line, which agents may skip
      3 more warnings: -v lists them
    1 entry with a parent that no imported session contains
    1 file, 1.0 kB, 1 session: 3 entries in 6 records, all new
    ! to look for missing parents in all sessions, type: sess fsck --relink
    "
  `)
})

it('says that a file is an earlier state of a session', async () => {
  const shell = new Shell()
  const name = 'claude/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl'
  await shell.run('sess import sessions')
  const lines = shell.read('sessions', name).split('\n').slice(0, 9)
  writeFileSync(shell.path('before.jsonl'), `${lines.join('\n')}\n`)
  expect(await shell.type('sess import before.jsonl')).toMatchInlineSnapshot(`
    "$ sess import before.jsonl
    before.jsonl
      claude-code session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: 8 entries in 9 records, nothing new
      an earlier state of the session: the store has all of it
    1 file, 5.9 kB, 1 session: 8 entries in 9 records, nothing new
    "
  `)
})

it('shows on a terminal how far it has come, and takes that away again', async () => {
  const shell = new Shell()
  const written: string[] = []
  let now = 0
  const stream = {
    isTTY: true,
    write: (chunk: string | Uint8Array, done: () => void): boolean => {
      written.push(String(chunk))
      done()
      return true
    },
  }
  const quiet = {
    write: (_: unknown, done: () => void): boolean => {
      later()
      done()
      return true
    },
  }
  let later: () => void = () => undefined
  const world = shell.platform({}, quiet, stream)
  const { main } = await import('../../src/cli/main.ts')
  let stopped = 0
  await main(['import', 'sessions'], {
    ...world,
    env: { ...world.env, now: () => now },
    every: (_, tick) => {
      tick()
      now = 700
      later = () => {
        later = () => undefined
        tick()
      }
      return () => stopped++
    },
  })
  expect(written).toEqual(['\r\u001b[Kimporting: 5 of 5 files, 43.0 kB, 100 %', '\r\u001b[K'])
  expect(stopped).toBeGreaterThan(0)
})

/** Puts the sample sessions where their agents keep them. */
function settle(shell: Shell): void {
  for (const [from, to] of [
    ['sessions/claude', '.claude/projects/-home-ada-tides'],
    ['sessions/codex', '.codex/sessions/2026/04/01'],
    ['sessions/pi', '.pi/agent/sessions/--home-ada--'],
  ] as const)
    cpSync(shell.path(from), shell.path(to), { recursive: true })
}

it('finds what the agents of this machine keep, and tells only what is new', async () => {
  const shell = new Shell()
  expect(await shell.type('sess import')).toMatchInlineSnapshot(`
    "$ sess import
    ! no sessions of agents were found here: name files or folders to import
    "
  `)
  settle(shell)
  expect(await shell.type('sess import --agent codex')).toMatchInlineSnapshot(`
    "$ sess import --agent codex
    codex  ~/.codex/sessions  2 files  9.1 kB
    .codex/sessions/2026/04/01/rollout-2026-03-31T16-10-00-019d3f52-7a10-7c43-9be1-40f6d2a8c531.jsonl
      codex session 019d3f52-7a10-7c43-9be1-40f6d2a8c531: 11 entries in 19 records, all new
    .codex/sessions/2026/04/01/rollout-2026-04-01T10-00-00-019d4482-11c6-7e90-8f2a-b3d97e610c48.jsonl
      codex session 019d4482-11c6-7e90-8f2a-b3d97e610c48: 11 entries in 19 records, 4 new, 7 shared with what was there
    2 files, 9.1 kB, 2 sessions: 22 entries in 38 records, 15 new, 7 shared with what was there
    "
  `)
  expect(await shell.type('sess import')).toMatchInlineSnapshot(`
    "$ sess import
    claude-code  ~/.claude/projects    2 files  28.0 kB
    codex        ~/.codex/sessions     2 files   9.1 kB
    pi           ~/.pi/agent/sessions   1 file   5.9 kB
    .claude/projects/-home-ada-tides/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl
      claude-code session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: 22 entries in 25 records, all new
    .claude/projects/-home-ada-tides/c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e.jsonl
      claude-code session c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e: 16 entries in 17 records, 4 new, 12 shared with what was there
    .pi/agent/sessions/--home-ada--/2026-04-02T07-30-00-000Z_019d4e07-5b20-7d11-a6c2-93e1f04b7a65.jsonl
      pi session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65: 15 entries in 18 records, all new
    5 files, 43.0 kB, 5 sessions: 75 entries in 98 records, 41 new, 34 shared with what was there
    "
  `)
  rmSync(shell.path('.codex'), { recursive: true })
  expect(await shell.type('sess import')).toMatchInlineSnapshot(`
    "$ sess import
    claude-code  ~/.claude/projects    2 files  28.0 kB
    pi           ~/.pi/agent/sessions   1 file   5.9 kB
    3 files, 33.9 kB, 3 sessions: 53 entries in 60 records, nothing new
    "
  `)
  expect((await shell.run('sess ls --json')).stdout.split('\n')).toHaveLength(6)
  expect((await shell.run('sess import --agent pi --json')).stdout.split('\n')[0]).toMatchInlineSnapshot(
    `"{"found":{"agent":"pi","folder":"/home/ada/.pi/agent/sessions","files":1,"bytes":5926}}"`,
  )
})

it('takes only what is chosen', async () => {
  const shell = new Shell()
  settle(shell)
  const taken = async (line: string): Promise<string[]> => {
    const { stdout } = await shell.run(`${line} -n --json`)
    const files = stdout.trimEnd().split('\n').slice(0, -1)
    return files.flatMap((file) => (JSON.parse(file) as { session?: string }).session?.slice(0, 8) ?? [])
  }
  expect(await taken('sess import --agent claude')).toEqual(['3b1f6a20', 'c7d02e95'])
  expect(await taken('sess import --format codex sessions')).toEqual(['019d3f52', '019d4482'])
  expect(await taken('sess import --format pi')).toEqual(['019d4e07'])
  expect(await taken('sess import --cwd /home/ada/none')).toEqual([])
  utimesSync(shell.path('.codex/sessions/2026/04/01', basename(CODEX)), 1, 1)
  expect(await taken('sess import --agent codex --since 1971-01-01')).toEqual(['019d4482'])
  await shell.run('sess import')
  expect(await taken('sess import --format codex')).toEqual(['019d3f52', '019d4482'])
  expect(
    (await shell.type('sess import --format codexx')).replace(/knows .*/, 'knows …'),
  ).toMatchInlineSnapshot(`
    "$ sess import --format codexx
    ! sess: no format is called 'codexx'
    ! hint: did you mean 'codex' or 'codex-json'? sess knows …
    exit 2
    "
  `)
  expect(
    (await shell.type('sess import --agent clod')).replace(/those of .*/, 'those of …'),
  ).toMatchInlineSnapshot(`
    "$ sess import --agent clod
    ! sess: sess knows no place of an agent 'clod'
    ! hint: it knows those of …
    exit 2
    "
  `)
  expect(await shell.type('sess import --agent pi sessions')).toMatchInlineSnapshot(`
    "$ sess import --agent pi sessions
    ! sess: '--agent' and <path> exclude each other
    ! hint: type 'sess help import' to see how it is used
    exit 2
    "
  `)
  expect(await shell.type('sess import --since soon')).toMatchInlineSnapshot(`
    "$ sess import --since soon
    ! sess: '--since' takes a time, not 'soon'
    ! hint: write a duration such as 12h, 3d, 2w, or a day such as yesterday, 2026-04-01
    exit 2
    "
  `)
})

it('takes the sessions of a folder and of those below it', async () => {
  const shell = new Shell()
  settle(shell)
  const cwds = (await shell.run('sess import --json')).stdout && (await shell.run('sess ls --json')).stdout
  const all = cwds
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; cwd: string })
  const cwd = all.find(({ id }) => id.startsWith('019d4e07'))?.cwd ?? ''
  const within = all.filter((session) => session.cwd === cwd || session.cwd.startsWith(`${cwd}/`))
  for (const store of ['known', 'fresh'])
    expect(
      (
        await shell.run(`sess import --cwd ${cwd} -n --json ${store === 'fresh' ? '--store fresh' : ''}`)
      ).stdout
        .split('\n')
        .filter((line) => line.includes('"session"')),
    ).toHaveLength(within.length)
})

it('refuses a symbolic link that leads back to itself, and watches none', async () => {
  const shell = new Shell({ samples: false })
  symlinkSync('b', shell.path('a'))
  symlinkSync('a', shell.path('b'))
  expect(`${await shell.type('sess import a')}${await shell.type('sess watch a')}`).toMatchInlineSnapshot(`
    "$ sess import a
    ! sess: '/home/ada/a' could not be read (it is a symbolic link that leads back to itself)
    ! hint: name the file that the link should lead to
    exit 1
    $ sess watch a
    ! sess: '/home/ada/a' could not be read (it is a symbolic link that leads back to itself)
    ! hint: name the file that the link should lead to
    exit 1
    "
  `)
})

it('sums many files up by agent, lists what it skipped, and is quiet where that is asked', async () => {
  const shell = new Shell({ samples: false })
  mkdirSync(shell.path('many'))
  for (let i = 0; i < 21; i++)
    writeFileSync(shell.path('many', `${i}.jsonl`), `{"role":"user","content":"question ${i}"}\n`)
  writeFileSync(shell.path('many', 'README.md'), 'Read me.\n')
  symlinkSync('0.jsonl', shell.path('many', 'link.jsonl'))
  expect(
    [
      await shell.type('sess import many'),
      await shell.type('sess import -q many'),
      await shell.type('sess import --all many/README.md'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess import many
    jsonl  21 files  21 sessions  21 entries, 21 new
    skipped, no conversation: many/README.md
    skipped, a symbolic link: many/link.jsonl
    21 files, 830 bytes, 21 sessions: 21 entries in 21 records, all new
    $ sess import -q many
    $ sess import --all many/README.md
    many/README.md
      bytes session README-0378767b: 0 entries in 0 records
    1 file, 9 bytes, 1 session: 0 entries in 0 records
    "
  `)
})

it('counts files without a message, names files whose ids moved and links that it does not follow', async () => {
  const shell = new Shell()
  const chats = '.gemini/tmp/lamp/chats'
  mkdirSync(shell.path(chats), { recursive: true })
  const sessionId = '0c0c0c0c-1111-4111-8111-0c0c0c0c0c0c'
  const put = (name: string, ...lines: readonly object[]): void =>
    writeFileSync(shell.path(chats, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const header = { sessionId, projectHash: 'f', startTime: '2026-01-01T00:00:00.000Z' }
  put('session-a.jsonl', { ...header, kind: 'subagent' }, { id: 's', type: 'user', content: 'find it' })
  put('session-b.jsonl', { ...header, kind: 'main' }, { id: 'm', type: 'user', content: 'Fix it.' })
  put('session-c.jsonl', { ...header, sessionId: 'other' })
  symlinkSync('/nowhere', shell.path(chats, '..', 'gone'))
  const typed = await shell.type('sess import --agent gemini')
  expect(typed).toMatchInlineSnapshot(`
    "$ sess import --agent gemini
    gemini-cli  ~/.gemini/tmp  3 files  421 bytes
    .gemini/tmp/lamp/chats/session-a.jsonl
      gemini-cli session 0c0c0c0c-1111-4111-8111-0c0c0c0c0c0c: 1 entry in 2 records, all new
    .gemini/tmp/lamp/chats/session-b.jsonl
      gemini-cli session 0c0c0c0c-1111-4111-8111-0c0c0c0c0c0c-5f0571ce: 1 entry in 2 records, all new
    .gemini/tmp/lamp/chats/session-b.jsonl is session 0c0c0c0c-1111-4111-8111-0c0c0c0c0c0c now, it was 0c0c0c0c-1111-4111-8111-0c0c0c0c0c0c-5f0571ce
    .gemini/tmp/lamp/chats/session-a.jsonl is session 0c0c0c0c-1111-4111-8111-0c0c0c0c0c0c-a3393830 now, it was 0c0c0c0c-1111-4111-8111-0c0c0c0c0c0c
    skipped, a symbolic link: .gemini/tmp/lamp/gone
    1 file holds no message yet
    2 files, 342 bytes, 2 sessions: 2 entries in 4 records, all new
    "
  `)
  expect(await shell.type('sess import --agent gemini --json')).toMatchInlineSnapshot(`
    "$ sess import --agent gemini --json
    {"found":{"agent":"gemini-cli","folder":"/home/ada/.gemini/tmp","files":3,"bytes":421}}
    {"path":"/home/ada/.gemini/tmp/lamp/chats/session-a.jsonl","format":"gemini-cli","session":"0c0c0c0c-1111-4111-8111-0c0c0c0c0c0c-a3393830","records":2,"entries":1,"newEntries":0,"newObjects":0,"bytes":173,"contained":false,"salvaged":0,"warnings":[]}
    {"path":"/home/ada/.gemini/tmp/lamp/chats/session-b.jsonl","format":"gemini-cli","session":"0c0c0c0c-1111-4111-8111-0c0c0c0c0c0c","records":2,"entries":1,"newEntries":0,"newObjects":0,"bytes":169,"contained":false,"salvaged":0,"warnings":[]}
    {"path":"/home/ada/.gemini/tmp/lamp/chats/session-c.jsonl","skipped":"no-message"}
    {"path":"/home/ada/.gemini/tmp/lamp/gone","skipped":"symbolic-link"}
    {"totals":{"files":2,"sessions":2,"records":4,"entries":2,"newEntries":0,"newObjects":0,"bytes":342}}
    "
  `)
  expect(await shell.type('sess ls')).toMatchInlineSnapshot(`
    "$ sess ls
    SESSION                                   UPDATED  ENTRIES  AGENT       TITLE
    0c0c0c0c-1111-4111-8111-0c0c0c0c0c0c   2026-01-01        1  gemini-cli  "Fix it."
    0c0c0c0c-1111-4111-8111-0c0c0c0c0c0c-  2026-01-01        1  gemini-cli  "find it"
    "
  `)
})

it('names the session in which one goes on', async () => {
  const shell = new Shell()
  const [one, two] = ['a1a10000-0000-4000-8000-00000000000a', 'b2b20000-0000-4000-8000-00000000000b']
  const said = (sessionId: string): object => ({
    ...{ type: 'user', uuid: 'u', parentUuid: null, sessionId, timestamp: '2026-01-01T00:00:00.000Z' },
    message: { role: 'user', content: 'Fix it.' },
  })
  const put = (id: string, ...lines: readonly object[]): void =>
    writeFileSync(shell.path(`${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  put(one, said(one), { type: 'continued-in', sessionId: one, continuedInSessionId: two })
  put(two, said(two))
  await shell.run(`sess import ${one}.jsonl ${two}.jsonl`)
  const rows = (await shell.run('sess ls --json')).stdout.trimEnd().split('\n')
  const links = rows.map((row) => JSON.parse(row) as Readonly<Record<string, unknown>>)
  expect(links.find(({ id }) => id === one)).toMatchObject({ continuedIn: two, continues: null })
  expect(links.find(({ id }) => id === two)).toMatchObject({ continuedIn: null, continues: one })
  expect((await shell.run('sess show a1a1')).stdout).toContain(`next     ${two}`)
})

it('names the session that each file has at the end, where several files have one id', async () => {
  const shell = new Shell({ samples: false })
  const id = '0c0b1a2d-0000-4000-8000-00000000000a'
  const said = (text: string, day: string): string =>
    `${JSON.stringify({
      ...{
        type: 'user',
        uuid: text,
        parentUuid: null,
        sessionId: id,
        timestamp: `2026-03-${day}T10:00:00.000Z`,
      },
      message: { role: 'user', content: text },
    })}\n`
  const files = [said('newer', '02'), said('older', '01')]
  for (const [i, text] of files.entries()) writeFileSync(shell.path(`${i}.jsonl`), text)
  const { stdout } = await shell.run('sess import 0.jsonl 1.jsonl --json')
  const lines = stdout.trimEnd().split('\n')
  const sessions = lines.flatMap((line) => (JSON.parse(line) as { session?: string }).session ?? [])
  expect(sessions[1]).toBe(id)
  const given = await Promise.all(sessions.map((session) => shell.run(`sess log ${session} -1 -T {text}`)))
  expect(given.map((one) => one.stdout.trim())).toEqual(['newer', 'older'])
})

it('lists every file with all its warnings where that is asked for', async () => {
  const shell = new Shell({ samples: false })
  const bad = Array.from({ length: 5 }, (_, i) => `{"broken ${i}`).join('\n')
  writeFileSync(shell.path('bad.jsonl'), `{"role":"user","content":"hi"}\n${bad}\n`)
  const few = await shell.run('sess import bad.jsonl -n')
  const all = await shell.run('sess import bad.jsonl -v')
  expect(few.stdout).toContain('-v lists them')
  expect(all.stdout).not.toContain('-v lists them')
  expect(all.stdout.split('\n').length).toBeGreaterThan(few.stdout.split('\n').length)
})
