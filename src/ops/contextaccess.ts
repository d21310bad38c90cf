import { fullViewOf } from '../formats/registry.ts'
import type { ContextItem } from '../graph/context.ts'
import type { ContextAccess } from '../graph/contextwalk.ts'
import { type Awaitable, andThen } from '../model/awaitable.ts'
import type { Json } from '../model/json.ts'
import type { View } from '../model/view.ts'
import { type Backend, NEAR, type Node, type Row } from '../repo/backend.ts'
import { withBlobs } from './blobs.ts'

/** What an entry says. */
export interface Said {
  readonly type: string
  readonly body: Json
}

/** Gives what is kept of an item of a context, from it and what its entry says. */
export type Told = (item: ContextItem<Row>, said: Said) => Awaitable<ContextItem<Row>>

/** Gives graph code its access to entries: parents, traits and links without bodies, views from bodies. */
export function accessTo(
  backend: Backend,
  viewOf: (type: string, body: Json) => View,
  told?: Told,
): ContextAccess<Row> {
  // What is asked of one entry is asked in a row.
  let asked: Node | undefined
  let said: Said = { type: '', body: null }
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
        of(row, ({ type }) => {
          said = { type, body }
          return withBlobs(backend, viewOf(type, body), viewOf === fullViewOf)
        }),
      ),
    ...(told && { kept: (item) => told(item, said) }),
    setter: (row, bit) =>
      of(row, ({ near }) => {
        const nearest = near[NEAR.indexOf(bit)]
        return nearest === undefined || nearest < 0 ? undefined : nearest
      }),
  }
}
