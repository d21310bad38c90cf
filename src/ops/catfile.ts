import { entryLine } from '../formats/sess.ts'
import { inOrder } from '../graph/order.ts'
import { chunksOf, prefetched } from '../model/async.ts'
import { mapLinks } from '../model/encoding/entry.ts'
import { isOid, type Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import { addTo } from '../model/lists.ts'
import type { EntryHandle } from '../model/node.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { oidsOf } from './entries.ts'
import { verifiedBody } from './show.ts'

/** Returns the entry that a revision names as sess's own format writes it: oid, parents, type, body, links. */
export const catFile = (repo: Repo, revision: string): Promise<JsonObject> =>
  repo.read(async (reader) => fileOf(reader, (await resolve(reader, revision)).handle))

/** The number of bodies that are fetched together. */
const TOGETHER = 64

/** Returns the same for several revisions, with `missing` for one that names nothing and `ambiguous` for several things. */
export const catFiles = (repo: Repo, revisions: readonly string[]): Promise<JsonObject[]> =>
  repo.read(async (reader) => {
    const files: JsonObject[] = []
    const places = new Map<EntryHandle, number[]>()
    const whole = await reader.findMany(revisions.filter(isOid))
    for (const [at, revision] of revisions.entries()) {
      const found = whole.get(revision as Oid) ?? (await handleOrWhy(reader, revision))
      if (typeof found === 'object') files[at] = found
      else addTo(places, found, at)
    }
    // In the order in which the store keeps them, so that each block of bodies is unpacked once.
    const handles = await inOrder(places.keys(), lookIn(reader))
    const fetched = prefetched(chunksOf(handles, TOGETHER), async (some) => {
      await reader.prefetch(some)
      return some
    })
    for await (const some of fetched)
      for (const handle of some)
        for (const at of places.get(handle) ?? []) files[at] = await fileOf(reader, handle)
    return files
  })

async function fileOf(reader: Reader, handle: EntryHandle): Promise<JsonObject> {
  const { parents, type, links } = await reader.node(handle)
  const named = await mapLinks(links, (link) => reader.oid(link))
  const body = await verifiedBody(reader, handle)
  return entryLine({
    oid: await reader.oid(handle),
    parents: await oidsOf(reader, parents),
    type,
    links: named,
    body,
  })
}

async function handleOrWhy(reader: Reader, revision: string): Promise<EntryHandle | JsonObject> {
  try {
    return (await resolve(reader, revision)).handle
  } catch (error) {
    if (!(error instanceof SessError) || error.kind !== 'user') throw error
    return error.code === 'ambiguous-revision' ? { ambiguous: revision } : { missing: revision }
  }
}
