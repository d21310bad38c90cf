import { restore } from '../ops/operations.ts'
import { optional, required } from './input.ts'
import { described, integer, nullable, object } from './schema.ts'
import { operation, session } from './values.ts'
import { output, verb } from './verb.ts'
import { OPERATION_NAME, refMovesSchema } from './wire.ts'

export const opRestore = verb({
  name: 'op-restore',
  summary: 'restore all refs to their values after an operation',
  effect: 'write',
  input: {
    operation: required(operation(), `${OPERATION_NAME}, or a time; 0 is the beginning`),
    session: optional(session(), 'only the refs of this session'),
  },
  output: output(
    object({
      operation: integer,
      by: described('null where nothing moved', nullable(integer)),
      moves: refMovesSchema,
    }),
  ),
  run: ({ repo, where }, { operation: name, ...options }) =>
    restore(repo, name, { zone: where.zone, ...options }),
})
