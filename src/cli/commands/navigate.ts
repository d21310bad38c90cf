import { SessError } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import { navigate } from '../../verbs/navigate.ts'
import { defineCommand } from '../define.ts'
import { answerOf, outputOf } from '../present.ts'
import { treeMoveAnswer } from '../render/moves.ts'
import { SUMMARY_OPTIONS, summaryFrom } from '../summaryoptions.ts'

const { revision, session, root, digest, label } = navigate.input

/** `sess navigate`: goes to any entry of the tree; for a user message, to before it. */
export const command = defineCommand({
  effect: navigate.effect,
  arguments: { revision },
  options: { session, root, digest, label, ...SUMMARY_OPTIONS },
  help: `For a message of the user, the session moves to the entry before it, and the text is printed so that it can be edited
and sent again; for any other entry, the session moves to that entry. The path left keeps its branch, or gets one.
To switch by name, or to stay on a message, use sess switch.`,
  examples: [
    ['sess navigate 3b1f~2', 'go to an entry, or to before a user message'],
    ['sess navigate 3b1f/at-1d9fca05 --digest', 'go to another path, with a digest of this one'],
  ],
  output: outputOf('One object.', navigate.output),
  run: async (call, input) => {
    if (!input.root && input.revision === undefined)
      throw new SessError('bad-usage', 'no revision was named', {
        hint: "type 'sess navigate REVISION', or 'sess navigate --root'",
      })
    const context = await call.context()
    const { summary, ...how } = await summaryFrom(call, input)
    const done = await navigate.run({ ...context, ...how }, { ...input, ...defined({ summary }) })
    return answerOf(navigate, done, treeMoveAnswer(call, done))
  },
})
