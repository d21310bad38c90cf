import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('goes back on the path, leaving a summary, and undo takes it back', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess pop 3b1f --summary "A test was added."'),
      await shell.type('sess log 3b1f -n 2'),
      await shell.type('sess branch 3b1f'),
      await shell.type('sess pop 3b1f~4 --summary "It was off by one hour." --label tried --json'),
      await shell.type('sess log 3b1f -n 1'),
      await shell.type('sess pop --root --session 3b1f --summary "All of it."'),
      await shell.type('sess pop 3b1f'),
      await shell.type('sess undo'),
      await shell.type('sess undo'),
      await shell.type('sess undo'),
      await shell.type('sess branch 3b1f'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess pop 3b1f --summary "A test was added."
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to branch main (64b261a995) (was 98c5e71acd)
    Left 4 entries, on the new branch at-044940b6, with a summary
    To send again:
        Add a test for the night when the clocks change.
    ! go back with: sess undo
    $ sess log 3b1f -n 2
    64b261a995  2026-05-01 12:01  -          (*main) [summary]  A test was added.
    8d9c0e3aab  2026-03-30 09:20  user       This session is continued from one that ran out of context…
    $ sess branch 3b1f
      at-044940b6  98c5e71acd
      at-1d9fca05  eeb9681aa7
    * main         64b261a995
    $ sess pop 3b1f~4 --summary "It was off by one hour." --label tried --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","cancelled":false,"aborted":false,"head":{"branch":"main"},"tip":"88e245701756e89d34371f2b289c7b7d76bbe3d5b220bbe82879eb6bc67e9473","before":{"branch":"main"},"beforeTip":"64b261a9952a6c29778084de42396b35b365e87432fbe99b1a446cdf0f1e4237","commonAncestor":"cc9b4f9693e1328196a771a1c8882c258bce2970fb392b24d565e890f196c518","abandoned":4,"kept":"at-64b261a9","text":null,"summary":"88e245701756e89d34371f2b289c7b7d76bbe3d5b220bbe82879eb6bc67e9473"}
    $ sess log 3b1f -n 1
    88e2457017  2026-05-01 12:04  -          (*main, label: tried) [summary]  It was off by one hour.
    $ sess pop --root --session 3b1f --summary "All of it."
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to branch main (4c034463f3) (was 88e2457017)
    Left 12 entries, on the new branch at-88e24570, with a summary
    ! go back with: sess undo
    $ sess pop 3b1f
    ! sess: the path of '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14' has no message of the user
    ! hint: name an entry to return to: 'sess pop REVISION', or 'sess pop --root' for the position before the first
    exit 1
    $ sess undo
    Undid operation 4 (2026-05-01 12:06, 2 minutes ago): sess pop --root --session 3b1f --summary 'All of it.'
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: appended entries  3 records -> 2 records
      - 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-88e24570  was 88e2457017
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main  4c034463f3 -> 88e2457017
    ! redo it with: sess redo
    $ sess undo
    Undid operation 3 (2026-05-01 12:04, 5 minutes ago): sess pop 3b1f~4 --summary 'It was off by one hour.' --label tried --json
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: appended entries  2 records -> 1 record
      - 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-64b261a9  was 64b261a995
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main  88e2457017 -> 64b261a995
      - 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/tried  was 88e2457017
    ! redo it with: sess redo
    $ sess undo
    Undid operation 2 (2026-05-01 12:01, 9 minutes ago): sess pop 3b1f --summary 'A test was added.'
      - 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: appended entries  was 1 record
      - 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-044940b6  was 98c5e71acd
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main  64b261a995 -> 98c5e71acd
    ! redo it with: sess redo
    $ sess branch 3b1f
      at-1d9fca05  eeb9681aa7
    * main         98c5e71acd
    "
  `)
})

it('makes a digest without a model, and writes nothing in a dry run', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess pop 3b1f -n'),
      await shell.type('sess pop 3b1f'),
      await shell.type('sess show 3b1f'),
      await shell.type('sess tree 3b1f'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess pop 3b1f -n
    would switch session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to branch main (ffc866901c) (was 98c5e71acd)
    would leave 4 entries, on the new branch at-044940b6, with a summary
    To send again:
        Add a test for the night when the clocks change.
    ! dry run: nothing was written
    $ sess pop 3b1f
    Switched session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to branch main (ffc866901c) (was 98c5e71acd)
    Left 4 entries, on the new branch at-044940b6, with a summary
    To send again:
        Add a test for the night when the clocks change.
    ! go back with: sess undo
    $ sess show 3b1f
    entry    ffc866901c2f744ba70d3d63bb467119387bec33795a97f22b05861ac8fe2791
    parent   8d9c0e3aab
    role     -  sess/branch_summary
    time     2026-05-01 12:02
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    branch   main
    git      main

    summary of another path
    ## Goal
    Add a test for the night when the clocks change.

    ## What the user asked (1)
    1. Add a test for the night when the clocks change.

    ## Files changed (1)
    - /home/ada/tides/test/clock.test.js

    ## Where it stood
    The agent said last:

    > Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it fails with the old \`clock\`.

    before   8d9c0e3aab  user  This session is continued from one that ran out of context. The tide tab…
    $ sess tree 3b1f
    @  ffc86690 [main*]  [summary]  ## Goal
    │ ○  98c5e71a [at-044940b6]  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it fai…
    │ :  2 entries, 1 tool, 76 tok
    │ ●  044940b6  Add a test for the night when the clocks change.
    ├─╯
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
    "
  `)
})

