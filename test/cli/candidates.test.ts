import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('lists what a name may mean, to people and to programs', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  await shell.run('sess append --new --title "Tide table one hour off" --role user', { stdin: ['Again?'] })
  expect(
    [
      await shell.type('sess log 019d'),
      await shell.type('sess log "Tide table one hour off"'),
      await shell.type('sess branch 019d4 --json'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess log 019d
    ! sess: '019d' is ambiguous
    !   019d3f52-7a10-7c43-9be1-40f6d2a8c531  2026-03-31 14:10  codex  Which harbours does the table know?
    !   019d4482-11c6-7e90-8f2a-b3d97e610c48  2026-04-01 08:00  codex  Which harbours does the table know?
    !   019d4e07-5b20-7d11-a6c2-93e1f04b7a65  2026-04-02 07:31  pi     Slow forecast for Brest
    !   019de369-e060-7617-9819-1a1b1c1d1e1f  2026-05-01 12:01  sess   Tide table one hour off
    ! hint: use more of the id, or the id of the one that you mean
    exit 1
    $ sess log "Tide table one hour off"
    ! sess: 'Tide table one hour off' is ambiguous
    !   019de369-e060-7617-9819-1a1b1c1d1e1f  2026-05-01 12:01  sess         Tide table one hour off
    !   3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14  2026-03-30 09:21  claude-code  Tide table one hour off
    ! hint: use more of the id, or the id of the one that you mean
    exit 1
    $ sess branch 019d4 --json
    ! {"error":{"code":"ambiguous-revision","kind":"user","message":"'019d4' is ambiguous","hint":"use more of the id, or the id of the one that you mean","retryable":false,"candidates":[{"kind":"session","id":"019d4482-11c6-7e90-8f2a-b3d97e610c48","agent":"codex","time":"2026-04-01T08:00:18.314Z","text":"Which harbours does the table know?","folder":"/home/ada/tides","parent":null},{"kind":"session","id":"019d4e07-5b20-7d11-a6c2-93e1f04b7a65","agent":"pi","time":"2026-04-02T07:31:08.000Z","text":"Slow forecast for Brest","folder":"/home/ada/tides","parent":null}]}}
    exit 1
    "
  `)
})

it('lists entries whose oids begin alike', async () => {
  const shell = new Shell({ samples: false })
  const lines = Array.from({ length: 1000 }, (_, i) => `{"body":{"role":"user","content":"line ${i}"}}\n`)
  await shell.run('sess append --new --title long', { stdin: [lines.join('')] })
  const { stdout } = await shell.run('sess rev-list long')
  const oids = stdout.split('\n').toSorted()
  const twin = oids.findIndex((oid, i) => oid !== '' && oids[i + 1]?.startsWith(oid.slice(0, 4)))
  const name = oids[twin]?.slice(0, 4) ?? ''
  const { code, stderr } = await shell.run(`sess show ${name}`)
  expect(code).toBe(1)
  const listed = stderr.split('\n').filter((line) => line.startsWith(`  ${name}`))
  expect(listed.length).toBeGreaterThan(1)
  for (const line of listed) expect(line).toMatch(/^ {2}[0-9a-f]{12} {2}- {17}sess\/message {2}line \d+$/)
})
