import { defined } from '../../model/json.ts'
import { pop } from '../../verbs/pop.ts'
import { defineCommand } from '../define.ts'
import { answerOf, outputOf } from '../present.ts'
import { treeMoveAnswer } from '../render/moves.ts'
import { SUMMARIES, SUMMARY_OPTIONS, summaryFrom } from '../summaryoptions.ts'

const { revision, session, root, label } = pop.input

/** `sess pop`: goes back on the path, leaving a summary of what follows. */
export const command = defineCommand({
  effect: pop.effect,
  arguments: { revision },
  options: { session, root, label, ...SUMMARY_OPTIONS },
  help: `For a session, or without a revision: moves to before the last message of the user, and prints its text so that it can
be sent again. The entries after it stay, on a branch of their own, and the summary replaces them in the context.
The current branch of the session moves, too. Pops nest.

${SUMMARIES}`,
  examples: [
    ['sess pop 3b1f', 'go back to before the last user message'],
    ['sess pop 3b1f~4 --summary "Tried luxon, too large."', 'go back to an entry, with your own summary'],
    ['sess pop --root --session 3b1f', 'start over, with a summary'],
  ],
  output: outputOf('One object.', pop.output),
  run: async (call, input) => {
    const context = await call.context()
    const { summary, ...how } = await summaryFrom(call, input)
    const done = await pop.run({ ...context, ...how }, { ...input, ...defined({ summary }) })
    return answerOf(pop, done, treeMoveAnswer(call, done))
  },
})
