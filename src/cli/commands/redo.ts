import { redo } from '../../verbs/redo.ts'
import { present } from '../present.ts'
import { undoAnswer } from '../render/undone.ts'

/** `sess redo`: redoes what was undone. */
export const command = present(redo, {
  help: 'Repeats the last undo first, then the one before it. After a new command there is nothing to redo.',
  examples: [
    ['sess redo -n', 'show what would be redone'],
    ['sess redo', 'redo the last undo'],
  ],
  show: undoAnswer,
})
