import { short } from '../../model/oid.ts'
import { fork } from '../../ops/fork.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { textLines } from '../render/treemove.ts'

interface Options {
  readonly title?: string
  readonly before?: boolean
}

/** `sess fork`: begins a session that shares the path of an entry. */
export const define: Define = (command, act) => {
  command
    .argument('<revision>', 'a session, or an entry of one')
    .option('--title <title>', 'the title of the new session')
    .option('--before', 'fork before a user message, and print its text so that it can be sent again')
    .addHelpText('after', '\nNothing is copied: a fork costs the same at the end of any history.')
    .action(
      act(async (call, revision: string, { title, before }: Options) => {
        const { io } = call
        const made = await fork(await call.repo(), revision, {
          ...(title !== undefined && { title }),
          ...(before && { before }),
        })
        if (io.json) {
          await io.data(made)
          return
        }
        const { session, tip, text } = made
        await io.print(
          tip === null
            ? `Made session ${session}, which has no entries yet`
            : `Forked at ${short(tip)} into session ${session}`,
        )
        for (const line of text === undefined ? [] : textLines(text)) await io.print(...line)
      }),
    )
  examples(command, [
    ['sess fork 3b1f', 'fork at the current entry'],
    ['sess fork --before 3b1f~3', 'fork before a message, to send another one'],
    ['sess fork 3b1f~4 --title "Without a library"', 'fork at an earlier entry'],
  ])
}
