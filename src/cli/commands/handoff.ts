import { handoff } from '../../ops/handoff.ts'
import { safe } from '../../text/terminaltext.ts'
import { nullable, object, string } from '../../verbs/schema.ts'
import { oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { current, required, revision, text } from '../parameters.ts'
import { SUMMARIES, SUMMARY_OPTIONS, summaryFrom } from '../summaryoptions.ts'

/** `sess handoff`: writes a briefing for a new session. */
export const command = defineCommand({
  effect: 'read',
  paged: true,
  arguments: {
    goal: required(text('goal'), 'the task of the new session'),
    revision: current(revision(), 'a session or an entry'),
  },
  options: SUMMARY_OPTIONS,
  help: `Prints markdown: the goal, the source session, the passages that share words with the goal, and a summary of the
session. Edit it and give it to a new session. Nothing is written to the store.

${SUMMARIES}

The program of --summarize gets the goal, too.`,
  examples: [
    ['sess handoff "finish the test" 3b1f > handoff.md', 'write a briefing'],
    ['sess handoff "pin luxon" 3b1f/at-1d9fca05 --summarize "tail -n 9"', 'let a program summarize'],
  ],
  output: output(
    'One object.',
    object({ goal: string, session: nullable(string), tip: oidSchema, text: string }),
  ),
  run: async (call, { goal, revision: name, ...options }) => {
    const made = await handoff(await call.repo(), goal, name, await summaryFrom(call, options))
    return { data: made, render: async () => call.io.text(safe(made.text).replace(/\n$/, '')) }
  },
})
