import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

/*
 * ● ─ ● ─ … ─ 4682a27b ─ … ─ 663a5724  main
 *                  └── 4aa71938 ─ ● ─ ● ─ 1b4aafc7  at-4aa71938
 */
it('says entries again at the end of a branch, a tool call with its result', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess log 3b1f/at-4aa71938 -n 4'),
      await shell.type('sess cherry-pick -n --session 3b1f at-4aa71938~1'),
      await shell.type('sess cherry-pick --session 3b1f at-4aa71938~1 at-4aa71938'),
      await shell.type('sess log 3b1f -n 4'),
      await shell.type('sess show 3b1f'),
      await shell.type('sess cherry-pick --onto 3b1f/main 3b1f/main~3..3b1f/at-4aa71938 --skip-present'),
      await shell.type('sess cherry-pick --session 3b1f main..at-4aa71938 --json'),
      await shell.type('sess undo'),
      await shell.type('sess undo'),
      await shell.type('sess log 3b1f -n 1'),
      await shell.type('sess cherry-pick --session 3b1f main...at-4aa71938'),
      await shell.type('sess cherry-pick --onto 3b1f/nothing 3b1f'),
      await shell.type('sess cherry-pick --session 3b1f nothing'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess log 3b1f/at-4aa71938 -n 4
    1b4aafc722  2026-03-30 09:04  assistant  (at-4aa71938) Done with luxon: \`clock\` now converts to Eur…
    502c74a15f  2026-03-30 09:04  tool       ← added 1 package in 2s
    f4045b3d69  2026-03-30 09:04  assistant  → Bash npm install luxon Install luxon
    4aa719389c  2026-03-30 09:04  user       Fix it with a time zone library, and say which one.
    $ sess cherry-pick -n --session 3b1f at-4aa71938~1
    Picked 2 entries onto 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main: 663a572479 -> 517e9d91ac
      f4045b3d69 -> 5f47872374
      502c74a15f -> 517e9d91ac
    1 of them came along, to keep tool calls with results
    ! go back with: sess undo
    ! dry run: nothing was written
    $ sess cherry-pick --session 3b1f at-4aa71938~1 at-4aa71938
    Picked 3 entries onto 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main: 663a572479 -> 0b13c999cb
      f4045b3d69 -> 5f47872374
      502c74a15f -> 517e9d91ac
      1b4aafc722 -> 0b13c999cb
    1 of them came along, to keep tool calls with results
    ! go back with: sess undo
    $ sess log 3b1f -n 4
    0b13c999cb  2026-05-01 12:03  assistant  (*main) Done with luxon: \`clock\` now converts to Europe/Pa…
    517e9d91ac  2026-05-01 12:03  tool       ← added 1 package in 2s
    5f47872374  2026-05-01 12:03  assistant  → Bash npm install luxon Install luxon
    663a572479  2026-03-30 09:21  assistant  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes…
    $ sess show 3b1f
    entry    0b13c999cbd7ddeaf664f14e24949fffc394c08f22399daa24483de73e1a5190
    parent   517e9d91ac
    role     assistant  claude/assistant
    time     2026-05-01 12:03
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    branch   main
    from     1b4aafc722 of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14, by cherry-pick
    model    claude-sonnet-4-5
    tokens   14 input, 220 output, 15,420 cache read, 1,830 cache write

    Done with luxon: \`clock\` now converts to Europe/Paris.
    It adds one package of 4.4 MB.
    All 12 tests pass.

    before   517e9d91ac  tool  ← added 1 package in 2s
    $ sess cherry-pick --onto 3b1f/main 3b1f/main~3..3b1f/at-4aa71938 --skip-present
    Picked 1 entry onto 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main: 0b13c999cb -> e18e43006b
      4aa719389c -> e18e43006b
    Left out 3 entries: there already
    ! go back with: sess undo
    $ sess cherry-pick --session 3b1f main..at-4aa71938 --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","branch":"main","before":"e18e43006b8a1a85a86d59808bc9079578ea56262d76ac36d5d2cbae4feb7ff1","tip":"09c6ad9eebd762cca77050267b3e6af53907a9457f9d5bc9f1fef81848d88996","map":[{"from":"4aa719389caa3163916f503ebfe356fd9900eef6c0aeb216d4b820a5b9445771","to":"128c12eb8d29e225315b4a9f43e80d3776f8ed032ed99438c6225458cbff403f"},{"from":"f4045b3d69a7c207e5dd911be045f3ea2bed1a9d6512b9766044e723bcd22108","to":"573b976ea26a063b78da643622ba2da89303108b6f02a04e2d074cbc82d95aaa"},{"from":"502c74a15fd78996c981cac5b606ee2cb51aff145c27f1b2322230cbbf8ba672","to":"e6e909126f567c41755d848c196312b9747daae890a319c832a901bee12543f3"},{"from":"1b4aafc722616532fbb1f6e7df06e60cf54aef0b632169b5f0b8e8baf699397d","to":"09c6ad9eebd762cca77050267b3e6af53907a9457f9d5bc9f1fef81848d88996"}],"lost":[],"along":[],"skipped":[]}
    $ sess undo
    Undid operation 4 (2026-05-01 12:07, 1 minute ago): sess cherry-pick --session 3b1f main..at-4aa71938 --json
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 (native)  8 records -> 4 records
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main  09c6ad9eeb -> e18e43006b
    ! redo it with: sess redo
    $ sess undo
    Undid operation 3 (2026-05-01 12:06, 3 minutes ago): sess cherry-pick --onto 3b1f/main 3b1f/main~3..3b1f/at-4aa71938 --skip-present
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 (native)  4 records -> 3 records
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main  e18e43006b -> 0b13c999cb
    ! redo it with: sess redo
    $ sess log 3b1f -n 1
    0b13c999cb  2026-05-01 12:03  assistant  (*main) Done with luxon: \`clock\` now converts to Europe/Pa…
    $ sess cherry-pick --session 3b1f main...at-4aa71938
    ! sess: 'main...at-4aa71938' names entries of two sides
    ! hint: use two dots: A..B is what B has and A has not
    exit 2
    $ sess cherry-pick --onto 3b1f/nothing 3b1f
    ! sess: no session or entry is called '3b1f/nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    $ sess cherry-pick --session 3b1f nothing
    ! sess: no session or entry is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})
