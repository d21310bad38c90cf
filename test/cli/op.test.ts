import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'
import { typed } from '../support/typed.ts'

/** A session that was imported, branched, switched. */
async function shellWithBranch(): Promise<Shell> {
  const shell = new Shell()
  await shell.run('sess import sessions/claude')
  await shell.run('sess branch 3b1f try 3b1f~7')
  await shell.run('sess switch 3b1f/try')
  return shell
}

it('lists and shows operations', async () => {
  const shell = await shellWithBranch()
  expect(
    await typed(
      shell,
      'sess op log',
      'sess op log -n 1 --json',
      'sess op show 1',
      'sess op show 3',
      'sess op show 2 --json',
    ),
  ).toMatchInlineSnapshot(`
    "$ sess op log
    3  <id>  2026-05-01 12:02  ada@engine  sess switch 3b1f/try  (2 refs)
    2  <id>  2026-05-01 12:01  ada@engine  sess branch 3b1f try 3b1f~7  (1 ref)
    1  <id>  2026-05-01 12:00  ada@engine  sess import sessions/claude  (7 refs)
    $ sess op log -n 1 --json
    {"number":3,"id":"<id>","time":"2026-05-01T12:02:00.000Z","who":"ada@engine","actor":"person","command":"sess switch 3b1f/try","refs":2,"open":false,"turn":null,"undoneBy":null,"cursor":"WyJvcGVyYXRpb24iLDNd"}
    $ sess op show 1
    operation 1 (2026-05-01 12:00, 5 minutes ago): sess import sessions/claude
      id <id>, by ada@engine
      + 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: its source  25 records
      + session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14  "Tide table one hour off"
      + 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main  98c5e71acd
      + 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-1d9fca05  eeb9681aa7
      + c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e: its source  17 records
      + session c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e  "Tide table one hour off (fork)"
      + c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e/main  732cfba3f3
    $ sess op show 3
    operation 3 (2026-05-01 12:02, 4 minutes ago): sess switch 3b1f/try
      id <id>, by ada@engine
      + 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/HEAD  branch try
      + current session in /home/ada  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    $ sess op show 2 --json
    {"number":2,"id":"<id>","time":"2026-05-01T12:01:00.000Z","who":"ada@engine","actor":"person","command":"sess branch 3b1f try 3b1f~7","refs":1,"open":false,"turn":null,"undoneBy":null,"moves":[{"name":"sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/branches/try","old":null,"new":"cc9b4f9693e1328196a771a1c8882c258bce2970fb392b24d565e890f196c518"}]}
    "
  `)
})

it('goes back to an operation, to a time and to the beginning', async () => {
  const shell = await shellWithBranch()
  expect(
    await typed(
      shell,
      'sess op restore 2',
      'sess op restore 2',
      'sess op restore 0',
      'sess ls',
      'sess undo',
      'sess op restore 2026-05-01T12:01 --session 3b1f',
      'sess op restore 4 --json',
      'sess op log',
    ),
  ).toMatchInlineSnapshot(`
    "$ sess op restore 2
    Restored 2 refs to operation 2
      - current session in /home/ada  was 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
      - 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/HEAD  was branch try
    ! go back with: sess undo
    $ sess op restore 2
    Nothing to restore: all is as it was after operation 2
    $ sess op restore 0
    Restored 8 refs to the beginning
      - session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14  "Tide table one hour off"
      - session c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e  "Tide table one hour off (fork)"
    ! go back with: sess undo
    $ sess ls
    ! no sessions yet: type 'sess import' to import those of the agents on this machine
    $ sess undo
    Undid operation 5 (2026-05-01 12:05, 2 minutes ago): sess op restore 0
      + session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14  "Tide table one hour off"
      + session c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e  "Tide table one hour off (fork)"
    ! redo it with: sess redo
    $ sess op restore 2026-05-01T12:01 --session 3b1f
    Nothing to restore: all is as it was after operation 2
    $ sess op restore 4 --json
    {"operation":4,"by":null,"moves":[]}
    $ sess op log
    6  <id>  2026-05-01 12:07  ada@engine  sess undo  (8 refs, undid 5)
    5  <id>  2026-05-01 12:05  ada@engine  sess op restore 0  (8 refs, restored 0, undone by 6)
    4  <id>  2026-05-01 12:03  ada@engine  sess op restore 2  (2 refs, restored 2)
    3  <id>  2026-05-01 12:02  ada@engine  sess switch 3b1f/try  (2 refs)
    2  <id>  2026-05-01 12:01  ada@engine  sess branch 3b1f try 3b1f~7  (1 ref)
    1  <id>  2026-05-01 12:00  ada@engine  sess import sessions/claude  (7 refs)
    "
  `)
})

it('refuses what names no operation, or several', async () => {
  const shell = await shellWithBranch()
  expect(
    await typed(
      shell,
      'sess op show 17',
      'sess op show 0',
      'sess op show',
      'sess op log 3',
      'sess op restore last week',
      'sess op lgo',
    ),
  ).toMatchInlineSnapshot(`
    "$ sess op show 17
    ! sess: there is no operation '17' (the newest is 3)
    ! hint: type 'sess op log' to see the operations
    exit 1
    $ sess op show 0
    ! sess: there is no operation '0' (the newest is 3)
    ! hint: type 'sess op log' to see the operations
    exit 1
    $ sess op show
    ! sess: 'op show' needs a <operation>
    ! hint: type 'sess op show OPERATION', or 'sess help op show' to see how it is used
    exit 2
    $ sess op log 3
    ! sess: 'op log' takes no arguments, not 1
    ! hint: type 'sess op log', or 'sess help op log' to see how it is used
    exit 2
    $ sess op restore last week
    ! sess: 'op restore' takes 1 argument, not 2
    ! hint: type 'sess op restore OPERATION', or 'sess help op restore' to see how it is used
    exit 2
    $ sess op lgo
    ! sess: unknown command 'lgo'
    ! hint: did you mean 'log'? there are 'sess op log', 'sess op show', 'sess op restore': type 'sess help op' to see how it is used
    exit 2
    "
  `)
})

