import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('removes sessions, and says how they come back', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  await shell.run("sess fork 3b1f~4 --title 'Another way'")
  expect(
    [
      await shell.type('sess rm 3b1f 019d4482'),
      await shell.type('sess ls'),
      await shell.type("sess log 'Another way' -n 2"),
      await shell.type("sess rm 'Another way'"),
      await shell.type('sess import sessions/claude'),
      await shell.type('sess fsck'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess rm 3b1f 019d4482
    Removed session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14 "Tide table one hour off" (was at 98c5e71acd)
    Removed session 019d4482-11c6-7e90-8f2a-b3d97e610c48 (was at f73c6a39d6)
    ! import again with: sess import /home/ada/sessions/claude/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl /home/ada/sessions/codex/rollout-2026-04-01T10-00-00-019d4482-11c6-7e90-8f2a-b3d97e610c48.jsonl
    ! go back with: sess undo
    $ sess ls
    SESSION      UPDATED  ENTRIES  AGENT        PROJECT  TOKENS    COST  TITLE
    019de369          2m       14  sess         tides                    Another way
    019d4e07  2026-04-02       15  pi           tides     12.5k   $0.03  Slow forecast for Brest
    019d3f52  2026-03-31       11  codex        tides      4.4k  ~$0.01  "Which harbours does the table know?"
    c7d02e95  2026-03-30       16  claude-code  tides      105k  ~$0.09  Tide table one hour off (fork)
    $ sess log 'Another way' -n 2
    8d9c0e3aab  2026-03-30 09:20  user       (*main) This session is continued from one that ran out of…
    3449d597a6  2026-03-30 09:20  system     [compaction]
    $ sess rm 'Another way'
    Removed session 019de369-e060-7617-9819-1a1b1c1d1e1f "Another way" (was at 8d9c0e3aab)
    ! go back with: sess undo
    $ sess import sessions/claude
    sessions/claude/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl
      claude-code session 3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14: 22 entries in 25 records, nothing new
    sessions/claude/c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e.jsonl
      claude-code session c7d02e95-1f38-4b6a-8e07-52a9d4c61f3e: 16 entries in 17 records, nothing new
    2 files, 28.0 kB, 2 sessions: 38 entries in 42 records, nothing new
    $ sess fsck
    all is well: 56 entries, 4 sessions, 79 records, 5 operations
    "
  `)
})

it('removes none where one is not there', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(
    [
      await shell.type('sess rm 3b1f 3b2f'),
      await shell.type("sess rm 'Slow forecast for Brst'"),
      await shell.type('sess rm'),
      await shell.type('sess rm 3b1f 3b1f --json'),
    ].join(''),
  ).toMatchInlineSnapshot(`
    "$ sess rm 3b1f 3b2f
    ! sess: no session is called '3b2f'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    $ sess rm 'Slow forecast for Brst'
    ! sess: no session is called 'Slow forecast for Brst'
    ! hint: did you mean 'Slow forecast for Brest'? type 'sess ls' to see the sessions
    exit 1
    $ sess rm
    ! sess: 'rm' needs a <session>
    ! hint: type 'sess rm SESSION...', or 'sess help rm' to see how it is used
    exit 2
    $ sess rm 3b1f 3b1f --json
    {"session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","title":"Tide table one hour off","tip":"98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4","source":"/home/ada/sessions/claude/3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14.jsonl"}
    "
  `)
  const { stdout } = await shell.run('sess ls --json')
  expect(stdout.trim().split('\n')).toHaveLength(4)
})
