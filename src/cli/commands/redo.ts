import { redo } from '../../ops/redo.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { told } from '../turned.ts'

/** `sess redo`: does again what was undone. */
export const define: Define = (command, act) => {
  command
    .addHelpText(
      'after',
      '\nRepeats the last undo first, then the one before it. After a new command there is nothing to redo.',
    )
    .action(act(async (call) => told(call, await redo(await call.repo()))))
  examples(command, [
    ['sess redo -n', 'show what would be redone'],
    ['sess redo', 'redo the last undo'],
  ])
}
