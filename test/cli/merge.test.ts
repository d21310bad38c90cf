import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

/*
 * ● ─ ● ─ … ─ c237dd02 ─ … ─ 98c5e71a ─ ◆  main
 *                  └── 1d9fca05 ─ … ───┘   at-1d9fca05
 */
it('brings what another branch has said to a branch', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess merge -n --session 3b1f at-1d9fca05 --ff-only'),
      await shell.type('sess merge --session 3b1f at-1d9fca05'),
      await shell.type('sess show 3b1f'),
      await shell.type('sess tree 3b1f'),
      await shell.type('sess log 3b1f -n 3'),
      await shell.type('sess merge 3b1f/at-1d9fca05 --into 3b1f/main'),
      await shell.type('sess merge --session 3b1f main --into at-1d9fca05 --json'),
      await shell.type('sess undo'),
      await shell.type('sess undo'),
      await shell.type(
        'sess merge --session 3b1f at-1d9fca05 --summary "luxon works too, but weighs 4.4 MB"',
      ),
      await shell.type('sess show 3b1f'),
      await shell.type('sess merge 3b1f/at-1d9fca05 --into 3b1f/main --ff-only --no-ff'),
      await shell.type('sess merge 3b1f/at-1d9fca05 --into 3b1f/none'),
      await shell.type('sess switch -c try 019d3f52~2'),
      await shell.type('sess merge 019d4e07 --into 019d3f52/try'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess merge -n --session 3b1f at-1d9fca05 --ff-only
    ! sess: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main' has entries that the other side lacks: it cannot be fast-forwarded
    ! hint: leave out --ff-only to make an entry that merges both, or rebase one of them first
    exit 1
    $ sess merge --session 3b1f at-1d9fca05
    Merged 4 entries of eeb9681aa7: 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main: 98c5e71acd -> 9a01bae56d
    ! go back with: sess undo
    $ sess show 3b1f
    entry    9a01bae56df25dc0234d0f58a9886aea681c5e2c616815244338655ca00f524f
    parent   98c5e71acd, eeb9681aa7
    role     -  sess/merge
    time     2026-05-01 12:02
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    branch   main
    git      main
    from     eeb9681aa7 of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14, by merge

    merges the entries of 'at-1d9fca05'

    before   98c5e71acd  assistant  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it…
    $ sess tree 3b1f
    @  9a01bae5 [main*]  [merge]  at-1d9fca05
    ├─╮
    : │  3 entries, 1 tool, 100 tok
    ● │  044940b6  Add a test for the night when the clocks change.
    ● │  8d9c0e3a  This session is continued from one that ran out of context. The tide table of Saint-…
    ◆ │  3449d597  [compaction]
    : │  3 entries, 1 tool, 135 tok
    ● │  65c1f191  Fix it without a time zone library, and say what it costs.
    │ ○  eeb9681a [at-1d9fca05]  Done with luxon: \`clock\` now converts to Europe/Paris.
    │ :  2 entries, 1 tool, 23 tok
    │ ●  1d9fca05  Fix it with a time zone library, and say which one.
    ├─╯
    ○  c237dd02  \`src/format.js\` adds a fixed offset of 60 minutes to UTC. In summer France is 120 minu…
    :  6 entries, 2 tools, 140 tok
    ●  509744c0  The tide table for Saint-Malo is one hour off since Sunday. Find out why.
    $ sess log 3b1f -n 3
    9a01bae56d  2026-05-01 12:02  -          (*main) [merge]  at-1d9fca05
    98c5e71acd  2026-03-30 09:21  assistant  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes…
    6b65079442  2026-03-30 09:21  tool       ← File created successfully at: /home/ada/tides/test/clock…
    $ sess merge 3b1f/at-1d9fca05 --into 3b1f/main
    Up to date with eeb9681aa7: 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main: 9a01bae56d
    $ sess merge --session 3b1f main --into at-1d9fca05 --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","branch":"at-1d9fca05","before":"eeb9681aa7fcd10088f38ac560f4bea00a4a15cb33232668f9ebd8dc3942b898","other":"9a01bae56df25dc0234d0f58a9886aea681c5e2c616815244338655ca00f524f","base":"c237dd026e656c5c505926fb0fdd0f6f5d061467465ec6448f5330bcc7d18a61","settled":[],"tip":"9a01bae56df25dc0234d0f58a9886aea681c5e2c616815244338655ca00f524f","entries":11,"change":"fast-forward"}
    $ sess undo
    Undid operation 3 (2026-05-01 12:07, 1 minute ago): sess merge --session 3b1f main --into at-1d9fca05 --json
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-1d9fca05  9a01bae56d -> eeb9681aa7
    ! redo it with: sess redo
    $ sess undo
    Undid operation 2 (2026-05-01 12:02, 7 minutes ago): sess merge --session 3b1f at-1d9fca05
      - 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: appended entries  was 1 record
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main  9a01bae56d -> 98c5e71acd
    ! redo it with: sess redo
    $ sess merge --session 3b1f at-1d9fca05 --summary "luxon works too, but weighs 4.4 MB"
    Merged 4 entries of eeb9681aa7: 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main: 98c5e71acd -> 1f647ee7f8
    ! go back with: sess undo
    $ sess show 3b1f
    entry    1f647ee7f8d3e35710715a833c2863c4a0d1b4fa67a9ffd755c2b6f2ca80ffda
    parent   98c5e71acd, eeb9681aa7
    role     -  sess/merge
    time     2026-05-01 12:10
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    branch   main
    git      main
    from     eeb9681aa7 of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14, by merge

    merges the entries of 'at-1d9fca05'
    luxon works too, but weighs 4.4 MB

    before   98c5e71acd  assistant  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it…
    $ sess merge 3b1f/at-1d9fca05 --into 3b1f/main --ff-only --no-ff
    ! sess: '--ff-only' and '--no-ff' exclude each other
    ! hint: type 'sess help merge' to see how it is used
    exit 2
    $ sess merge 3b1f/at-1d9fca05 --into 3b1f/none
    ! sess: no session or entry is called '3b1f/none'
    ! hint: it has at-1d9fca05, main; type 'sess branch 3b1f' to see its branches
    exit 1
    $ sess switch -c try 019d3f52~2
    Switched session 019d3f52-7a10-7c43-9be1-40f6d2a8c531 to branch try (78bd3a48b4)
    ! go back with: sess switch --session 019d3f52-7a10-7c43-9be1-40f6d2a8c531 main
    $ sess merge 019d4e07 --into 019d3f52/try
    Merged 15 entries of d46180147d: 019d3f52-7a10-7c43-9be1-40f6d2a8c531/try: 78bd3a48b4 -> d11b0475e6
      model stays gpt-5.5 (there: claude-sonnet-4-5)
    ! go back with: sess undo
    "
  `)
  const { stdout } = await shell.run('sess context 3b1f/main~0 --json')
  const { messages } = JSON.parse(stdout) as { messages: { blocks: { text?: string }[] }[] }
  expect(messages.at(-1)?.blocks[0]?.text).toBe("From 'at-1d9fca05':\nluxon works too, but weighs 4.4 MB")
})
