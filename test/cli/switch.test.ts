import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('makes a session stand elsewhere, and the next append continues from there', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess switch 3b1f/at-1d9fca05'),
      await shell.type('sess append 3b1f --role user', { stdin: ['Which version of luxon?'] }),
      await shell.type('sess log 3b1f -n 2'),
      await shell.type('sess switch --session 3b1f main'),
      await shell.type('sess switch 3b1f~2'),
      await shell.type('sess switch -c earlier 3b1f~3'),
      await shell.type('sess branch 3b1f'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess switch 3b1f/at-1d9fca05
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to branch at-1d9fca05 (eeb9681aa7)
    ! go back with: sess switch --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 main
    $ sess append 3b1f --role user
    50a0fefeda9178e9cec0281b601cd1fd09847894d12ff435f247fdb8f1fd4b89
    $ sess log 3b1f -n 2
    50a0fefeda  2026-05-01 12:02  user       (*at-1d9fca05) Which version of luxon?
    eeb9681aa7  2026-03-30 09:04  assistant  Done with luxon: \`clock\` now converts to Europe/Paris.
    $ sess switch --session 3b1f main
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to branch main (98c5e71acd)
    ! go back with: sess switch --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 at-1d9fca05
    $ sess switch 3b1f~2
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to an entry on no branch (c15253199e)
    ! hint: entries appended here are on no branch; create one with: sess switch -c NAME 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    ! hint: turn this hint off with: sess config hints.detached false
    ! go back with: sess switch --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 main
    $ sess switch -c earlier 3b1f~3
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to branch earlier (3449d597a6)
    ! go back with: sess switch --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 c15253199e9a85a569ee3beaef9e3c9cf2fe08660a21faa86e152fa911b6f5d4
    $ sess branch 3b1f
      at-1d9fca05  50a0fefeda
    * earlier      3449d597a6
      main         98c5e71acd
    "
  `)
})

