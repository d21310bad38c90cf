import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

/*
 * ● ─ ● ─ … ─ 4682a27b ─ … ─ 663a5724 ─ ◆  main
 *                  └── 4aa71938 ─ … ───┘   at-4aa71938
 */
it('brings what another branch has said to a branch', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess merge -n --session 3b1f at-4aa71938 --ff-only'),
      await shell.type('sess merge --session 3b1f at-4aa71938'),
      await shell.type('sess show 3b1f'),
      await shell.type('sess tree 3b1f'),
      await shell.type('sess log 3b1f -n 3'),
      await shell.type('sess merge 3b1f/at-4aa71938 --into 3b1f/main'),
      await shell.type('sess merge --session 3b1f main --into at-4aa71938 --json'),
      await shell.type('sess undo'),
      await shell.type('sess undo'),
      await shell.type(
        'sess merge --session 3b1f at-4aa71938 --summary "luxon works too, but weighs 4.4 MB"',
      ),
      await shell.type('sess show 3b1f'),
      await shell.type('sess merge 3b1f/at-4aa71938 --into 3b1f/main --ff-only --no-ff'),
      await shell.type('sess merge 3b1f/at-4aa71938 --into 3b1f/none'),
      await shell.type('sess switch -c try 019d3f52~2'),
      await shell.type('sess merge 019d4e07 --into 019d3f52/try'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess merge -n --session 3b1f at-4aa71938 --ff-only
    ! sess: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main' has entries that the other side lacks: it cannot be fast-forwarded
    ! hint: leave out --ff-only to make an entry that merges both, or rebase one of them first
    exit 1
    $ sess merge --session 3b1f at-4aa71938
    Merged 4 entries of 1b4aafc722: 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main: 663a572479 -> b97d78c3ce
    ! go back with: sess undo
    $ sess show 3b1f
    entry    b97d78c3ceac918acdb63d59f856e11cee0e2b9b34fd23aaec3273134b33141a
    parent   663a572479, 1b4aafc722
    role     -  sess/merge
    time     2026-05-01 12:02
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    branch   main
    from     1b4aafc722 of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14, by merge

    brings what was said on 'at-4aa71938'

    before   663a572479  assistant  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it…
    $ sess tree 3b1f
    @  b97d78c3 [main*]  [merge]  at-4aa71938
    ├─╮
    : │  3 entries, 1 tool, 100 tok
    ● │  43f5ff28  Add a test for the night when the clocks change.
    ● │  753c6d84  This session is continued from one that ran out of context. The tide table of Saint-…
    ◆ │  8c18fd71  [compaction]
    : │  3 entries, 1 tool, 135 tok
    ● │  61d764c8  Fix it without a time zone library, and say what it costs.
    │ ○  1b4aafc7 [at-4aa71938]  Done with luxon: \`clock\` now converts to Europe/Paris.
    │ :  2 entries, 1 tool, 23 tok
    │ ●  4aa71938  Fix it with a time zone library, and say which one.
    ├─╯
    ○  4682a27b  \`src/format.js\` adds a fixed offset of 60 minutes to UTC. In summer France is 120 minu…
    :  6 entries, 2 tools, 140 tok
    ●  509744c0  The tide table for Saint-Malo is one hour off since Sunday. Find out why.
    $ sess log 3b1f -n 3
    b97d78c3ce  2026-05-01 12:02  -          (*main) [merge]  at-4aa71938
    663a572479  2026-03-30 09:21  assistant  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes…
    9e818d842c  2026-03-30 09:21  tool       ← File created successfully at: /home/ada/tides/test/clock…
    $ sess merge 3b1f/at-4aa71938 --into 3b1f/main
    Up to date with 1b4aafc722: 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main: b97d78c3ce
    $ sess merge --session 3b1f main --into at-4aa71938 --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","branch":"at-4aa71938","before":"1b4aafc722616532fbb1f6e7df06e60cf54aef0b632169b5f0b8e8baf699397d","other":"b97d78c3ceac918acdb63d59f856e11cee0e2b9b34fd23aaec3273134b33141a","base":"4682a27b862b584ffe3f68218e49aedb3a2ab78166b20d862a6a9341d55f4f14","settled":[],"tip":"b97d78c3ceac918acdb63d59f856e11cee0e2b9b34fd23aaec3273134b33141a","entries":11,"change":"fast-forward"}
    $ sess undo
    Undid operation 3 (2026-05-01 12:07, 1 minute ago): sess merge --session 3b1f main --into at-4aa71938 --json
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/at-4aa71938  b97d78c3ce -> 1b4aafc722
    ! redo it with: sess redo
    $ sess undo
    Undid operation 2 (2026-05-01 12:02, 7 minutes ago): sess merge --session 3b1f at-4aa71938
      - 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 (native)  was 1 record
        3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main  b97d78c3ce -> 663a572479
    ! redo it with: sess redo
    $ sess merge --session 3b1f at-4aa71938 --summary "luxon works too, but weighs 4.4 MB"
    Merged 4 entries of 1b4aafc722: 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main: 663a572479 -> 02c1b5222f
    ! go back with: sess undo
    $ sess show 3b1f
    entry    02c1b5222fc603021478af10e7f0c23324649e1028da9baa0d8bd7325d92fd1f
    parent   663a572479, 1b4aafc722
    role     -  sess/merge
    time     2026-05-01 12:10
    session  3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14
    branch   main
    from     1b4aafc722 of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14, by merge

    brings what was said on 'at-4aa71938'
    luxon works too, but weighs 4.4 MB

    before   663a572479  assistant  Added \`test/clock.test.js\`: 03:00 follows 01:59. It passes, and it…
    $ sess merge 3b1f/at-4aa71938 --into 3b1f/main --ff-only --no-ff
    ! sess: option '--ff-only' cannot be used with option '--no-ff'
    ! hint: type 'sess help merge' to see how it is used
    exit 2
    $ sess merge 3b1f/at-4aa71938 --into 3b1f/none
    ! sess: no session or entry is called '3b1f/none'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    $ sess switch -c try 019d3f52~2
    Session 019d3f52-7a10-7c43-9be1-40f6d2a8c531 stands on branch try (78bd3a48b4) now
    ! go back with: sess switch --session 019d3f52-7a10-7c43-9be1-40f6d2a8c531 main
    $ sess merge 019d4e07 --into 019d3f52/try
    Merged 15 entries of d46180147d: 019d3f52-7a10-7c43-9be1-40f6d2a8c531/try: 78bd3a48b4 -> d11b0475e6
      model stays gpt-5.5 (there: claude-sonnet-4-5)
    ! go back with: sess undo
    "
  `)
  const { stdout } = await shell.run('sess context 3b1f/main~0 --json')
  const { messages } = JSON.parse(stdout) as { messages: { blocks: { text?: string }[] }[] }
  expect(messages.at(-1)?.blocks[0]?.text).toBe("From 'at-4aa71938':\nluxon works too, but weighs 4.4 MB")
})
