import { showOperation } from '../ops/operations.ts'
import { required } from './input.ts'
import { object } from './schema.ts'
import { operation } from './values.ts'
import { output, verb } from './verb.ts'
import { OPERATION, OPERATION_NAME, refMovesSchema } from './wire.ts'

export const opShow = verb({
  name: 'op-show',
  summary: 'show the refs that an operation moved',
  effect: 'read',
  input: { operation: required(operation(), OPERATION_NAME) },
  output: output(object({ ...OPERATION, moves: refMovesSchema })),
  run: ({ repo }, { operation: name }) => showOperation(repo, name),
})
