import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { goOn } from '../support/goingon.ts'
import { Shell } from '../support/shell.ts'

/** Puts the sample of Claude Code where that keeps it. */
function atHome(shell: Shell): string {
  const folder = shell.path('.claude/projects/-home-ada-tides')
  mkdirSync(folder, { recursive: true })
  const name = readdirSync(shell.path('sessions'), { recursive: true, encoding: 'utf8' }).find((file) =>
    /3b1f6a20[^/]*\.jsonl$/.test(file),
  )
  const path = join(folder, '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl')
  copyFileSync(shell.path('sessions', name ?? ''), path)
  return path
}

it('prints what goes on with a session in its agent', async () => {
  const shell = new Shell()
  const path = atHome(shell)
  await shell.run('sess import .claude/projects sessions')
  expect(
    [
      await shell.type('sess resume 3b1f'),
      await shell.type('sess resume 3b1f --json'),
      await shell.type('sess resume c7d0'),
      await shell.type('sess resume nothing'),
      await shell.type('sess resume 3b1f --format codex'),
      await shell.type('sess resume 3b1f --pick'),
      await shell.type('sess resume --all'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess resume 3b1f
    cd /home/ada/tides && claude --resume 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    ! the folder '/home/ada/tides' does not exist; if it moved, say where it is now: sess mv /home/ada/tides NEW
    $ sess resume 3b1f --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","title":"Tide table one hour off","format":"claude-code","agent":"Claude Code","id":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","path":"/home/ada/.claude/projects/-home-ada-tides/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl","cwd":"/home/ada/tides","cwdExists":false,"command":["claude","--resume","3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14"],"upToDate":true}
    ! the folder '/home/ada/tides' does not exist; if it moved, say where it is now: sess mv /home/ada/tides NEW
    $ sess resume c7d0
    ! sess: 'c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e' is not in the folder of its agent
    ! hint: export it: 'sess export c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e --format claude-code --to-agent'
    exit 1
    $ sess resume nothing
    ! sess: no session is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    $ sess resume 3b1f --format codex
    ! sess: no known agent resumes '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14'
    ! hint: export it: 'sess export 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 --format codex --to-agent'
    exit 1
    $ sess resume 3b1f --pick
    ! sess: '--pick' and <session> exclude each other
    ! hint: type 'sess help resume' to see how it is used
    exit 2
    $ sess resume --all
    ! sess: '--all' needs '--pick'
    ! hint: type 'sess help resume' to see how it is used
    exit 2
    "
  `)
  rmSync(path)
  expect(await shell.type('sess resume 3b1f')).toMatchInlineSnapshot(`
    "$ sess resume 3b1f
    ! sess: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14' is not in the folder of its agent
    ! hint: export it: 'sess export 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 --format claude-code --to-agent'
    exit 1
    "
  `)
})

it('does not take the file with those of a folder that moved for one that its agent finds', async () => {
  const shell = new Shell()
  atHome(shell)
  await shell.run('sess import .claude/projects')
  await shell.run('sess mv /home/ada/tides /home/ada/moon')
  expect(
    [
      await shell.type('sess resume 3b1f'),
      await shell.type('sess export 3b1f --to-agent'),
      await shell.type('sess resume 3b1f'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess resume 3b1f
    ! sess: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14' is not in the folder of its agent
    ! hint: export it: 'sess export 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 --format claude-code --to-agent'
    exit 1
    $ sess export 3b1f --to-agent
    cd /home/ada/moon && claude --resume 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    ! Wrote 15571 bytes to /home/ada/.claude/projects/-home-ada-moon/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl
    $ sess resume 3b1f
    cd /home/ada/moon && claude --resume 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    ! the folder '/home/ada/moon' does not exist; if it moved, say where it is now: sess mv /home/ada/moon NEW
    "
  `)
})

it('goes on where the session was taken to, and says where the agent stands elsewhere', async () => {
  const shell = new Shell()
  const path = atHome(shell)
  await shell.run('sess import .claude/projects')
  const transcript = [
    await shell.type('sess export 3b1f --to-agent'),
    await shell.type('sess export 3b1f --format codex --to-agent -n'),
    await shell.type('sess export 3b1f --format codex --to-agent'),
    await shell.type('sess export 3b1f --format codex --to-agent'),
    await shell.type('sess export 3b1f --format pi --to-agent --json', {
      variables: { PI_CODING_AGENT_SESSION_DIR: '~/all' },
    }),
    await shell.type('sess export 3b1f --format html --to-agent'),
    await shell.type('sess export 3b1f --to-agent --out there.jsonl'),
  ]
  const [codex = ''] = readdirSync(shell.path('.codex'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.jsonl'),
  )
  goOn(shell.path('.codex', codex), 'codex')
  transcript.push(
    await shell.type('sess import .codex'),
    await shell.type('sess resume 3b1f'),
    await shell.type('sess resume 3b1f --format claude-code'),
    await shell.type('sess export 3b1f --format claude-code --to-agent'),
    await shell.type('sess resume 3b1f --format claude-code'),
    await shell.type('sess log 3b1f -n 5'),
    await shell.type('sess undo'),
    await shell.type('sess fsck'),
  )
  expect(transcript.join('')).toMatchInlineSnapshot(`
    "$ sess export 3b1f --to-agent
    ! sess: '/home/ada/.claude/projects/-home-ada-tides/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl' exists already
    ! hint: resume it there: 'sess resume 3b1f'; nothing was overwritten
    exit 1
    $ sess export 3b1f --format codex --to-agent -n
    cd /home/ada/tides && codex resume 1b8665d5-297c-8e2e-b5c9-049a1ddc01bc
    ! would write 6658 bytes to /home/ada/.codex/sessions/2026/03/30/rollout-2026-03-30T09-02-11-1b8665d5-297c-8e2e-b5c9-049a1ddc01bc.jsonl
    ! not written: branch (1)  the format holds one path: this branch is left out: at-1d9fca05
    ! not written: thinking (1)  thinking is left out: only its own model accepts it: 79f0d57db6
    ! dry run: nothing was written
    $ sess export 3b1f --format codex --to-agent
    cd /home/ada/tides && codex resume 1b8665d5-297c-8e2e-b5c9-049a1ddc01bc
    ! Wrote 6658 bytes to /home/ada/.codex/sessions/2026/03/30/rollout-2026-03-30T09-02-11-1b8665d5-297c-8e2e-b5c9-049a1ddc01bc.jsonl
    ! not written: branch (1)  the format holds one path: this branch is left out: at-1d9fca05
    ! not written: thinking (1)  thinking is left out: only its own model accepts it: 79f0d57db6
    $ sess export 3b1f --format codex --to-agent
    ! sess: '/home/ada/.codex/sessions/2026/03/30/rollout-2026-03-30T09-02-11-1b8665d5-297c-8e2e-b5c9-049a1ddc01bc.jsonl' exists already
    ! hint: resume it there: 'sess resume 3b1f --format codex'; nothing was overwritten
    exit 1
    $ sess export 3b1f --format pi --to-agent --json
    {"session":"3b1f","path":"/home/ada/all/2026-03-30T09-02-11-137Z_2b597926-242c-89e0-b0e0-52fdd2abc99b.jsonl","bytes":8631,"replaced":null,"losses":[],"id":"2b597926-242c-89e0-b0e0-52fdd2abc99b","format":"pi","cwd":"/home/ada/tides","command":["pi","--session","/home/ada/all/2026-03-30T09-02-11-137Z_2b597926-242c-89e0-b0e0-52fdd2abc99b.jsonl"]}
    $ sess export 3b1f --format html --to-agent
    ! sess: no known agent resumes '3b1f' (it is a page to read)
    ! hint: export it to one that does: 'sess export SESSION --format claude-code --to-agent'
    exit 1
    $ sess export 3b1f --to-agent --out there.jsonl
    ! sess: '--to-agent' and '--out' exclude each other
    ! hint: type 'sess help export' to see how it is used
    exit 2
    $ sess import .codex
    .codex/sessions/2026/03/30/rollout-2026-03-30T09-02-11-1b8665d5-297c-8e2e-b5c9-049a1ddc01bc.jsonl
      codex session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: 21 entries in 31 records, 4 new, 17 shared with what was there
      it was exported from that session, which continues with the new entries
    1 file, 7.3 kB, 1 session: 21 entries in 31 records, 4 new, 17 shared with what was there
    $ sess resume 3b1f
    cd /home/ada/tides && codex resume 1b8665d5-297c-8e2e-b5c9-049a1ddc01bc
    ! the folder '/home/ada/tides' does not exist; if it moved, say where it is now: sess mv /home/ada/tides NEW
    $ sess resume 3b1f --format claude-code
    cd /home/ada/tides && claude --resume 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    ! Claude Code does not have the session as it is here; export it there with: sess export 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 --format claude-code --to-agent
    ! the folder '/home/ada/tides' does not exist; if it moved, say where it is now: sess mv /home/ada/tides NEW
    $ sess export 3b1f --format claude-code --to-agent
    cd /home/ada/tides && claude --resume 3047a5f5-b7b7-8fad-ade6-dfe721903a97
    ! Wrote 14361 bytes to /home/ada/.claude/projects/-home-ada-tides/3047a5f5-b7b7-8fad-ade6-dfe721903a97.jsonl
    ! not written: branch (1)  the format holds one path: this branch is left out: at-1d9fca05
    $ sess resume 3b1f --format claude-code
    cd /home/ada/tides && claude --resume 3047a5f5-b7b7-8fad-ade6-dfe721903a97
    ! the folder '/home/ada/tides' does not exist; if it moved, say where it is now: sess mv /home/ada/tides NEW
    $ sess log 3b1f -n 5
    7863d50e87  2027-01-02 03:04  assistant  (*main) done
    575f699a7d  2027-01-02 03:04  tool       ← read
    b8f48d62f3  2027-01-02 03:04  assistant  → shell ls
    8d364ce69b  2027-01-02 03:04  user       and on we go
    98c5e71acd  2026-03-30 09:21  assistant  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes…
    $ sess undo
    Undid operation 5 (2026-05-01 12:11, 3 minutes ago): sess export 3b1f --format claude-code --to-agent
      - 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: its export 3047a5f5-b7b7-8fad-ade6-dfe721903a97  was 0 records
      - exports/3047a5f5-b7b7-8fad-ade6-dfe721903a97  was 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    ! redo it with: sess redo
    $ sess fsck
    all is well: 26 entries, 1 session, 29 records, 6 operations
    "
  `)
  expect(readFileSync(path, 'utf8')).toBe((await shell.run('sess export 3b1f')).stdout)
})

it('runs the command in its folder without a shell, and exits as it does', async () => {
  const shell = new Shell()
  atHome(shell)
  await shell.run('sess import .claude/projects')
  const started: unknown[] = []
  const run = await shell.run('sess resume 3b1f --run', {
    edit: (command, _, cwd) => {
      started.push(command, cwd)
      return Promise.resolve(3)
    },
  })
  expect([run.code, run.stdout, started]).toEqual([
    3,
    '',
    [['claude', '--resume', '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14'], '/home/ada/tides'],
  ])
  expect(await shell.type('sess resume 3b1f --run')).toMatchInlineSnapshot(`
    "$ sess resume 3b1f --run
    ! the folder '/home/ada/tides' does not exist; if it moved, say where it is now: sess mv /home/ada/tides NEW
    ! sess: the program 'claude' could not be started
    ! hint: install Claude Code, or check the folder '/home/ada/tides'
    exit 1
    "
  `)
})

it('picks on a terminal only, and among the sessions of the folder', async () => {
  const shell = new Shell()
  atHome(shell)
  await shell.run('sess import .claude/projects sessions')
  expect(
    [await shell.type('sess resume --pick --all'), await shell.type('sess resume --pick')].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess resume --pick --all
    ! sess: there is no terminal to show sessions on
    ! hint: in a pipe, type 'sess ls' for the sessions, and 'sess tree SESSION' for a tree
    exit 2
    $ sess resume --pick
    ! sess: no session belongs to the folder '/home/ada'
    ! hint: type 'sess resume --pick --all' to pick from the sessions of all folders
    exit 1
    "
  `)
})

it('quotes what a transcript says of its folder', async () => {
  const shell = new Shell({ samples: false })
  const line = '{"body":{"role":"user","content":"hi"}}'
  mkdirSync(shell.path('a $(touch x)'))
  await shell.run('sess append --new --title odd', { stdin: [line], cwd: 'a $(touch x)' })
  expect((await shell.run('sess export odd --format pi --to-agent')).stdout).toMatch(
    /^cd '\/home\/ada\/a \$\(touch x\)' && pi --session '\/home\/ada\/\.pi\/agent\/sessions\/[^']*'\n$/,
  )
})

it('tells first what lets OpenCode take a session from the file, and runs that first', async () => {
  const shell = new Shell()
  atHome(shell)
  await shell.run('sess import .claude/projects')
  expect(
    [
      await shell.type('sess export 3b1f --format opencode --to-agent'),
      await shell.type('sess resume 3b1f --format opencode'),
      await shell.type('sess resume 3b1f --format opencode --run'),
      await shell.type('sess export 3b1f --format dash --to-agent'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess export 3b1f --format opencode --to-agent
    cd /home/ada/tides && opencode import /home/ada/.local/share/opencode/import/ses_2c205553efffMS1GAhJHqTo3AX.json && opencode --session ses_2c205553efffMS1GAhJHqTo3AX
    ! Wrote 12780 bytes to /home/ada/.local/share/opencode/import/ses_2c205553efffMS1GAhJHqTo3AX.json
    ! not written: branch (1)  the format holds one path: this branch is left out: at-1d9fca05
    ! not written: compaction (1)  the compaction keeps other entries, or its text differs: 3449d597a6
    $ sess resume 3b1f --format opencode
    cd /home/ada/tides && opencode import /home/ada/.local/share/opencode/import/ses_2c205553efffMS1GAhJHqTo3AX.json && opencode --session ses_2c205553efffMS1GAhJHqTo3AX
    ! the folder '/home/ada/tides' does not exist; if it moved, say where it is now: sess mv /home/ada/tides NEW
    $ sess resume 3b1f --format opencode --run
    ! the folder '/home/ada/tides' does not exist; if it moved, say where it is now: sess mv /home/ada/tides NEW
    ! sess: the program 'opencode' could not be started
    ! hint: install OpenCode, or check the folder '/home/ada/tides'
    exit 1
    $ sess export 3b1f --format dash --to-agent
    ! sess: there is no file or folder '/home/ada/tides' (the session is of this folder, in which its agent looks)
    ! hint: say where the folder is now: 'sess mv OLD NEW', or write to a file: --out FILE
    exit 1
    "
  `)
})

it('says what to do where the agent has no command, and what no agent goes on with', async () => {
  const shell = new Shell()
  mkdirSync(shell.path('tides'))
  await shell.run('sess import sessions')
  await shell.run('sess mv /home/ada/tides tides')
  expect(
    [
      await shell.type('sess export 3b1f --format dash --to-agent'),
      await shell.type('sess resume 3b1f --format dash'),
      await shell.type('sess resume 3b1f --format dash --json'),
      await shell.type('sess resume 3b1f --format dash --run'),
      await shell.type('sess export 3b1f --format pi-v4 --to-agent'),
    ]
      .join('')
      // The file names the folder, which is a temporary one.
      .replace(/\d+ bytes/, 'N bytes'),
  ).toMatchInlineSnapshot(`
    "$ sess export 3b1f --format dash --to-agent
    ! Wrote N bytes to /home/ada/tides/.godel/sessions/2026-03-30T09-02-11-137Z_sess_37cb7c75.jsonl
    ! not written: thinking (1)  thinking is left out: only its own model accepts it: 79f0d57db6
    ! not written: text (10)  the text is incomplete or differs: e051314713, 9809bbac6b, 8fcd80207e, …
    ! not written: call (5)  the name or the arguments of a tool call differ: e051314713, 9809bbac6b, c29aeb94d4, …
    ! not written: result (5)  the text or the status of a tool result differs: 8fcd80207e, 3803a6b79e, d653b5a988, …
    ! open the file in a program on Dash: SessionTree.open("/home/ada/tides/.godel/sessions/2026-03-30T09-02-11-137Z_sess_37cb7c75.jsonl")
    $ sess resume 3b1f --format dash
    ! open the file in a program on Dash: SessionTree.open("/home/ada/tides/.godel/sessions/2026-03-30T09-02-11-137Z_sess_37cb7c75.jsonl")
    $ sess resume 3b1f --format dash --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","title":"Tide table one hour off","format":"dash","agent":"Dash","id":"sess_37cb7c75","path":"/home/ada/tides/.godel/sessions/2026-03-30T09-02-11-137Z_sess_37cb7c75.jsonl","cwd":"/home/ada/tides","cwdExists":true,"command":[],"opens":"open the file in a program on Dash: SessionTree.open(\\"/home/ada/tides/.godel/sessions/2026-03-30T09-02-11-137Z_sess_37cb7c75.jsonl\\")","upToDate":true}
    $ sess resume 3b1f --format dash --run
    ! sess: the program 'Dash' could not be started (it has no command for a session)
    ! hint: open the file in a program on Dash: SessionTree.open("/home/ada/tides/.godel/sessions/2026-03-30T09-02-11-137Z_sess_37cb7c75.jsonl")
    exit 1
    $ sess export 3b1f --format pi-v4 --to-agent
    ! sess: no known agent resumes '3b1f' (pi's command line reads no version 4: '--format pi')
    ! hint: export it to one that does: 'sess export SESSION --format claude-code --to-agent'
    exit 1
    "
  `)
})

it('does not open a file that does not hold the session any more, and tells how to put it back', async () => {
  const shell = new Shell()
  const path = atHome(shell)
  await shell.run('sess import .claude/projects')
  const text = readFileSync(path, 'utf8')
  const id = '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14'
  writeFileSync(path, `${JSON.stringify({ type: 'mode', mode: 'normal', sessionId: id })}\n`)
  mkdirSync(shell.path('tides'), { recursive: true })
  const steps = ['sess import .claude/projects -n', 'sess import .claude/projects', 'sess resume 3b1f']
  const restore = [`sess export ${id} --to-agent`, `sess export ${id} --to-agent --force`, 'sess resume 3b1f']
  let said = ''
  for (const line of [...steps, ...restore]) said += await shell.type(line)
  expect(said).toMatchInlineSnapshot(`
    "$ sess import .claude/projects -n
    1 file holds no message yet; kept with the session of the same id
    not read: the file of session '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14' (1) in .claude/projects/-home-ada-tides/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl: it no longer begins with what is stored; the 15571 bytes that it had are kept; to put it back: sess export 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 --to-agent --force
    would import 0 files, 0 bytes, 0 sessions: 0 entries in 0 records
    ! dry run: nothing was written
    $ sess import .claude/projects
    1 file holds no message yet; kept with the session of the same id
    not read: the file of session '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14' (1) in .claude/projects/-home-ada-tides/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl: it no longer begins with what is stored; the 15571 bytes that it had are kept; to put it back: sess export 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 --to-agent --force
    0 files, 0 bytes, 0 sessions: 0 entries in 0 records
    $ sess resume 3b1f
    ! sess: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14' is not in the folder of its agent ('/home/ada/.claude/projects/-home-ada-tides/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl' does not hold it any more)
    ! hint: put it back: 'sess export 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 --to-agent --force'
    exit 1
    $ sess export 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 --to-agent
    ! sess: '/home/ada/.claude/projects/-home-ada-tides/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl' exists already
    ! hint: resume it there: 'sess resume 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14'; nothing was overwritten
    exit 1
    $ sess export 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 --to-agent --force
    cd /home/ada/tides && claude --resume 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    ! Wrote 15571 bytes to /home/ada/.claude/projects/-home-ada-tides/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl, replacing 83 bytes
    $ sess resume 3b1f
    cd /home/ada/tides && claude --resume 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    ! the folder '/home/ada/tides' does not exist; if it moved, say where it is now: sess mv /home/ada/tides NEW
    "
  `)
  expect(readFileSync(path, 'utf8')).toBe(text)
  expect((await shell.run('sess ls --json')).stdout.trimEnd().split('\n')).toHaveLength(1)
})
