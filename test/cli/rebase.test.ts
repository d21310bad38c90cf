import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

/*
 * ● ─ ● ─ … ─ c237dd02 ─ … ─ 98c5e71a  main
 *                  └── 1d9fca05 ─ ● ─ ● ─ eeb9681a  at-1d9fca05
 */
it('lets a branch continue another entry', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess rebase -n --session 3b1f main at-1d9fca05'),
      await shell.type('sess rebase --session 3b1f main~2 3b1f/at-1d9fca05'),
      await shell.type('sess log 3b1f/at-1d9fca05 -n 5'),
      await shell.type('sess show 3b1f/at-1d9fca05'),
      await shell.type('sess rebase --session 3b1f main~2 3b1f/at-1d9fca05'),
      await shell.type('sess rebase --session 3b1f main~2 at-1d9fca05 --onto main~4 --json'),
      await shell.type('sess reflog 3b1f/at-1d9fca05'),
      await shell.type('sess undo'),
      await shell.type('sess undo'),
      await shell.type('sess branch 3b1f'),
      await shell.type('sess branch 3b1f old 3b1f~3'),
      await shell.type('sess rebase --session 3b1f main old'),
      await shell.type('sess rebase --session 3b1f main nothing'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess rebase -n --session 3b1f main at-1d9fca05
    would rebase 4 entries onto 98c5e71acd: 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-1d9fca05: eeb9681aa7 -> eaa4a8600c
      1d9fca050b -> 410a69811d
      c29aeb94d4 -> 2a56fed673
      d653b5a988 -> 37b1a93a65
      eeb9681aa7 -> eaa4a8600c
    ! dry run: nothing was written
    $ sess rebase --session 3b1f main~2 3b1f/at-1d9fca05
    Rebased 4 entries onto c15253199e: 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-1d9fca05: eeb9681aa7 -> cab8851554
      1d9fca050b -> 5a30f8c0e4
      c29aeb94d4 -> 857ec4fb43
      d653b5a988 -> 40f49e60e7
      eeb9681aa7 -> cab8851554
    ! go back with: sess undo
    $ sess log 3b1f/at-1d9fca05 -n 5
    cab8851554  2026-05-01 12:02  assistant  (at-1d9fca05) Done with luxon: \`clock\` now converts to Eur…
    40f49e60e7  2026-05-01 12:02  tool       ← added 1 package in 2s
    857ec4fb43  2026-05-01 12:02  assistant  → Bash npm install luxon Install luxon
    5a30f8c0e4  2026-05-01 12:02  user       Fix it with a time zone library, and say which one.
    c15253199e  2026-03-30 09:21  assistant  → Write /home/ada/tides/test/clock.test.js test('03:00 fol…
    $ sess show 3b1f/at-1d9fca05
    entry    cab8851554e77ccde102531e1f79754c1b235597eff33c835554d09e9883939d
    parent   40f49e60e7
    role     assistant  claude/assistant
    time     2026-05-01 12:02
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    branch   at-1d9fca05
    git      main
    from     eeb9681aa7 of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14, by rebase
    model    claude-sonnet-4-5

    Done with luxon: \`clock\` now converts to Europe/Paris.
    It adds one package of 4.4 MB.
    All 12 tests pass.

    before   40f49e60e7  tool  ← added 1 package in 2s
    $ sess rebase --session 3b1f main~2 3b1f/at-1d9fca05
    Up to date with c15253199e: 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-1d9fca05: cab8851554
    $ sess rebase --session 3b1f main~2 at-1d9fca05 --onto main~4 --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","branch":"at-1d9fca05","before":"cab8851554e77ccde102531e1f79754c1b235597eff33c835554d09e9883939d","onto":"8d9c0e3aabd738e9667a480b3e9a90ac6805451b5e3d3b6a94e75298551a7a42","map":[{"from":"5a30f8c0e4d1aa30f864225e11d8b9c8dbf7e3906912fbf3711e9f391840e59a","to":"9a95a6bfb89301eabe54c14b261dc2fd0676f40ed870825a012ffa593db095d3"},{"from":"857ec4fb43cd2c3fdcab5b52a7b43958d7a448a2e6b35e3c143657fab4befa88","to":"640ba86dd979447e61d5ff7ffe3510b96a2ea2448e473df42d933fa0408154e5"},{"from":"40f49e60e7a3b412f35824523cf9826375394347eabc54bddf800bd0089dde14","to":"02994ad5cdfa87392f9ccf4b1b6c9e16a856852eaeede5e2192758dfce31fc1d"},{"from":"cab8851554e77ccde102531e1f79754c1b235597eff33c835554d09e9883939d","to":"1b54521f3f4834dbb616e9fccb5e8341e69c99a1afaee14106903238aed48de8"}],"lost":[],"tip":"1b54521f3f4834dbb616e9fccb5e8341e69c99a1afaee14106903238aed48de8","change":"rebased"}
    $ sess reflog 3b1f/at-1d9fca05
    3b1f/at-1d9fca05@{0}  1b54521f3f  2026-05-01 12:06  sess rebase --session 3b1f main…  Done with lux…
    3b1f/at-1d9fca05@{1}  cab8851554  2026-05-01 12:02  sess rebase --session 3b1f main…  Done with lux…
    3b1f/at-1d9fca05@{2}  eeb9681aa7  2026-05-01 12:00  sess import sessions              Done with lux…
    $ sess undo
    Undid operation 3 (2026-05-01 12:06, 2 minutes ago): sess rebase --session 3b1f main~2 at-1d9fca05 --onto main~4 --json
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: appended entries  8 records -> 4 records
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-1d9fca05  1b54521f3f -> cab8851554
    ! redo it with: sess redo
    $ sess undo
    Undid operation 2 (2026-05-01 12:02, 7 minutes ago): sess rebase --session 3b1f main~2 3b1f/at-1d9fca05
      - 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: appended entries  was 4 records
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-1d9fca05  cab8851554 -> eeb9681aa7
    ! redo it with: sess redo
    $ sess branch 3b1f
      at-1d9fca05  eeb9681aa7
    * main         98c5e71acd
    $ sess branch 3b1f old 3b1f~3
    Created branch old at 044940b6dd
    $ sess rebase --session 3b1f main old
    Fast-forwarded to 98c5e71acd: 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/old: 044940b6dd -> 98c5e71acd
    ! go back with: sess undo
    $ sess rebase --session 3b1f main nothing
    ! sess: no branch is called '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/nothing'
    ! hint: it has at-1d9fca05, main, old; type 'sess branch SESSION' to see its branches
    exit 1
    "
  `)
})
