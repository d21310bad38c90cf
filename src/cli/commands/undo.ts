import { type UndoOptions, undo } from '../../ops/undo.ts'
import type { Define } from '../call.ts'
import { examples } from '../examples.ts'
import { told } from '../turned.ts'

/** `sess undo`: takes an operation back. */
export const define: Define = (command, act) => {
  command
    .argument('[operation]', 'its number, or 4 or more digits of its id; without one the last command')
    .option('--any', 'also what was not typed: what agents did through the library')
    .option('--session <session>', 'only what touched this session')
    .addHelpText(
      'after',
      '\nEach ref that the operation moved is what it was before. Where something has moved one of them since,\n' +
        'nothing is changed. What was said is never removed: sess redo brings it back. To undo again takes the\n' +
        'command before; an undo that is named is taken back itself.',
    )
    .action(
      act(async (call, operation: string | undefined, options: Omit<UndoOptions, 'operation'>) => {
        const repo = await call.repo()
        await told(call, await undo(repo, { ...options, ...(operation === undefined ? {} : { operation }) }))
      }),
    )
  examples(command, [
    ['sess undo -n', 'say what would be taken back'],
    ['sess undo 1 -n', 'the same of operation 1'],
    ['sess undo --any --session 3b1f -n', 'and of the last that happened to a session, whoever did it'],
    ['sess undo', 'take the last command back'],
  ])
}
