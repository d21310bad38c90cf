import { digestOfBytes, mapLinks, oidOfEntry } from '../../model/entry.ts'
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

/** Stores an entry unless it is there, and returns its oid and handle. Its relatives must be there. */
export async function addEntry({ reader, writer }: Into, entry: NewEntry): Promise<Added> {
  const { type, body, canonical, view, parents, links = {} } = entry
  const oids: Oid[] = []
  for (const parent of parents) oids.push(await reader.oid(parent))
  const digest = digestOfBytes(canonical)
  const named = await mapLinks(links, (handle) => reader.oid(handle))
  const oid = oidOfEntry({ parents: oids, type, digest, links: named })
  const [traits, weight] = [traitsOf(view), weightOf(view)]
  return {
    oid,
    handle: writer.addEntry({ oid, type, parents, links, digest, traits, weight, body, canonical }),
  }
}
