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
    Forked at 5cad141afe into session 019de369-e060-7617-9819-1a1b1c1d1e1f
    $ sess log "zone in the footer" -n 2
    5cad141afe  2026-03-30 09:06  assistant  (*main) Done with Intl: \`clock\` now converts to Europe/Par…
    fcb29249e9  2026-03-30 09:06  tool       ← The file /home/ada/tides/src/format.js has been updated.
    $ sess merge-base c7d0 "zone in the footer"
    5cad141afe9a46ba0ee55aa84cf097594d6e91d13e3307b488b012fcf2c76486
    $ sess fork c7d0 --json
    {"session":"019de36c-9f80-7627-a829-2a2b2c2d2e2f","tip":"e8dc67c16f1585ace4855d1ed9f6d05c699928baf6bc3a1d53f3ee24da2a6516"}
    $ sess fork nothing
    ! sess: no session or entry is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})
