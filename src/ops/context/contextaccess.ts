import { fullViewOf } from '../../formats/registry.ts'
import type { ContextAccess } from '../../graph/contextwalk.ts'
import type { Json } from '../../model/json.ts'
import { type EntryHandle, NEAR, type Node } from '../../model/node.ts'
import type { View } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import { withBlobs } from '../images.ts'

/** Returns the item of a context for an entry; undefined where its view is enough. */
export type ItemSource = NonNullable<ContextAccess<EntryHandle>['itemOf']>

/** Returns the access of graph code to entries: parents, traits and links without bodies, views from bodies. */
export function accessTo(
  reader: Reader,
  viewOf: (type: string, body: Json) => View,
  told?: ItemSource,
): ContextAccess<EntryHandle> {
  // Consecutive questions mostly concern one entry.
  let asked: Node | undefined
  const of = async (handle: EntryHandle): Promise<Node> =>
    asked?.handle === handle ? asked : (asked = await reader.node(handle))
  return {
    parent: async (handle) => (await of(handle)).parents[0],
    traits: async (handle) => (await of(handle)).traits,
    links: async (handle) => (await of(handle)).links,
    otherParents: async (handle) => (await of(handle)).parents.slice(1),
    prefetch: (handles) => reader.prefetch(handles),
    view: async (handle) => {
      const { type } = await of(handle)
      return withBlobs(reader, viewOf(type, await reader.body(handle)), viewOf === fullViewOf)
    },
    ...(told && { itemOf: told }),
    setter: async (handle, bit) => (await of(handle)).near[NEAR.indexOf(bit)],
  }
}
