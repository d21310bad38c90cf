import { fullViewOf } from '../formats/registry.ts'
import type { ContextAccess } from '../graph/contextwalk.ts'
import type { Json } from '../model/json.ts'
import type { View } from '../model/view.ts'
import { type Backend, NEAR, type Node, type Row } from '../repo/backend.ts'
import { withBlobs } from './blobs.ts'

/**
 * Gives graph code its access to entries: parents, traits and links without bodies, views from bodies. Bodies that
 * were read are kept in `bodies`, where that is given.
 */
export function accessTo(
  backend: Backend,
  viewOf: (type: string, body: Json) => View,
  bodies?: Map<Row, Json>,
): ContextAccess<Row> {
  // What is asked of one entry is asked in a row.
  let asked: Node | undefined
  const node = async (row: Row): Promise<Node> =>
    asked?.row === row ? asked : (asked = await backend.node(row))
  return {
    parent: async (row) => (await node(row)).parents[0],
    traits: async (row) => (await node(row)).traits,
    links: async (row) => (await node(row)).links,
    others: async (row) => (await node(row)).parents.slice(1),
    view: async (row) => {
      const body = await backend.body(row)
      bodies?.set(row, body)
      return withBlobs(backend, viewOf((await node(row)).type, body), viewOf === fullViewOf)
    },
    setter: async (row, bit) => {
      const nearest = (await node(row)).near[NEAR.indexOf(bit)]
      return nearest === undefined || nearest < 0 ? undefined : nearest
    },
  }
}
