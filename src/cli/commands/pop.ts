import { pop } from '../../ops/pop.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { SUMMARIES, type Summarizing, summaryFrom, withSummaries } from '../summarizing.ts'
import { showTreeMove } from '../treemove.ts'

interface Options extends Summarizing {
  readonly session?: string
  readonly root?: boolean
  readonly label?: string
}

/** `sess pop`: goes back on the path, and leaves a summary of what is left. */
export const define: Define = (command, act) => {
  command
    .argument('[revision]', 'a session, or the entry to go back to')
    .option('--session <session>', 'the session, if the revision names none (@)')
    .option('--root', 'go back to before the first entry')
    .option('--label <label>', 'a label for the summary')
  withSummaries(command)
    .addHelpText(
      'after',
      `
For a session, or without a revision: moves to before the last message of the user, and prints its text so that it can
be sent again. The entries after it stay, on a branch of their own, and the summary replaces them in the context.
The current branch of the session moves, too. Pops nest.

${SUMMARIES}`,
    )
    .action(
      act(async (call, revision: string | undefined, { session, root, label, ...from }: Options) => {
        const done = await pop(await call.repo(), revision, {
          ...(session !== undefined && { session }),
          ...(root !== undefined && { root }),
          ...(await summaryFrom(call, from)),
          ...(label !== undefined && { label }),
        })
        await showTreeMove(call, done)
      }),
    )
  examples(command, [
    ['sess pop 3b1f', 'go back to before the last user message'],
    ['sess pop 3b1f~4 --summary "Tried luxon, too large."', 'go back to an entry, with your own summary'],
    ['sess pop --root --session 3b1f', 'start over, with a summary'],
  ])
}