it('refuses what is not on the path, and where nothing was asked', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess pop 3b1f/at-1d9fca05 --session 3b1f'),
      await shell.type('sess pop 3b1f --label "a b/../c"'),
      await shell.type('sess append --new --title Talk', {
        stdin: ['{"body":{"role":"assistant","content":"Hi"}}'],
      }),
      await shell.type('sess switch Talk/main'),
      await shell.type('sess pop'),
      await shell.type('sess switch --root'),
      await shell.type('sess pop'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess pop 3b1f/at-1d9fca05 --session 3b1f
    ! sess: there is no entry '3b1f/at-1d9fca05' (it is not on the path that 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 stands on)
    ! hint: go there with 'sess navigate --digest 3b1f/at-1d9fca05'; nothing was changed
    exit 1
    $ sess pop 3b1f --label "a b/../c"
    ! sess: 'a b/../c' cannot be a name
    ! hint: use letters and digits, with spaces and . _ - + @ / between them; at most 200 characters
    exit 1
    $ sess append --new --title Talk
    019de36b-b520-7617-9819-1a1b1c1d1e1f
    50965048c1e8e32211540ee97c45b6094483d5de1daca33cef91916b956955fe
    $ sess switch Talk/main
    Switched session 019de36b-b520-7617-9819-1a1b1c1d1e1f to branch main (50965048c1)
    $ sess pop
    ! sess: the path of '019de36b-b520-7617-9819-1a1b1c1d1e1f' has no message of the user
    ! hint: name an entry to return to: 'sess pop REVISION', or 'sess pop --root' for the position before the first
    exit 1
    $ sess switch --root
    Switched session 019de36b-b520-7617-9819-1a1b1c1d1e1f to before the first entry
    ! hint: entries appended here are on no branch; create one with: sess switch -c NAME --root 019de36b-b520-7617-9819-1a1b1c1d1e1f
    ! hint: turn this hint off with: sess config hints.detached false
    ! go back with: sess switch --session 019de36b-b520-7617-9819-1a1b1c1d1e1f main
    $ sess pop
    ! sess: the session '019de36b-b520-7617-9819-1a1b1c1d1e1f' is before its first entry
    ! hint: type 'sess append 019de36b-b520-7617-9819-1a1b1c1d1e1f' to continue there, or name one of its branches: '019de36b-b520-7617-9819-1a1b1c1d1e1f/main'
    exit 1
    "
  `)
})
