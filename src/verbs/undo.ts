import { undo as undoOperation } from '../ops/undo.ts'
import { flag, optional } from './input.ts'
import { operation, session } from './values.ts'
import { output, verb } from './verb.ts'
import { turnSchema } from './wire.ts'

export const undo = verb({
  name: 'undo',
  summary: 'undo the last command, or another one',
  effect: 'write',
  input: {
    operation: optional(
      operation(),
      'its number, or 4 or more digits of its id; by default the last command',
    ),
    any: flag('also operations of agents and of the library'),
    session: optional(session(), 'only operations on this session'),
  },
  output: output(turnSchema),
  run: ({ repo }, input) => undoOperation(repo, input),
})
