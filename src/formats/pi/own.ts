import { iso } from '../../model/iso.ts'
import { isObject, type JsonObject, without } from '../../model/json.ts'
import type { DraftEntry, Index } from '../write.ts'

/** Where an entry stands in the file that is written, and how it names others. */
type Fields = JsonObject & { readonly type: string }

/**
 * Gives the record of an entry in a form of pi without its place in the tree: as its source held it, else its body, with what
 * names other records named anew. None where it edits an entry that is not there.
 */
export function own(
  { type, body, value, links }: DraftEntry,
  time: number,
  idOf: (at: Index) => string | undefined,
): Fields[] {
  const kind = type.slice(type.indexOf('/') + 1)
  const held = isObject(value) ? value : isObject(body) ? body : {}
  const at = typeof held.timestamp === 'number' ? { timestamp: iso(held.timestamp) } : {}
  const fields = { ...without(held, ...PLACES), ...at, type: kind }
  switch (kind) {
    case 'compaction': {
      const kept = links.firstKept === undefined ? undefined : idOf(links.firstKept)
      return [{ ...fields, ...(kept !== undefined && { firstKeptEntryId: kept }) }]
    }
    case 'context_edit': {
      const target = links.target === undefined ? undefined : idOf(links.target)
      return target === undefined ? [] : [{ ...fields, targetId: target }]
    }
    case 'branch_summary':
      return [{ ...fields, fromId: held.fromId ?? 'root' }]
    case 'message':
      return [isObject(held.message) ? { ...fields, message: current(held.message, time) } : fields]
    default:
      return [fields]
  }
}

/** What says where a record stands, and names others. */
const PLACES = [
  ...['id', 'parentId', 'firstKeptEntryId', 'firstKeptEntryIndex', 'targetId', 'fromId'],
  ...['kind', 'lane', 'seq'],
  ...['parent', 'backToIndex', 'summarizedPath', 'uuid', 'parentUuid', 'firstKeptEntryUuid'],
]

/** Version 3 calls `custom` what version 2 called `hookMessage`; a body has no time. */
const current = (message: JsonObject, time: number): JsonObject => ({
  ...message,
  ...(message.role === 'hookMessage' && { role: 'custom' }),
  ...(message.timestamp === undefined && { timestamp: time }),
})
