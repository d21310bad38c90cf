import { digestOfBytes, mapLinks, NO_LINKS, oidOfEntry } from '../model/entry.ts'
import type { Json } from '../model/json.ts'
import type { Oid } from '../model/oid.ts'
import { traitsOf, type View } from '../model/view.ts'
import { weightOf } from '../model/weight.ts'
import type { Row, RowLinks } from '../repo/backend.ts'
import type { Change } from '../repo/repo.ts'

/** An entry that is to be stored. */
export interface NewEntry {
  readonly type: string
  readonly body: Json
  /** The canonical bytes of the body, to be kept. */
  readonly canonical: Uint8Array
  readonly view: View
  readonly parents: readonly Row[]
  readonly links?: RowLinks
}

/** Stores an entry unless it is there, and gives its oid and its row. Its relatives must be there. */
export async function addEntry(
  { backend, transaction }: Pick<Change, 'backend' | 'transaction'>,
  { type, body, canonical, view, parents, links }: NewEntry,
): Promise<{ readonly oid: Oid; readonly row: Row }> {
  const oids: Oid[] = []
  for (const parent of parents) {
    const oid = backend.oid(parent)
    // Of what is at hand many are added, and each turn of the event loop counts.
    oids.push(oid instanceof Promise ? await oid : oid)
  }
  const named = links === undefined ? NO_LINKS : await mapLinks(links, (row) => backend.oid(row))
  const digest = digestOfBytes(canonical)
  const oid = oidOfEntry({ parents: oids, type, digest, links: named })
  const [traits, weight] = [traitsOf(view), weightOf(view)]
  return {
    oid,
    row: transaction.add({ oid, type, parents, links: links ?? {}, digest, traits, weight, body, canonical }),
  }
}
