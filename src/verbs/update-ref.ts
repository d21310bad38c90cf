import { isObject, type Json } from '../model/json.ts'
import { type RefUpdate, updateRefs } from '../ops/updateref.ts'
import { atLeastOne } from './input.ts'
import { json } from './jsonvalue.ts'
import { described, nullable, object, string } from './schema.ts'
import { listOf, output, verb } from './verb.ts'

export type { RefUpdate } from '../ops/updateref.ts'

const valueSchema = described('an oid, ref:BRANCH, root:, or null if there is no such ref', nullable(string))

/** A move of a ref: from an expected value to a new one, each null for no such ref. */
const update = json<RefUpdate>('update', {
  takes: 'an object with a name, and the values to and from',
  schema: object({ name: string }, { to: nullable(string), from: nullable(string) }),
  take: updateIn,
})

function updateIn(value: Json): RefUpdate | undefined {
  if (!isObject(value) || typeof value.name !== 'string') return undefined
  const { name, to, from } = value
  const isValue = (one: Json | undefined): one is string | null | undefined =>
    one === undefined || one === null || typeof one === 'string'
  if (!isValue(to) || !isValue(from)) return undefined
  return { name, ...(to !== undefined && { to }), ...(from !== undefined && { from }) }
}

export const updateRef = verb({
  name: 'update-ref',
  summary: 'update refs atomically',
  effect: 'write',
  input: { update: atLeastOne(update, 'the moves: either all of them happen or none') },
  output: listOf(output(object({ name: string, old: valueSchema, new: valueSchema }))),
  run: ({ repo }, { update: updates }) => updateRefs(repo, updates),
})
