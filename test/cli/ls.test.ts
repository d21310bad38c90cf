import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('lists the sessions, the newest first', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess ls')).toMatchInlineSnapshot(`
    "$ sess ls
    SESSION   UPDATED           ENTRIES  FORMAT       TITLE
    019d4e07  2026-04-02 07:31       15  pi           Slow forecast for Brest
    019d4482  2026-04-01 08:00       11  codex        "Which harbours does the table know?"
    019d3f52  2026-03-31 14:10       11  codex        "Which harbours does the table know?"
    c7d02e95  2026-03-30 09:40       16  claude-code  Tide table one hour off (fork)
    3b1f6a20  2026-03-30 09:21       22  claude-code  (+1 branch) Tide table one hour off
    "
  `)
  expect(await shell.type('sess ls', { columns: 60 })).toMatchInlineSnapshot(`
    "$ sess ls
    SESSION   UPDATED           ENTRIES  FORMAT       TITLE
    019d4e07  2026-04-02 07:31       15  pi           Slow fore…
    019d4482  2026-04-01 08:00       11  codex        "Which ha…
    019d3f52  2026-03-31 14:10       11  codex        "Which ha…
    c7d02e95  2026-03-30 09:40       16  claude-code  Tide tabl…
    3b1f6a20  2026-03-30 09:21       22  claude-code  (+1 branc…
    "
  `)
})

it('gives scripts one line per session', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions/claude')
  const { stdout } = await shell.run('sess ls --json')
  expect(stdout.split('\n')).toHaveLength(3)
  expect(JSON.parse(stdout.split('\n')[1] as string)).toMatchInlineSnapshot(`
    {
      "branches": {
        "at-4aa71938": "1b4aafc722616532fbb1f6e7df06e60cf54aef0b632169b5f0b8e8baf699397d",
        "main": "663a572479c485f898438f0628e045a5e59bd04c7049b69322039664f4beb748",
      },
      "calls": 5,
      "cost": null,
      "created": "2026-03-30T09:02:11.137Z",
      "cwd": "/home/ada/tides",
      "entries": 22,
      "format": "claude-code",
      "head": "main",
      "id": "3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14",
      "labels": {},
      "model": "claude-sonnet-4-5",
      "prompt": "The tide table for Saint-Malo is one hour off since Sunday. Find out why.",
      "prompts": 5,
      "records": 25,
      "source": "/home/ada/sessions/claude/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl",
      "title": "Tide table one hour off",
      "tokens": {
        "cacheRead": 123360,
        "cacheWrite": 14640,
        "input": 112,
        "output": 1760,
        "total": 139872,
      },
      "updated": "2026-03-30T09:21:18.151Z",
    }
  `)
})

it('says what to type where there is no session, and where there is no store', async () => {
  const shell = new Shell()
  expect(await shell.type('sess ls')).toMatchInlineSnapshot(`
    "$ sess ls
    ! sess: no store at '/home/ada/.local/share/sess'
    ! hint: type 'sess init' or 'sess import PATH' to create one
    exit 1
    "
  `)
  await shell.run('sess init')
  expect(await shell.type('sess ls')).toMatchInlineSnapshot(`
    "$ sess ls
    ! no sessions yet: type 'sess import PATH' to take some in
    "
  `)
  expect(await shell.type('sess ls --json')).toMatchInlineSnapshot(`
    "$ sess ls --json
    "
  `)
})

it('shortens ids no further than they differ', async () => {
  const shell = new Shell({ samples: false })
  for (const title of ['one', 'two']) await shell.run(`sess append --new --title ${title}`)
  expect(await shell.type('sess ls')).toMatchInlineSnapshot(`
    "$ sess ls
    SESSION   UPDATED           ENTRIES  FORMAT  TITLE
    019de369  2026-05-01 12:01        0  sess    two
    019de368  2026-05-01 12:00        0  sess    one
    "
  `)
})
