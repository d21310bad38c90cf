import { defined } from '../../model/json.ts'
import { pop } from '../../ops/pop.ts'
import { treeMoveSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { flag, label, option, optional, revision, session } from '../parameters.ts'
import { treeMoveAnswer } from '../render/moves.ts'
import { SUMMARIES, SUMMARY_OPTIONS, summaryFrom } from '../summaryoptions.ts'

/** `sess pop`: goes back on the path, leaving a summary of what follows. */
export const command = defineCommand({
  effect: 'write',
  arguments: { revision: optional(revision(), 'a session, or the entry to go back to') },
  options: {
    session: option(session(), 'the session, if the revision names none (@)'),
    root: flag('go back to before the first entry'),
    label: option(label(), 'a label for the summary'),
    ...SUMMARY_OPTIONS,
  },
  help: `For a session, or without a revision: moves to before the last message of the user, and prints its text so that it can
be sent again. The entries after it stay, on a branch of their own, and the summary replaces them in the context.
The current branch of the session moves, too. Pops nest.

${SUMMARIES}`,
  examples: [
    ['sess pop 3b1f', 'go back to before the last user message'],
    ['sess pop 3b1f~4 --summary "Tried luxon, too large."', 'go back to an entry, with your own summary'],
    ['sess pop --root --session 3b1f', 'start over, with a summary'],
  ],
  output: output('One object.', treeMoveSchema),
  run: async (call, { revision: name, session: owner, root, label: named, ...from }) => {
    const done = await pop(await call.repo(), name, {
      ...defined({ session: owner, label: named }),
      root,
      ...(await summaryFrom(call, from)),
    })
    return treeMoveAnswer(call, done)
  },
})
