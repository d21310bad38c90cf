import { short } from '../../model/oid.ts'
import { fork } from '../../ops/fork.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'

interface Options {
  readonly title?: string
}

/** `sess fork`: begins a session that shares the path of an entry. */
export const define: Define = (command, act) => {
  command
    .argument('<revision>', 'a session, or an entry of one')
    .option('--title <title>', 'the title of the new session')
    .addHelpText('after', '\nNothing is copied: a fork costs the same at the end of any history.')
    .action(
      act(async (call, revision: string, { title }: Options) => {
        const { io } = call
        const made = await fork(await call.repo(), revision, title === undefined ? {} : { title })
        if (io.json) await io.data(made)
        else await io.print(`Forked at ${short(made.tip)} into session ${made.session}`)
      }),
    )
  examples(command, [
    ['sess fork 3b1f', 'go on elsewhere from where a session stands'],
    ['sess fork 3b1f~4 --title "Without a library"', 'or from an earlier entry'],
  ])
}
