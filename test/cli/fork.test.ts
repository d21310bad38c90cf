import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('begins a session that shares a path', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess fork c7d0~4 --title "zone in the footer"'),
      await shell.type('sess log "zone in the footer" -n 2'),
      await shell.type('sess merge-base c7d0 "zone in the footer"'),
      await shell.type('sess fork c7d0 --json'),
      await shell.type('sess fork nothing'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess fork c7d0~4 --title "zone in the footer"
    Forked at 250fc9e939 into session 019de369-e060-7617-9819-1a1b1c1d1e1f
    $ sess log "zone in the footer" -n 2
    250fc9e939  2026-03-30 09:06  assistant  (*main) Done with Intl: \`clock\` now converts to Europe/Par…
    cc9b4f9693  2026-03-30 09:06  tool       ← The file /home/ada/tides/src/format.js has been updated.
    $ sess merge-base c7d0 "zone in the footer"
    250fc9e939f7238a0bd2a3e328aaf2c4a5ac8414a0aa90d245a089d92ab73efc
    $ sess fork c7d0 --json
    {"session":"019de36c-9f80-7627-a829-2a2b2c2d2e2f","tip":"732cfba3f32d22977cc6bdb406b85aca3c45d7010b380859b8937a07c8cc5aba"}
    $ sess fork nothing
    ! sess: no session or entry is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})

it('parts before a message of the user', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess fork --before 3b1f~3'),
      await shell.type('sess fork --before 3b1f'),
      await shell.type('sess fork --before 509744c0 --json'),
      await shell.type('sess fork --before 509744c0'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess fork --before 3b1f~3
    Forked at 8d9c0e3aab into session 019de369-e060-7617-9819-1a1b1c1d1e1f
    To send again:
        Add a test for the night when the clocks change.
    $ sess fork --before 3b1f
    ! sess: '3b1f' is not a message of the user
    ! hint: type 'sess log SESSION' to see the user's messages, or leave out --before to fork after the entry
    exit 1
    $ sess fork --before 509744c0 --json
    {"session":"019de36b-b520-7627-a829-2a2b2c2d2e2f","tip":null,"text":"The tide table for Saint-Malo is one hour off since Sunday. Find out why."}
    $ sess fork --before 509744c0
    Created session 019de36c-9f80-7637-b839-3a3b3c3d3e3f, which has no entries yet
    To send again:
        The tide table for Saint-Malo is one hour off since Sunday. Find out why.
    "
  `)
})
