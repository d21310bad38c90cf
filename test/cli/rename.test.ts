import { appendFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

const PI = 'sessions/pi/2026-04-02T07-30-00-000Z_019d4e07-5b20-7d11-a6c2-93e1f04b7a65.jsonl'

it('gives a session a title, takes it away, and says the way back', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type("sess rename 3b1f 'Daylight saving'"),
      await shell.type("sess rename 'Daylight saving' ' Daylight saving '"),
      await shell.type("sess rename 019d4482 'Harbours'"),
      await shell.type("sess rename 3b1f ''"),
      await shell.type('sess rename 3b2f Tides'),
      await shell.type(`sess rename 3b1f ${'x'.repeat(1001)}`).then((said) => said.replace(/x{60,}/, 'x…')),
      await shell.type('sess rename 019d4482 Ports --json'),
      await shell.type('sess ls'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess rename 3b1f 'Daylight saving'
    Renamed session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to "Daylight saving" (was "Tide table one hour off")
    ! go back with: sess undo
    $ sess rename 'Daylight saving' ' Daylight saving '
    Renamed session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 to "Daylight saving" (was "Daylight saving")
    $ sess rename 019d4482 'Harbours'
    Renamed session 019d4482-11c6-7e90-8f2a-b3d97e610c48 to "Harbours"
    ! go back with: sess undo
    $ sess rename 3b1f ''
    Cleared the title of session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 (was "Daylight saving")
    ! go back with: sess undo
    $ sess rename 3b2f Tides
    ! sess: no session is called '3b2f'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    $ sess rename 3b1f x…
    ! sess: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…' is too long
    ! hint: use at most 1,000 characters; nothing was changed
    exit 1
    $ sess rename 019d4482 Ports --json
    {"session":"019d4482-11c6-7e90-8f2a-b3d97e610c48","title":"Ports","before":"Harbours"}
    $ sess ls
    SESSION      UPDATED  ENTRIES  AGENT        PROJECT  BRANCH  TOKENS    COST  TITLE
    019d4e07  2026-04-02       15  pi           tides             12.5k   $0.03  Slow forecast for Brest
    019d4482  2026-04-01       11  codex        tides              4.4k  ~$0.01  Ports
    019d3f52  2026-03-31       11  codex        tides              4.4k  ~$0.01  "Which harbours does the table know?"
    c7d02e95  2026-03-30       16  claude-code  tides              105k  ~$0.09  Tide table one hour off (fork)
    3b1f6a20  2026-03-30       22  claude-code  tides        +1    140k  ~$0.12  "The tide table for Saint-Malo is one hour off since Sunday. Find out why."
    "
  `)
})

it('keeps the title that the user gave though its source says another', async () => {
  const shell = new Shell()
  const file = shell.path('tides.jsonl')
  const titled = (id: string, name: string): string =>
    `${JSON.stringify({ type: 'session_info', id, parentId: null, timestamp: '2026-04-02T07:30:01.000Z', name })}\n`
  writeFileSync(file, shell.read(PI).split('\n')[0] + '\n' + titled('a', 'First'))
  const told = async (): Promise<string> => {
    await shell.run('sess import tides.jsonl')
    return (JSON.parse((await shell.run('sess ls --json')).stdout) as { title: string }).title
  }
  expect(await told()).toBe('First')
  appendFileSync(file, titled('b', 'Second'))
  expect(await told()).toBe('Second')
  await shell.run('sess rename 019d4e07 Mine')
  appendFileSync(file, titled('c', 'Third'))
  expect(await told()).toBe('Mine')
})
