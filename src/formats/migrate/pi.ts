import { isObject, type JsonObject, without } from '../../model/json.ts'
import { Ids, sessionIdIn } from './ids.ts'
import type { Item, Step } from './step.ts'

/**
 * Version 1 to 2: each record continues the one before; a place to keep from becomes the id of the record there. It
 * becomes nothing where that is the header, or stands behind the compaction.
 */
const v1: Step = {
  from: 'v1',
  to: 'v2',
  *migrate(items) {
    const ids = new Ids(sessionIdIn(items[0]?.value))
    const byIndex = new Map<number, string>()
    let parentId: string | null = null
    for (const { value, index } of items) {
      if (value.type === 'session') {
        yield { ...value, version: 2 }
        continue
      }
      const id = ids.next(value)
      if (index !== undefined) byIndex.set(index, id)
      yield { ...withKept(value, byIndex), id, parentId }
      parentId = id
    }
  },
}

function withKept(value: JsonObject, ids: ReadonlyMap<number, string>): JsonObject {
  const { firstKeptEntryIndex: index } = value
  if (value.type !== 'compaction' || typeof index !== 'number') return value
  const firstKeptEntryId = ids.get(index)
  const rest = without(value, 'firstKeptEntryIndex')
  return firstKeptEntryId === undefined ? rest : { ...rest, firstKeptEntryId }
}

/** Version 2 to 3: what hooks say has another role. */
const v2: Step = {
  from: 'v2',
  to: 'v3',
  *migrate(items) {
    for (const { value } of items)
      if (value.type === 'session') yield { ...value, version: 3 }
      else if (value.type === 'message' && isObject(value.message) && value.message.role === 'hookMessage')
        yield { ...value, message: { ...value.message, role: 'custom' } }
      else yield value
  },
}

export const piSteps: readonly Step[] = [v1, v2]

/** Gives the items of records that no loader skips. */
export const itemsOf = (values: Iterable<JsonObject>): Item[] =>
  [...values].map((value, index) => ({ value, index }))
