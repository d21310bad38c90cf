import { digestOfBytes, type Links, mapLinks, NO_LINKS, oidOfEntry } from '../../model/entry.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { EntryHandle, NodeLinks } from '../../model/node.ts'
import type { Oid } from '../../model/oid.ts'
import { fromValue } from '../../model/value.ts'
import { traitsOf, type View } from '../../model/view.ts'
import { weightOf } from '../../model/weight.ts'
import type { Change } from '../../repo/repo.ts'

/** An entry that is to be stored. */
export interface NewEntry {
  readonly type: string
  readonly body: Json
  /** The canonical bytes of the body, to be kept. */
  readonly canonical: Uint8Array
  readonly view: View
  readonly parents: readonly EntryHandle[]
  readonly links?: NodeLinks
}

/** Gives a body of what a caller said as JSON: half a surrogate pair, say, or a value that is none. */
export const bodyOf = (said: object): JsonObject => fromValue(said) as JsonObject

/** An entry that is stored. */
export interface Added {
  readonly oid: Oid
  readonly handle: EntryHandle
}

type Into = Pick<Change, 'reader' | 'writer'>

/**
 * Stores an entry unless it is there, and returns its oid and its handle: at once where its relatives are at hand, for of
 * such entries many are added, and each turn of the event loop counts. Its relatives must be there.
 */
export function addEntry(into: Into, entry: NewEntry): Added | Promise<Added> {
  const { parents, links } = entry
  if (parents.length > 1 || (links && Object.keys(links).length > 0)) return addRelated(into, entry)
  const [parent] = parents
  const oid = parent === undefined ? undefined : into.reader.oid(parent)
  if (oid instanceof Promise) return addRelated(into, entry)
  return added(into, entry, oid === undefined ? [] : [oid], NO_LINKS)
}

async function addRelated(into: Into, entry: NewEntry): Promise<Added> {
  const { reader } = into
  const oids: Oid[] = []
  for (const parent of entry.parents) oids.push(await reader.oid(parent))
  return added(into, entry, oids, await mapLinks(entry.links ?? {}, (handle) => reader.oid(handle)))
}

function added(
  { writer }: Into,
  { type, body, canonical, view, parents, links = {} }: NewEntry,
  oids: readonly Oid[],
  named: Links,
): Added {
  const digest = digestOfBytes(canonical)
  const oid = oidOfEntry({ parents: oids, type, digest, links: named })
  const [traits, weight] = [traitsOf(view), weightOf(view)]
  const handle = writer.addEntry({ oid, type, parents, links, digest, traits, weight, body, canonical })
  return { oid, handle }
}
