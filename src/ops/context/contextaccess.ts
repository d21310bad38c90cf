import { fullViewOf } from '../../formats/registry.ts'
import type { ContextAccess } from '../../graph/contextwalk.ts'
import { type Awaitable, andThen } from '../../model/awaitable.ts'
import type { Json } from '../../model/json.ts'
import type { View } from '../../model/view.ts'
import { type Backend, NEAR, type Node, type Row } from '../../repo/backend.ts'
import { withBlobs } from './blobs.ts'

/** Gives the item of a context that an entry is, where more or less is kept of it than its view. */
export type Told = NonNullable<ContextAccess<Row>['told']>

/** Gives graph code its access to entries: parents, traits and links without bodies, views from bodies. */
export function accessTo(
  backend: Backend,
  viewOf: (type: string, body: Json) => View,
  told?: Told,
): ContextAccess<Row> {
  // What is asked of one entry is asked in a row.
  let asked: Node | undefined
  const of = <T>(row: Row, get: (node: Node) => Awaitable<T>): Awaitable<T> =>
    asked?.row === row ? get(asked) : andThen(backend.node(row), (node) => get((asked = node)))
  return {
    parent: (row) => of(row, ({ parents }) => parents[0]),
    traits: (row) => of(row, ({ traits }) => traits),
    links: (row) => of(row, ({ links }) => links),
    others: (row) => of(row, ({ parents }) => parents.slice(1)),
    ready: (rows) => backend.fetch(rows),
    view: (row) =>
      andThen(backend.body(row), (body) =>
        of(row, ({ type }) => withBlobs(backend, viewOf(type, body), viewOf === fullViewOf)),
      ),
    ...(told && { told }),
    setter: (row, bit) =>
      of(row, ({ near }) => {
        const nearest = near[NEAR.indexOf(bit)]
        return nearest === undefined || nearest < 0 ? undefined : nearest
      }),
  }
}
