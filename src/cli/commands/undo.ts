import { undo } from '../../ops/undo.ts'
import { defineCommand, output } from '../define.ts'
import { turnSchema } from '../outputschemas.ts'
import { flag, operation, option, optional, session } from '../parameters.ts'
import { turnAnswer } from '../render/operation.ts'

/** `sess undo`: undoes an operation. */
export const command = defineCommand({
  effect: 'write',
  arguments: {
    operation: optional(
      operation(),
      'its number, or 4 or more digits of its id; by default the last command',
    ),
  },
  options: {
    any: flag('also operations of agents and of the library'),
    session: option(session(), 'only operations on this session'),
  },
  help: `Each ref that the operation moved gets its former value back. If one of them has moved since, nothing changes.
Entries are never removed: sess redo restores the refs. Another undo reverts the command before; an undo that is
named is itself reverted.`,
  examples: [
    ['sess undo -n', 'show what would be undone'],
    ['sess undo 1 -n', 'the same for operation 1'],
    ['sess undo --any --session 3b1f -n', 'the last operation on a session, by anyone'],
    ['sess undo', 'undo the last command'],
  ],
  output: output('One object.', turnSchema),
  run: async (call, input) => turnAnswer(call, await undo(await call.repo(), input)),
})
