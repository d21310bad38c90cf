import type { Json } from '../../src/model/json.ts'

/** Shapes of envelopes that bodies do not follow key by key: what is wrong, the shape, and a body. */
export const UNFOLLOWED: readonly (readonly [why: string, shape: string, body: Json])[] = [
  ['keys in another order', '{"a":0,"b":0}', { b: 2, a: 1 }],
  ['more than the record has', '{"a":0}', { a: 1, b: 2 }],
  ['less than the record has', '{"a":0,"b":0}', { a: 1 }],
  ['a list where an object stands', '{"a":{"b":0}}', { a: [1] }],
  ['an object where a list stands', '{"a":[0]}', { a: { b: 1 } }],
  ['a list of another length', '{"a":[0,0]}', { a: [1] }],
  ['fewer values than places', '{"a":0,"b":1}', { a: 1 }],
  ['a body that is not under its keys', '@[["m"],{"n":0}]', 1],
  ['a body that is under none', '@[["m"],0]', 1],
  ['a list where the body is under a key', '@[["m"],[0]]', [1]],
  ['nothing of the body', '@[["m"],{"n":1}]', 1],
]
