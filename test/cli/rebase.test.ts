import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

/*
 * ● ─ ● ─ … ─ 4682a27b ─ … ─ 663a5724  main
 *                  └── 4aa71938 ─ ● ─ ● ─ 1b4aafc7  at-4aa71938
 */
it('lets a branch continue another entry', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess rebase -n --session 3b1f main at-4aa71938'),
      await shell.type('sess rebase --session 3b1f main~2 3b1f/at-4aa71938'),
      await shell.type('sess log 3b1f/at-4aa71938 -n 5'),
      await shell.type('sess show 3b1f/at-4aa71938'),
      await shell.type('sess rebase --session 3b1f main~2 3b1f/at-4aa71938'),
      await shell.type('sess rebase --session 3b1f main~2 at-4aa71938 --onto main~4 --json'),
      await shell.type('sess reflog 3b1f/at-4aa71938'),
      await shell.type('sess undo'),
      await shell.type('sess undo'),
      await shell.type('sess branch 3b1f'),
      await shell.type('sess branch 3b1f old 3b1f~3'),
      await shell.type('sess rebase --session 3b1f main old'),
      await shell.type('sess rebase --session 3b1f main nothing'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess rebase -n --session 3b1f main at-4aa71938
    Rebased 4 entries onto 663a572479: 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-4aa71938: 1b4aafc722 -> 175cacbbdd
      4aa719389c -> 48a540a780
      f4045b3d69 -> 46d081312c
      502c74a15f -> e4aa16a844
      1b4aafc722 -> 175cacbbdd
    ! go back with: sess undo
    ! dry run: nothing was written
    $ sess rebase --session 3b1f main~2 3b1f/at-4aa71938
    Rebased 4 entries onto 4d0956023c: 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-4aa71938: 1b4aafc722 -> e18a313467
      4aa719389c -> 52cb54b787
      f4045b3d69 -> f777bb6dbf
      502c74a15f -> 428c52bcdc
      1b4aafc722 -> e18a313467
    ! go back with: sess undo
    $ sess log 3b1f/at-4aa71938 -n 5
    e18a313467  2026-05-01 12:02  assistant  (at-4aa71938) Done with luxon: \`clock\` now converts to Eur…
    428c52bcdc  2026-05-01 12:02  tool       ← added 1 package in 2s
    f777bb6dbf  2026-05-01 12:02  assistant  → Bash npm install luxon Install luxon
    52cb54b787  2026-05-01 12:02  user       Fix it with a time zone library, and say which one.
    4d0956023c  2026-03-30 09:21  assistant  → Write /home/ada/tides/test/clock.test.js test('03:00 fol…
    $ sess show 3b1f/at-4aa71938
    entry    e18a3134671fb24e34b699a4df3ada217e79b9145e2447f49f372ecadf66a49c
    parent   428c52bcdc
    role     assistant  claude/assistant
    time     2026-05-01 12:02
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    branch   at-4aa71938
    from     1b4aafc722 of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14, by rebase
    model    claude-sonnet-4-5
    tokens   14 input, 220 output, 15,420 cache read, 1,830 cache write

    Done with luxon: \`clock\` now converts to Europe/Paris.
    It adds one package of 4.4 MB.
    All 12 tests pass.

    before   428c52bcdc  tool  ← added 1 package in 2s
    $ sess rebase --session 3b1f main~2 3b1f/at-4aa71938
    Up to date with 4d0956023c: 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-4aa71938: e18a313467
    $ sess rebase --session 3b1f main~2 at-4aa71938 --onto main~4 --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","branch":"at-4aa71938","before":"e18a3134671fb24e34b699a4df3ada217e79b9145e2447f49f372ecadf66a49c","onto":"753c6d8420256785167a6010c48b121fb30a4cc7e72b72397aafbceb0060974f","map":[{"from":"52cb54b787877a841412b62ef2967a247e05d425c5042330394bc60b62861ead","to":"0b132ef0d0d09327342865db1dffe2111146c06960cdd404ddb4030d9f88ee9b"},{"from":"f777bb6dbfa65165705bb0fc22e9e79e39e5b2c98d661035dd30afdec662b8df","to":"1c21cc26df2b98d9361e2cedc4fb677022346c0ed63c945f2ea9998ad571fbef"},{"from":"428c52bcdc110ebbc54a0ce724cda2078485c51b8802db5ebe7b10bbc4221a67","to":"1acd69d02e7182288cd2834b98633f203e74b2242479a2a4a9656181a11587fc"},{"from":"e18a3134671fb24e34b699a4df3ada217e79b9145e2447f49f372ecadf66a49c","to":"e002c69a9fda80fc78a095c126c9c49b589a726d5173fcc2e68fe9a753b0f2a0"}],"lost":[],"tip":"e002c69a9fda80fc78a095c126c9c49b589a726d5173fcc2e68fe9a753b0f2a0","change":"rebased"}
    $ sess reflog 3b1f/at-4aa71938
    3b1f/at-4aa71938@{0}  e002c69a9f  2026-05-01 12:06  sess rebase --session 3b1f main…  Done with lux…
    3b1f/at-4aa71938@{1}  e18a313467  2026-05-01 12:02  sess rebase --session 3b1f main…  Done with lux…
    3b1f/at-4aa71938@{2}  1b4aafc722  2026-05-01 12:00  sess import sessions              Done with lux…
    $ sess undo
    Undid operation 3 (2026-05-01 12:06, 2 minutes ago): sess rebase --session 3b1f main~2 at-4aa71938 --onto main~4 --json
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 (native)  8 records -> 4 records
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-4aa71938  e002c69a9f -> e18a313467
    ! redo it with: sess redo
    $ sess undo
    Undid operation 2 (2026-05-01 12:02, 7 minutes ago): sess rebase --session 3b1f main~2 3b1f/at-4aa71938
      - 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 (native)  was 4 records
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-4aa71938  e18a313467 -> 1b4aafc722
    ! redo it with: sess redo
    $ sess branch 3b1f
      at-4aa71938  1b4aafc722
    * main         663a572479
    $ sess branch 3b1f old 3b1f~3
    Made branch old at 43f5ff2872
    $ sess rebase --session 3b1f main old
    Moved forward to 663a572479: 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/old: 43f5ff2872 -> 663a572479
    ! go back with: sess undo
    $ sess rebase --session 3b1f main nothing
    ! sess: no branch is called '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/nothing'
    ! hint: type 'sess branch SESSION' to see its branches
    exit 1
    "
  `)
})
