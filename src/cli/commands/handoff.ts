import { defined } from '../../model/json.ts'
import { safe } from '../../model/terminaltext.ts'
import { handoff } from '../../verbs/handoff.ts'
import { defineCommand } from '../define.ts'
import { answerOf, outputOf } from '../present.ts'
import { SUMMARIES, SUMMARY_OPTIONS, summaryFrom } from '../summaryoptions.ts'

const { goal, revision } = handoff.input

/** `sess handoff`: writes a briefing for a new session. */
export const command = defineCommand({
  effect: handoff.effect,
  paged: true,
  arguments: { goal, revision },
  options: SUMMARY_OPTIONS,
  help: `Prints markdown: the goal, the source session, the passages that share words with the goal, and a summary of the
session. Edit it and give it to a new session. Nothing is written to the store.

${SUMMARIES}

The program of --summarize gets the goal, too.`,
  examples: [
    ['sess handoff "finish the test" 3b1f > handoff.md', 'write a briefing'],
    ['sess handoff "pin luxon" 3b1f/at-1d9fca05 --summarize "tail -n 9"', 'let a program summarize'],
  ],
  output: outputOf('One object.', handoff.output),
  run: async (call, { goal: task, revision: name, ...from }) => {
    const context = await call.context()
    const { summary, ...how } = await summaryFrom(call, from)
    const input = { goal: task, revision: name, ...defined({ summary }) }
    const made = await handoff.run({ ...context, ...how }, input)
    return answerOf(handoff, made, {
      render: async () => call.io.text(safe(made.text).replace(/\n$/, '')),
    })
  },
})
