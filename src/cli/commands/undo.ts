import { type UndoOptions, undo } from '../../ops/undo.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { told } from '../turned.ts'

/** `sess undo`: takes an operation back. */
export const define: Define = (command, act) => {
  command
    .argument('[operation]', 'its number, or 4 or more digits of its id; by default the last command')
    .option('--any', 'also operations of agents and of the library')
    .option('--session <session>', 'only operations on this session')
    .addHelpText(
      'after',
      `
Each ref that the operation moved gets its former value back. If one of them has moved since, nothing changes.
Entries are never removed: sess redo restores the refs. Another undo reverts the command before; an undo that is
named is itself reverted.`,
    )
    .action(
      act(async (call, operation: string | undefined, options: Omit<UndoOptions, 'operation'>) => {
        const repo = await call.repo()
        await told(call, await undo(repo, { ...options, ...(operation === undefined ? {} : { operation }) }))
      }),
    )
  examples(command, [
    ['sess undo -n', 'show what would be undone'],
    ['sess undo 1 -n', 'the same for operation 1'],
    ['sess undo --any --session 3b1f -n', 'the last operation on a session, by anyone'],
    ['sess undo', 'undo the last command'],
  ])
}
