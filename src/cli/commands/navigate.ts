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
    .option('--session <session>', 'the session, if the revision names none')
    .option('--root', 'go to before the first entry')
    .option('--digest', 'leave a digest of the path left, made without a model')
    .option('--label <label>', 'a label for the summary or the entry')
  withSummaries(command)
    .addHelpText(
      'after',
      `
For a message of the user, the session moves to the entry before it, and the text is printed so that it can be edited
and sent again; for any other entry, the session moves to that entry. The path left keeps its branch, or gets one.
To switch by name, or to stay on a message, use sess switch.`,
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
    ['sess navigate 3b1f~2', 'go to an entry, or to before a user message'],
    ['sess navigate 3b1f/at-1d9fca05 --digest', 'go to another path, with a digest of this one'],
  ])
}
