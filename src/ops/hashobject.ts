import { viewOf } from '../formats/registry.ts'
import { isAncestor } from '../graph/walk.ts'
import { encode } from '../model/encoding/canonical.ts'
import { digestOf, type LinksBy, mapLinks, oidOfEntry } from '../model/encoding/entry.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { Change, Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { addEntry } from './append/nativelog.ts'

/** An entry whose parents and links are revisions. */
export interface EntryDraft {
  readonly type: string
  readonly body: Json
  readonly parents: readonly string[]
  readonly links: LinksBy<string>
}

/** Returns the oid of an entry without storing it. `find` resolves revisions. */
export async function hashDraft(
  { type, body, parents, links }: EntryDraft,
  find: (revision: string) => Promise<Oid>,
): Promise<Oid> {
  const oids: Oid[] = []
  for (const parent of parents) oids.push(await find(parent))
  return oidOfEntry({ parents: oids, type, digest: digestOf(body), links: await mapLinks(links, find) })
}

/** From this number on entries are packed into pages at once. */
const PACK_FROM = 16

/**
 * Stores entries in order, so that one may be a parent of the next, and returns their oids once they are durable. Moves no
 * ref, so there is no operation. Throws as `resolve`, and `bad-entry` if a link names no ancestor.
 */
export async function storeDrafts(repo: Repo, drafts: readonly EntryDraft[]): Promise<Oid[]> {
  return repo.write({ bulk: drafts.length >= PACK_FROM }, async (change) => {
    const oids: Oid[] = []
    for (const draft of drafts) {
      oids.push(await store(change, draft))
      if (oids.length % 256 === 0) await change.writer.flush()
    }
    return oids
  })
}

async function store(change: Change, { type, body, ...relatives }: EntryDraft): Promise<Oid> {
  const { reader } = change
  const find = async (revision: string): Promise<EntryHandle> => (await resolve(reader, revision)).handle
  const parents: EntryHandle[] = []
  for (const parent of relatives.parents) parents.push(await find(parent))
  const links = await mapLinks(relatives.links, async (revision) => {
    const handle = await find(revision)
    if (await isAbove(reader, handle, parents)) return handle
    throw new SessError('bad-entry', `the link '${revision}' names no ancestor`)
  })
  const entry = { type, body, canonical: encode(body), view: viewOf(type, body), parents, links }
  return (await addEntry(change, entry)).oid
}

async function isAbove(
  reader: Reader,
  handle: EntryHandle,
  parents: readonly EntryHandle[],
): Promise<boolean> {
  for (const parent of parents) if (await isAncestor(handle, parent, lookIn(reader))) return true
  return false
}