it('needs a session', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess switch 65c1f1916d'),
      await shell.type('sess switch -c new 65c1f1916d'),
      await shell.type('sess switch -c new --session 3b1f 65c1f1916d --json'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess switch 65c1f1916d
    ! sess: '65c1f1916d' names an entry and no session
    ! hint: name the session too, with --session SESSION
    exit 2
    $ sess switch -c new 65c1f1916d
    ! sess: '65c1f1916d' names an entry and no session
    ! hint: name the session too, with --session SESSION
    exit 2
    $ sess switch -c new --session 3b1f 65c1f1916d --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","head":{"branch":"new"},"tip":"65c1f1916d90a6c1f5bf9bc48b69bec57865bedf19af3d0327a1b63556e37c12","before":{"branch":"main"},"beforeTip":"98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4","folder":"/home/ada"}
    "
  `)
})

it('stands before the first entry, where what is appended begins anew', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess switch --root 3b1f'),
      await shell.type('sess switch --root --session 3b1f --json'),
      await shell.type('sess log 3b1f'),
      await shell.type('sess context 3b1f'),
      await shell.type('sess show 3b1f~1'),
      await shell.type('sess rev-parse 3b1f'),
      await shell.type('sess branch 3b1f try'),
      await shell.type('sess label first --session 3b1f'),
      await shell.type('sess fork 3b1f'),
      await shell.type('sess log 3b1f/main -n 1'),
      await shell.type('sess log 3b1f --all -n 1'),
      await shell.type('sess tree 3b1f'),
      await shell.type('sess tree'),
      await shell.type('sess reflog 3b1f'),
      await shell.type("sess for-each-ref '**/HEAD'"),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess switch --root 3b1f
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to before the first entry
    ! hint: entries appended here are on no branch; create one with: sess switch -c NAME --root 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    ! hint: turn this hint off with: sess config hints.detached false
    ! go back with: sess switch --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 main
    $ sess switch --root --session 3b1f --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","head":{"oid":null},"tip":null,"before":{"oid":null},"beforeTip":null,"folder":"/home/ada"}
    $ sess log 3b1f
    ! sess: the session '3b1f' is before its first entry
    ! hint: type 'sess append 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14' to continue there, or name one of its branches: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main'
    exit 1
    $ sess context 3b1f
    0 messages, 0 tokens
    $ sess show 3b1f~1
    ! sess: the session '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14' is before its first entry
    ! hint: type 'sess append 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14' to continue there, or name one of its branches: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main'
    exit 1
    $ sess rev-parse 3b1f
    ! sess: the session '3b1f' is before its first entry
    ! hint: type 'sess append 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14' to continue there, or name one of its branches: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main'
    exit 1
    $ sess branch 3b1f try
    ! sess: the session '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14' is before its first entry
    ! hint: say where: 'sess branch 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 try START', or begin it with 'sess switch --root -c try 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14'
    exit 1
    $ sess label first --session 3b1f
    ! sess: the session '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14' is before its first entry
    ! hint: type 'sess append 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14' to continue there, or name one of its branches: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main'
    exit 1
    $ sess fork 3b1f
    ! sess: the session '3b1f' is before its first entry
    ! hint: type 'sess append 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14' to continue there, or name one of its branches: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main'
    exit 1
    $ sess log 3b1f/main -n 1
    98c5e71acd  2026-03-30 09:21  assistant  (main) Added \`test/clock.test.js\`: 03:00 follows 01:59. It…
    $ sess log 3b1f --all -n 1
    98c5e71acd  2026-03-30 09:21  assistant  (main) Added \`test/clock.test.js\`: 03:00 follows 01:59. It…
    $ sess tree 3b1f
    ○  98c5e71a [main]  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it fails with t…
    :  2 entries, 1 tool, 76 tok
    ●  044940b6  Add a test for the night when the clocks change.
    ●  8d9c0e3a  This session is continued from one that ran out of context. The tide table of Saint-Ma…
    ◆  3449d597  [compaction]
    :  3 entries, 1 tool, 135 tok
    ●  65c1f191  Fix it without a time zone library, and say what it costs.
    │ ○  eeb9681a [at-1d9fca05]  Done with luxon: \`clock\` now converts to Europe/Paris.
    │ :  2 entries, 1 tool, 23 tok
    │ ●  1d9fca05  Fix it with a time zone library, and say which one.
    ├─╯
    ○  c237dd02  \`src/format.js\` adds a fixed offset of 60 minutes to UTC. In summer France is 120 minu…
    :  6 entries, 2 tools, 140 tok
    ●  509744c0  The tide table for Saint-Malo is one hour off since Sunday. Find out why.
    $ sess tree
    ○  98c5e71a [main]  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it fails with t…
    :  2 entries, 1 tool, 76 tok
    ●  044940b6  Add a test for the night when the clocks change.
    ●  8d9c0e3a  This session is continued from one that ran out of context. The tide table of Saint-Ma…
    ◆  3449d597  [compaction]
    :  3 entries, 1 tool, 135 tok
    ●  65c1f191  Fix it without a time zone library, and say what it costs.
    │ ○  eeb9681a [at-1d9fca05]  Done with luxon: \`clock\` now converts to Europe/Paris.
    │ :  2 entries, 1 tool, 23 tok
    │ ●  1d9fca05  Fix it with a time zone library, and say which one.
    ├─╯
    ○  c237dd02  \`src/format.js\` adds a fixed offset of 60 minutes to UTC. In summer France is 120 minu…
    :  6 entries, 2 tools, 140 tok
    ●  509744c0  The tide table for Saint-Malo is one hour off since Sunday. Find out why.
    $ sess reflog 3b1f
    3b1f/HEAD@{0}  (root)      2026-05-01 12:01  sess switch --root 3b1f
    $ sess for-each-ref '**/HEAD'
    root: HEAD	sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/HEAD
    "
  `)
  expect(
    [
      await shell.type('sess append 3b1f --role user', { stdin: ['Another thing.'] }),
      await shell.type('sess log 3b1f'),
      await shell.type('sess undo'),
      await shell.type('sess undo'),
      await shell.type('sess reflog 3b1f/HEAD'),
      await shell.type('sess switch --root -c other 3b1f'),
      await shell.type('sess append 3b1f --role user', { stdin: ['Another thing.'] }),
      await shell.type('sess branch 3b1f'),
      await shell.type('sess switch --root -c main 3b1f'),
      await shell.type('sess switch --root --session 3b1f 3b1f~1'),
      await shell.type('sess switch'),
      await shell.type('sess update-ref sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/HEAD root: --json'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess append 3b1f --role user
    08065975e2c0b3065e16c8c5bc11490ec2f011a392a62c9449f9d8812dc934ae
    $ sess log 3b1f
    08065975e2  2026-05-01 12:16  user       Another thing.
    $ sess undo
    Undid operation 3 (2026-05-01 12:16, 2 minutes ago): sess append 3b1f --role user
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/HEAD  08065975e2 -> before the first entry
      - 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: appended entries  was 1 record
    ! redo it with: sess redo
    $ sess undo
    Undid operation 2 (2026-05-01 12:01, 18 minutes ago): sess switch --root 3b1f
      - 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/HEAD  was before the first entry
      - current session in /home/ada  was 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    ! redo it with: sess redo
    $ sess reflog 3b1f/HEAD
    3b1f/HEAD@{0}  (removed)   2026-05-01 12:19  sess undo
    3b1f/HEAD@{1}  (root)      2026-05-01 12:18  sess undo
    3b1f/HEAD@{2}  08065975e2  2026-05-01 12:16  sess append 3b1f --role user      Another thing.
    3b1f/HEAD@{3}  (root)      2026-05-01 12:01  sess switch --root 3b1f
    $ sess switch --root -c other 3b1f
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to branch other (no entry yet)
    ! go back with: sess switch --session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 main
    $ sess append 3b1f --role user
    08065975e2c0b3065e16c8c5bc11490ec2f011a392a62c9449f9d8812dc934ae
    $ sess branch 3b1f
      at-1d9fca05  eeb9681aa7
      main         98c5e71acd
    * other        08065975e2
    $ sess switch --root -c main 3b1f
    ! sess: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main' exists already
    ! hint: choose another name; nothing was changed
    exit 1
    $ sess switch --root --session 3b1f 3b1f~1
    ! sess: --root takes one session
    ! hint: type 'sess help switch' to see how it is used
    exit 2
    $ sess switch
    ! sess: no revision was named
    ! hint: type 'sess help switch' to see how it is used
    exit 2
    $ sess update-ref sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/HEAD root: --json
    {"name":"sessions/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/HEAD","old":"ref:other","new":"root:"}
    "
  `)
})
