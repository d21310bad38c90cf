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
    ['sess undo', 'take the last command back'],
    ['sess undo 12', 'take operation 12 back, if nothing came in between'],
    ['sess undo --any --session Tea', 'take back the last that happened to a session, whoever did it'],
  ])
}
