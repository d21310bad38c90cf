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
    .argument('[revision]', 'a session, or the entry of its path to go back to')
    .option('--session <session>', 'the session, where the revision names none; @ unless said')
    .option('--root', 'go back to before the first entry')
    .option('--label <label>', 'a label for the summary')
  withSummaries(command)
    .addHelpText(
      'after',
      '\nOf a session, or without a revision: back to before the last message of the user, whose text is printed to be\n' +
        'said anew. What was said since stays, on a branch of its own, and the summary stands for it in the context.\n' +
        'The branch that the session stands on goes back too. Pops nest.\n\n' +
        SUMMARIES,
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
    ['sess pop 3b1f', 'back to before the last message of the user'],
    ['sess pop 3b1f~4 --summary "Tried luxon, too large."', 'back to an entry, with a summary of your own'],
    ['sess pop --root --session 3b1f', 'begin anew, with a summary of all of it'],
  ])
}
