import { undo } from '../../verbs/undo.ts'
import { present } from '../present.ts'
import { undoAnswer } from '../render/undone.ts'

/** `sess undo`: undoes an operation. */
export const command = present(undo, {
  arguments: ['operation'],
  help: `Each ref that the operation moved gets its former value back. If one of them has moved since, nothing changes.
Entries are never removed: sess redo restores the refs. Another undo reverts the command before; an undo that is
named is itself reverted.`,
  examples: [
    ['sess undo -n', 'show what would be undone'],
    ['sess undo 1 -n', 'the same for operation 1'],
    ['sess undo --any --session 3b1f -n', 'the last operation on a session, by anyone'],
    ['sess undo', 'undo the last command'],
  ],
  show: undoAnswer,
})
