import { expect, it } from 'vitest'
import { Shell } from '../support/shell.ts'

it('tells a new session what to go on with', async () => {
  const shell = new Shell()
  await shell.run('sess import sessions')
  expect(await shell.type('sess handoff "pin the luxon version" 3b1f/at-4aa71938')).toMatchInlineSnapshot(`
    "$ sess handoff "pin the luxon version" 3b1f/at-4aa71938
    # Goal
    pin the luxon version

    # Where this comes from
    - Session \`3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14\`: Tide table one hour off
    - Agent \`claude-code\`
    - Folder \`/home/ada/tides\`
    - Entry \`1b4aafc722616532fbb1f6e7df06e60cf54aef0b632169b5f0b8e8baf699397d\` on branch \`at-4aa71938\`

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
    {"goal":"go on","session":"3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14","tip":"663a572479c485f898438f0628e045a5e59bd04c7049b69322039664f4beb748","text":"# Goal\\ngo on\\n\\n# Where this comes from\\n- Session \`3b1f6a20-8c4e-4d57-9a61-0f2d7c5e9b14\`: Tide table one hour off\\n- Agent \`claude-code\`\\n- Folder \`/home/ada/tides\`\\n- Entry \`663a572479c485f898438f0628e045a5e59bd04c7049b69322039664f4beb748\` on branch \`main\`\\n\\n# The session so far\\nAll is done.\\n"}
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
