import { isObject } from '../model/json.ts'
import type { Append } from '../ops/append/request.ts'
import { draftIn, entryIn } from '../ops/entryjson.ts'
import type { EntryDraft } from '../ops/hashobject.ts'
import { json } from './jsonvalue.ts'
import { anything, arrayOf, object, string } from './schema.ts'

export type { Append } from '../ops/append/request.ts'
export { draftIn, entryIn } from '../ops/entryjson.ts'

/** An entry to append: an object with a body and a type. */
export const entry = json<Append>('entry', {
  takes: 'an object with a body, and a type unless it is a message',
  schema: object({ body: anything }, { type: string }),
  take: (value) => (isObject(value) ? entryIn(value) : undefined),
})

/** An entry to hash: an object that also names its parents and links, by revisions. */
export const draft = json<EntryDraft>('entry', {
  takes: 'an object with a body, and a type unless it is a message',
  schema: object(
    { body: anything },
    {
      type: string,
      parents: arrayOf(string),
      links: object({}, { firstKept: string, kept: arrayOf(string), target: string }),
    },
  ),
  take: (value) => (isObject(value) ? draftIn(value) : undefined),
})
