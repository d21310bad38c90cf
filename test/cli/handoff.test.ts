import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('tells a new session what to go on with', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess handoff "pin the luxon version" 3b1f/at-1d9fca05')).toMatchInlineSnapshot(`
    "$ sess handoff "pin the luxon version" 3b1f/at-1d9fca05
    # Goal
    pin the luxon version

    # Where this comes from
    - Session \`3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14\`: Tide table one hour off
    - Agent \`claude-code\`
    - Folder \`/home/ada/tides\`
    - Entry \`eeb9681aa7fcd10088f38ac560f4bea00a4a15cb33232668f9ebd8dc3942b898\` on branch \`at-1d9fca05\`

    # What was said that bears on the goal
    The agent:

    > Done with luxon: \`clock\` now converts to Europe/Paris.
    > It adds one package of 4.4 MB.
    > All 12 tests pass.

    # The session so far
    ## Goal
    The tide table for Saint-Malo is one hour off since Sunday. Find out why.

    ## What the user asked (2)
    1. The tide table for Saint-Malo is one hour off since Sunday. Find out why.
    2. Fix it with a time zone library, and say which one.

    ## Files only read (1)
    - /home/ada/tides/src/format.js

    ## Commands (1)
    - \`npm install luxon\`: ok

    ## Where it stood
    The agent said last:

    > Done with luxon: \`clock\` now converts to Europe/Paris.
    > It adds one package of 4.4 MB.
    > All 12 tests pass.
    "
  `)
  expect(
    await shell.type('sess handoff "go on" 3b1f --summary "All is done." --json'),
  ).toMatchInlineSnapshot(`
    "$ sess handoff "go on" 3b1f --summary "All is done." --json
    {"goal":"go on","session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","tip":"98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4","text":"# Goal\\ngo on\\n\\n# Where this comes from\\n- Session \`3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14\`: Tide table one hour off\\n- Agent \`claude-code\`\\n- Folder \`/home/ada/tides\`\\n- Entry \`98c5e71acd891047e22327f00a02dc1fe93c5c198ac6cdb249082933b58f9be4\` on branch \`main\`\\n\\n# The session so far\\nAll is done.\\n"}
    "
  `)
  expect(await shell.type('sess handoff "go on" nothing')).toMatchInlineSnapshot(`
    "$ sess handoff "go on" nothing
    ! sess: no session or entry is called 'nothing'
    ! hint: type 'sess ls' to see the sessions
    exit 1
    "
  `)
})
