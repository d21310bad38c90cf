import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'
import { typed } from '../support/typed.ts'

/** How much the database takes depends on its version. */
const masked = (text: string): string =>
  text.replaceAll(/[\d.]+ [kM]B(?= and is| *$)/gm, '…').replaceAll(/"(before|after)":\d+/g, '"$1":0')

it('says what goes and why, then removes it', async () => {
  const shell = new Shell()
  expect(
    masked(
      await typed(
        shell,
        'sess import sessions/pi',
        'sess import sessions/codex',
        'sess rm 019d4e07',
        'sess gc',
        'sess rename 019d3f52 Oats',
        'sess gc -n --operations now',
        'sess gc --operations now --grace now',
        'sess gc --operations now --grace now --json',
        'sess undo 3',
        'sess import sessions/pi',
        'sess fsck',
        'sess gc --grace soon',
      ),
    ),
  ).toMatchInlineSnapshot(`
    "$ sess import sessions/pi
    sessions/pi/2026-04-02T07-30-00-000Z_019d4e07-5b20-7d11-a6c2-93e1f04b7a65.jsonl
      pi session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65: 15 entries in 18 records, all new
    1 file, 5.9 kB, 1 session: 15 entries in 18 records, all new
    $ sess import sessions/codex
    sessions/codex/rollout-2026-03-31T16-10-00-019d3f52-7a10-7c43-9be1-40f6d2a8c531.jsonl
      codex session 019d3f52-7a10-7c43-9be1-40f6d2a8c531: 11 entries in 19 records, all new
    sessions/codex/rollout-2026-04-01T10-00-00-019d4482-11c6-7e90-8f2a-b3d97e610c48.jsonl
      codex session 019d4482-11c6-7e90-8f2a-b3d97e610c48: 11 entries in 19 records, 4 new, 7 shared with what was there
    2 files, 9.1 kB, 2 sessions: 22 entries in 38 records, 15 new, 7 shared with what was there
    $ sess rm 019d4e07
    Removed session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65 "Slow forecast for Brest" (was at d46180147d)
    ! import again with: sess import /home/ada/sessions/pi/2026-04-02T07-30-00-000Z_019d4e07-5b20-7d11-a6c2-93e1f04b7a65.jsonl
    ! go back with: sess undo
    $ sess gc
    nothing to remove
    30 entries and 3 operations kept
    the store was … and is …
    $ sess rename 019d3f52 Oats
    Renamed session 019d3f52-7a10-7c43-9be1-40f6d2a8c531 to "Oats"
    ! go back with: sess undo
    $ sess gc -n --operations now
    would remove:
    18 records     reachable only from operations that are removed, …
     3 operations  older than the operations that are kept, …
    30 entries and 1 operation would be kept, 15 of them unreachable but recent
    ! dry run: nothing was written
    $ sess gc --operations now --grace now
    Removed permanently:
    15 entries     reachable only from operations that are removed, …
    18 records     reachable only from operations that are removed, …
     3 operations  older than the operations that are kept, …
    15 entries and 1 operation kept
    the store was … and is …
    $ sess gc --operations now --grace now --json
    {"dryRun":false,"dropped":[],"kept":{"entries":15,"operations":1},"spared":0,"before":0,"after":0}
    $ sess undo 3
    ! sess: there is no operation '3' (the newest is 4, and gc removed those up to 3)
    ! hint: type 'sess op log' to see the operations
    exit 1
    $ sess import sessions/pi
    sessions/pi/2026-04-02T07-30-00-000Z_019d4e07-5b20-7d11-a6c2-93e1f04b7a65.jsonl
      pi session 019d4e07-5b20-7d11-a6c2-93e1f04b7a65: 15 entries in 18 records, all new
    1 file, 5.9 kB, 1 session: 15 entries in 18 records, all new
    $ sess fsck
    all is well: 30 entries, 3 sessions, 56 records, 2 operations
    $ sess gc --grace soon
    ! sess: '--grace' takes an age, not 'soon'
    ! hint: write a duration such as 12h, 3d, 2w, or a day such as yesterday, 2026-04-01
    exit 2
    "
  `)
})
