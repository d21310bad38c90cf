import { fullViewOf } from '../../formats/registry.ts'
import type { ContextAccess } from '../../graph/contextwalk.ts'
import { type Awaitable, andThen } from '../../model/awaitable.ts'
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
  const of = <T>(handle: EntryHandle, get: (node: Node) => Awaitable<T>): Awaitable<T> =>
    asked?.handle === handle ? get(asked) : andThen(reader.node(handle), (node) => get((asked = node)))
  return {
    parent: (handle) => of(handle, ({ parents }) => parents[0]),
    traits: (handle) => of(handle, ({ traits }) => traits),
    links: (handle) => of(handle, ({ links }) => links),
    others: (handle) => of(handle, ({ parents }) => parents.slice(1)),
    ready: (handles) => reader.prefetch(handles),
    view: (handle) =>
      andThen(reader.body(handle), (body) =>
        of(handle, ({ type }) => withBlobs(reader, viewOf(type, body), viewOf === fullViewOf)),
      ),
    ...(told && { told }),
    setter: (handle, bit) => of(handle, ({ near }) => near[NEAR.indexOf(bit)]),
  }
}
