import { redo as redoOperation } from '../ops/undo.ts'
import { output, verb } from './verb.ts'
import { turnSchema } from './wire.ts'

export const redo = verb({
  name: 'redo',
  summary: 'redo what was undone',
  effect: 'write',
  input: {},
  output: output(turnSchema),
  run: ({ repo }) => redoOperation(repo),
})