it('knows an operation by the beginning of its id', async () => {
  const shell = await shellWithBranch()
  const { stdout } = await shell.run('sess op show 3 --json')
  const { id } = JSON.parse(stdout) as { readonly id: string }
  expect((await shell.run(`sess op show ${id.slice(0, 12)} --json`)).stdout).toBe(stdout)
})

it('lets every reader look back', async () => {
  const shell = await shellWithBranch()
  await shell.run('sess append 3b1f --role user', { stdin: ['What now?'] })
  await shell.run('sess import sessions/pi')
  expect(
    await typed(
      shell,
      'sess ls --at-op 1',
      'sess branch 3b1f --at-op 1',
      'sess log 3b1f -n 1 --at-op 3',
      'sess log 3b1f -n 1 --at-op 2026-05-01T12:03:30',
      'sess rev-parse 3b1f/try 3b1f/try@{1} --at-op 4',
      'sess fsck --at-op 4',
      'sess op log --at-op 2',
      'sess reflog 3b1f/try --at-op 4',
      'sess show 3b1f/try --at-op 1',
      'sess switch 3b1f/main --at-op 1',
      'sess undo --at-op 3',
      'sess ls --at-op 2026-01-01',
      'sess ls --at-op nonsense',
    ),
  ).toMatchInlineSnapshot(`
    "$ sess ls --at-op 1
    SESSION      UPDATED  ENTRIES  AGENT        PROJECT  BRANCH  TOKENS    COST  TITLE
    c7d02e95  2026-03-30       16  claude-code  tides              105k  ~$0.09  Tide table one hour off (fork)
    3b1f6a20  2026-03-30       22  claude-code  tides        +1    140k  ~$0.12  Tide table one hour off
    $ sess branch 3b1f --at-op 1
      at-1d9fca05  eeb9681aa7
    * main         98c5e71acd
    $ sess log 3b1f -n 1 --at-op 3
    cc9b4f9693  2026-03-30 09:06  tool       (*try) ← The file /home/ada/tides/src/format.js has been u…
    $ sess log 3b1f -n 1 --at-op 2026-05-01T12:03:30
    35d1c3e64c  2026-05-01 12:03  user       (*try) What now?
    $ sess rev-parse 3b1f/try 3b1f/try@{1} --at-op 4
    35d1c3e64c6f463fb28a9d43f319b9d62d4af1f6ca3c890a9f38c3358c4165dd
    cc9b4f9693e1328196a771a1c8882c258bce2970fb392b24d565e890f196c518
    $ sess fsck --at-op 4
    all is well: 42 entries, 2 sessions, 43 records, 4 operations
    $ sess op log --at-op 2
    2  <id>  2026-05-01 12:01  ada@engine  sess branch 3b1f try 3b1f~7  (1 ref)
    1  <id>  2026-05-01 12:00  ada@engine  sess import sessions/claude  (7 refs)
    $ sess reflog 3b1f/try --at-op 4
    3b1f/try@{0}  35d1c3e64c  2026-05-01 12:03  sess append 3b1f --role user      What now?
    3b1f/try@{1}  cc9b4f9693  2026-05-01 12:01  sess branch 3b1f try 3b1f~7       ← The file /home/ada/…
    $ sess show 3b1f/try --at-op 1
    ! sess: no session or entry is called '3b1f/try'
    ! hint: it has at-1d9fca05, main; type 'sess branch 3b1f' to see its branches
    exit 1
    $ sess switch 3b1f/main --at-op 1
    ! sess: the store is open as it was at '1' and cannot be changed
    ! hint: leave out --at-op to change the current state, or restore that state first: 'sess op restore OP'
    exit 1
    $ sess undo --at-op 3
    ! sess: the store is open as it was at '3' and cannot be changed
    ! hint: leave out --at-op to change the current state, or restore that state first: 'sess op restore OP'
    exit 1
    $ sess ls --at-op 2026-01-01
    ! no sessions yet: type 'sess import' to import those of the agents on this machine
    $ sess ls --at-op nonsense
    ! sess: there is no operation 'nonsense' (the newest is 5)
    ! hint: type 'sess op log' to see the operations
    exit 1
    "
  `)
  const { stdout } = await shell.run('sess stats --at-op 1 --json')
  expect(JSON.parse(stdout)).toMatchObject({ sessions: 2, records: 42 })
})

it('refuses to restore a time before the first operation, which would remove every session', async () => {
  const shell = await shellWithBranch()
  expect(await typed(shell, 'sess op restore yesterday', 'sess op restore 0 -n')).toMatchInlineSnapshot(`
    "$ sess op restore yesterday
    ! sess: there is no operation 'yesterday' (the oldest is operation 1, of 2026-05-01T12:00:00.000Z)
    ! hint: name an operation or a later time, or 0 for the state before the first operation
    exit 1
    $ sess op restore 0 -n
    would restore 10 refs to the beginning
      - current session in /home/ada  was 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
      - session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14  "Tide table one hour off"
      - session c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e  "Tide table one hour off (fork)"
    ! dry run: nothing was written
    "
  `)
})
