import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

/*
 * ● ─ ● ─ … ─ c237dd02 ─ … ─ 98c5e71a  main
 *                  └── 1d9fca05 ─ ● ─ ● ─ eeb9681a  at-1d9fca05
 */
it('says entries again at the end of a branch, a tool call with its result', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess log 3b1f/at-1d9fca05 -n 4'),
      await shell.type('sess cherry-pick -n --session 3b1f at-1d9fca05~1'),
      await shell.type('sess cherry-pick --session 3b1f at-1d9fca05~1 at-1d9fca05'),
      await shell.type('sess log 3b1f -n 4'),
      await shell.type('sess show 3b1f'),
      await shell.type('sess cherry-pick --onto 3b1f/main 3b1f/main~3..3b1f/at-1d9fca05 --skip-present'),
      await shell.type('sess cherry-pick --session 3b1f main..at-1d9fca05 --json'),
      await shell.type('sess undo'),
      await shell.type('sess undo'),
      await shell.type('sess log 3b1f -n 1'),
      await shell.type('sess cherry-pick --session 3b1f main...at-1d9fca05'),
      await shell.type('sess cherry-pick --onto 3b1f/nothing 3b1f'),
      await shell.type('sess cherry-pick --session 3b1f nothing'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess log 3b1f/at-1d9fca05 -n 4
    eeb9681aa7  2026-03-30 09:04  assistant  (at-1d9fca05) Done with luxon: \`clock\` now converts to Eur…
    d653b5a988  2026-03-30 09:04  tool       ← added 1 package in 2s
    c29aeb94d4  2026-03-30 09:04  assistant  → Bash npm install luxon Install luxon
    1d9fca050b  2026-03-30 09:04  user       Fix it with a time zone library, and say which one.
    $ sess cherry-pick -n --session 3b1f at-1d9fca05~1
    would pick 2 entries onto 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main: 98c5e71acd -> 600619978d
      c29aeb94d4 -> a9642682e4
      d653b5a988 -> 600619978d
    1 of them came along, to keep tool calls with results
    ! dry run: nothing was written
    $ sess cherry-pick --session 3b1f at-1d9fca05~1 at-1d9fca05
    Picked 3 entries onto 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main: 98c5e71acd -> ebf0579e5a
      c29aeb94d4 -> a9642682e4
      d653b5a988 -> 600619978d
      eeb9681aa7 -> ebf0579e5a
    1 of them came along, to keep tool calls with results
    ! go back with: sess undo
    $ sess log 3b1f -n 4
    ebf0579e5a  2026-05-01 12:03  assistant  (*main) Done with luxon: \`clock\` now converts to Europe/Pa…
    600619978d  2026-05-01 12:03  tool       ← added 1 package in 2s
    a9642682e4  2026-05-01 12:03  assistant  → Bash npm install luxon Install luxon
    98c5e71acd  2026-03-30 09:21  assistant  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes…
    $ sess show 3b1f
    entry    ebf0579e5a20cb402658f9d847b8cce120f934393bf5a8d4bcae0931853ffb1d
    parent   600619978d
    role     assistant  claude/assistant
    time     2026-05-01 12:03
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    branch   main
    git      main
    from     eeb9681aa7 of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14, by cherry-pick
    model    claude-sonnet-4-5

    Done with luxon: \`clock\` now converts to Europe/Paris.
    It adds one package of 4.4 MB.
    All 12 tests pass.

    before   600619978d  tool  ← added 1 package in 2s
    $ sess cherry-pick --onto 3b1f/main 3b1f/main~3..3b1f/at-1d9fca05 --skip-present
    Picked 1 entry onto 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main: ebf0579e5a -> 8de0b1ec56
      1d9fca050b -> 8de0b1ec56
    Skipped 3 entries: already there
    ! go back with: sess undo
    $ sess cherry-pick --session 3b1f main..at-1d9fca05 --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","branch":"main","before":"8de0b1ec5694cc845ae8513b3fa52c14bffb2fc7335fe96f9c2a1b0c158820ed","tip":"6afac45004bdf961d52e0b6199a7b40e373643db483dd9c278ff79ea5c9642b1","map":[{"from":"1d9fca050b76b959a53e50b7927ecb749a866ad80540817aac869a6197d055cb","to":"3e931f95ca53c5a2cd45ed5cf71c9382e0c5ea0c22f3f7f26b6ba0211dbc4bdc"},{"from":"c29aeb94d496d63dc99ece7045ab793aa18c921562fe0f0a04666b8795d3a010","to":"49056402291eb88aa90b3e06a0412fae7ab323f299f5572831726581a588b6f1"},{"from":"d653b5a98811d2d053fd2bb4c5936aa629fab87d7eebf1b17a46f8713878b6eb","to":"7593e73d8c5f019e9fac06451a3251d2beab4d1cd6a6ec26e8316c45a6aa3c1b"},{"from":"eeb9681aa7fcd10088f38ac560f4bea00a4a15cb33232668f9ebd8dc3942b898","to":"6afac45004bdf961d52e0b6199a7b40e373643db483dd9c278ff79ea5c9642b1"}],"lost":[],"along":[],"skipped":[]}
    $ sess undo
    Undid operation 4 (2026-05-01 12:07, 1 minute ago): sess cherry-pick --session 3b1f main..at-1d9fca05 --json
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: appended entries  8 records -> 4 records
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main  6afac45004 -> 8de0b1ec56
    ! redo it with: sess redo
    $ sess undo
    Undid operation 3 (2026-05-01 12:06, 3 minutes ago): sess cherry-pick --onto 3b1f/main 3b1f/main~3..3b1f/at-1d9fca05 --skip-present
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: appended entries  4 records -> 3 records
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main  8de0b1ec56 -> ebf0579e5a
    ! redo it with: sess redo
    $ sess log 3b1f -n 1
    ebf0579e5a  2026-05-01 12:03  assistant  (*main) Done with luxon: \`clock\` now converts to Europe/Pa…
    $ sess cherry-pick --session 3b1f main...at-1d9fca05
    ! sess: 'main...at-1d9fca05' names entries of two sides
    ! hint: use two dots: A..B is what B has and A has not
    exit 2
    $ sess cherry-pick --onto 3b1f/nothing 3b1f
    ! sess: no session or entry is called '3b1f/nothing'
    ! hint: it has at-1d9fca05, main; type 'sess branch 3b1f' to see its branches
    exit 1
    $ sess cherry-pick --session 3b1f nothing
    ! sess: no session or entry is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})
