import { isObject } from '../model/json.ts'
import type { Append } from '../ops/append/request.ts'
import { entryIn } from '../ops/entryjson.ts'
import { json } from './jsonvalue.ts'
import { anything, object, string } from './schema.ts'

export type { Append } from '../ops/append/request.ts'
export { draftIn, entryIn } from '../ops/entryjson.ts'
export type { EntryDraft } from '../ops/hashobject.ts'

/** An entry to append: an object with a body and a type. */
export const entry = json<Append>('entry', {
  takes: 'an object with a body, and a type unless it is a message',
  schema: object({ body: anything }, { type: string }),
  take: (value) => (isObject(value) ? entryIn(value) : undefined),
})
