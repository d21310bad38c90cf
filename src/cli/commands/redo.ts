import { redo } from '../../ops/undo.ts'
import { defineCommand, output } from '../define.ts'
import { turnSchema } from '../outputschemas.ts'
import { turnAnswer } from '../render/operation.ts'

/** `sess redo`: redoes what was undone. */
export const command = defineCommand({
  effect: 'write',
  help: 'Repeats the last undo first, then the one before it. After a new command there is nothing to redo.',
  examples: [
    ['sess redo -n', 'show what would be redone'],
    ['sess redo', 'redo the last undo'],
  ],
  output: output('One object.', turnSchema),
  run: async (call) => turnAnswer(call, await redo(await call.repo())),
})
