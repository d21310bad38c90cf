import { SessError } from '../../model/errors.ts'
import { navigate } from '../../ops/navigate.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { type Summarizing, summaryFrom, withSummaries } from '../summarizing.ts'
import { showTreeMove } from '../treemove.ts'

interface Options extends Summarizing {
  readonly session?: string
  readonly root?: boolean
  readonly digest?: boolean
  readonly label?: string
}

/** `sess navigate`: goes to any entry of the tree, before it where that is a message to edit. */
export const define: Define = (command, act) => {
  command
    .argument('[revision]', 'the entry to go to')
    .option('--session <session>', 'the session, where the revision names none')
    .option('--root', 'go to before the first entry')
    .option('--digest', 'leave a summary of what is left, made without a model')
    .option('--label <label>', 'a label for the summary, else for the entry')
  withSummaries(command)
    .addHelpText(
      'after',
      '\nA message of the user is gone before, and its text is printed to be edited and said anew; any other entry is\n' +
        'gone to. What is left keeps its branch, and gets one where it has none. To switch by name, and to stand on a\n' +
        'message itself, type sess switch.',
    )
    .action(
      act(async (call, revision: string | undefined, { session, root = false, ...options }: Options) => {
        if (root === (revision !== undefined))
          throw new SessError('bad-usage', 'navigate takes a revision, or --root', {
            hint: "type 'sess help navigate' to see how it is used",
          })
        const { digest, label, ...from } = options
        const done = await navigate(await call.repo(), revision ?? null, {
          ...(session !== undefined && { session }),
          ...(digest && { wantsSummary: true }),
          ...(await summaryFrom(call, from)),
          ...(label !== undefined && { label }),
        })
        await showTreeMove(call, done)
      }),
    )
  examples(command, [
    ['sess navigate 3b1f~2', 'go to an entry, or before it to say it anew'],
    ['sess navigate 3b1f/at-4aa71938 --digest', 'go to another path, and take along what came of this one'],
  ])
}
