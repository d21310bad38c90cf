import { redo } from '../../ops/redo.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { told } from '../turned.ts'

/** `sess redo`: does again what was undone. */
export const define: Define = (command, act) => {
  command
    .addHelpText(
      'after',
      '\nWhat was undone last comes first; again goes on to what was undone before. After a new command there is\n' +
        'nothing to redo any more.',
    )
    .action(act(async (call) => told(call, await redo(await call.repo()))))
  examples(command, [
    ['sess redo -n', 'say what would be done again'],
    ['sess redo', 'take the last undo back'],
  ])
}
