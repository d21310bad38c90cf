import { existsSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('says what would come of it, and writes nothing', async () => {
  const shell = new Shell()
  const lines = [await shell.type('sess import sessions/claude -n'), await shell.type('sess init --dry-run')]
  expect(readdirSync(shell.dir)).toEqual(['sessions'])
  await shell.run('sess import sessions')
  const before = (await shell.run('sess ls --json')).stdout + (await shell.run('sess branch 3b1f')).stdout
  lines.push(
    await shell.type('sess import sessions -n --json'),
    await shell.type('sess branch -n 3b1f other 3b1f~2'),
    await shell.type('sess branch -n 3b1f -d main'),
    await shell.type('sess switch -n 3b1f~2 --session 3b1f'),
    await shell.type('sess switch -n -c other 3b1f~2'),
    await shell.type('sess fork -n 3b1f'),
    await shell.type('sess export -n 3b1f --out copy.jsonl'),
    await shell.type('sess append -n --new --role user', { stdin: ['hello'] }),
  )
  expect(lines.join('')).toMatchInlineSnapshot(`
    "$ sess import sessions/claude -n
    sessions/claude/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl
      claude-code session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: 22 entries in 25 records, all new
    sessions/claude/c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e.jsonl
      claude-code session c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e: 16 entries in 17 records, 4 new, 12 shared with what was there
    would import 2 files, 28.0 kB, 2 sessions: 38 entries in 42 records, 26 new, 12 shared with what was there
    ! dry run: nothing was written
    $ sess init --dry-run
    would create a store in /home/ada/.sess
    ! dry run: nothing was written
    $ sess import sessions -n --json
    {"path":"/home/ada/sessions/claude/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl","format":"claude-code","session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","records":25,"entries":22,"newEntries":0,"newObjects":0,"bytes":15571,"contained":false,"salvaged":0,"warnings":[],"dryRun":true}
    {"path":"/home/ada/sessions/claude/c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e.jsonl","format":"claude-code","session":"c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e","records":17,"entries":16,"newEntries":0,"newObjects":0,"bytes":12417,"contained":false,"salvaged":0,"warnings":[],"dryRun":true}
    {"path":"/home/ada/sessions/codex/rollout-2026-03-31T16-10-00-019d3f52-7a10-7c43-9be1-40f6d2a8c531.jsonl","format":"codex","session":"019d3f52-7a10-7c43-9be1-40f6d2a8c531","records":19,"entries":11,"newEntries":0,"newObjects":0,"bytes":4325,"contained":false,"salvaged":0,"warnings":[],"dryRun":true}
    {"path":"/home/ada/sessions/codex/rollout-2026-04-01T10-00-00-019d4482-11c6-7e90-8f2a-b3d97e610c48.jsonl","format":"codex","session":"019d4482-11c6-7e90-8f2a-b3d97e610c48","records":19,"entries":11,"newEntries":0,"newObjects":0,"bytes":4776,"contained":false,"salvaged":0,"warnings":[],"dryRun":true}
    {"path":"/home/ada/sessions/pi/2026-04-02T07-30-00-000Z_019d4e07-5b20-7d11-a6c2-93e1f04b7a65.jsonl","format":"pi","session":"019d4e07-5b20-7d11-a6c2-93e1f04b7a65","records":18,"entries":15,"newEntries":0,"newObjects":0,"bytes":5926,"contained":false,"salvaged":0,"warnings":[],"dryRun":true}
    {"totals":{"files":5,"sessions":5,"records":98,"entries":75,"newEntries":0,"newObjects":0,"bytes":43015},"dryRun":true}
    ! dry run: nothing was written
    $ sess branch -n 3b1f other 3b1f~2
    would create branch other at c15253199e
    ! dry run: nothing was written
    $ sess branch -n 3b1f -d main
    ! sess: '3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/main' is the current branch of its session
    ! hint: switch to another branch first: 'sess switch 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14/BRANCH'
    exit 1
    $ sess switch -n 3b1f~2 --session 3b1f
    would switch session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to an entry on no branch (c15253199e)
    ! dry run: nothing was written
    $ sess switch -n -c other 3b1f~2
    would switch session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to branch other (c15253199e)
    ! dry run: nothing was written
    $ sess fork -n 3b1f
    would fork at 98c5e71acd into session 019de372-1dc0-7637-b839-3a3b3c3d3e3f
    ! dry run: nothing was written
    $ sess export -n 3b1f --out copy.jsonl
    ! would write 15571 bytes to /home/ada/copy.jsonl
    ! dry run: nothing was written
    $ sess append -n --new --role user
    would create session 019de373-f280-7647-8849-4a4b4c4d4e4f
    would append 5ba812dc3ce50606b48013a059b80b012edf5d20fdc7741b16a977c23cf5c138
    ! dry run: nothing was written
    "
  `)
  expect((await shell.run('sess ls --json')).stdout + (await shell.run('sess branch 3b1f')).stdout).toBe(
    before,
  )
  expect((await shell.run('sess fsck')).stdout).toContain('1 operation')
  expect(existsSync(shell.path('copy.jsonl'))).toBe(false)
  expect(
    await shell.run('sess export -n 3b1f --out sessions/claude/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl'),
  ).toMatchObject({ code: 1 })
})
