import { fullViewOf } from '../../formats/registry.ts'
import type { ContextAccess } from '../../graph/contextwalk.ts'
import type { Json } from '../../model/json.ts'
import { type EntryHandle, NEAR, type Node } from '../../model/node.ts'
import type { View } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import { withBlobs } from './blobs.ts'

/** Gives the item of a context that an entry is, where more or less is kept of it than its view. */
export type Told = NonNullable<ContextAccess<EntryHandle>['told']>

/** Gives graph code its access to entries: parents, traits and links without bodies, views from bodies. */
export function accessTo(
  reader: Reader,
  viewOf: (type: string, body: Json) => View,
  told?: Told,
): ContextAccess<EntryHandle> {
  // What is asked of one entry is asked in a row.
  let asked: Node | undefined
  const of = async (handle: EntryHandle): Promise<Node> =>
    asked?.handle === handle ? asked : (asked = await reader.node(handle))
  return {
    parent: async (handle) => (await of(handle)).parents[0],
    traits: async (handle) => (await of(handle)).traits,
    links: async (handle) => (await of(handle)).links,
    others: async (handle) => (await of(handle)).parents.slice(1),
    ready: (handles) => reader.prefetch(handles),
    view: async (handle) => {
      const { type } = await of(handle)
      return withBlobs(reader, viewOf(type, await reader.body(handle)), viewOf === fullViewOf)
    },
    ...(told && { told }),
    setter: async (handle, bit) => (await of(handle)).near[NEAR.indexOf(bit)],
  }
}
