import { reachable } from '../graph/walk.ts'
import { encode } from '../model/encoding/canonical.ts'
import type { Oid } from '../model/encoding/oid.ts'
import type { EntryHandle } from '../model/node.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { allSessions } from '../repo/session.ts'
import { oidsOf, tipsOf } from './entries.ts'

/** The oids of an entry and of its parents. */
export interface EntryPosition {
  readonly oid: Oid
  readonly parents: readonly Oid[]
}

/** An entry without its body. */
export interface StoredObject extends EntryPosition {
  readonly type: string
  /** The length of its body in canonical bytes, where requested. */
  readonly size?: number
}

/** Options of a list of stored entries. */
export interface ListObjectsOptions {
  /** Only entries that no branch, label or HEAD of any session reaches. */
  readonly dangling?: boolean
  /** Read each body for its size. */
  readonly size?: boolean
}

/** Yields all entries of the store, reachable or not, in the order in which they were stored: parents before children. */
export async function* listObjects(
  repo: Repo,
  { dangling = false, size = false }: ListObjectsOptions = {},
): AsyncGenerator<StoredObject> {
  yield* repo.stream(async function* (reader) {
    const hidden = dangling ? await reachedByRefs(reader) : undefined
    for await (const handle of reader.entries()) {
      if (hidden?.has(handle)) continue
      const { type } = await reader.node(handle)
      const object = { ...(await positionOf(reader, handle)), type }
      yield size ? { ...object, size: encode(await reader.body(handle)).length } : object
    }
  })
}

async function reachedByRefs(reader: Reader): Promise<Set<EntryHandle>> {
  return reachable(await allTips(reader), lookIn(reader))
}

/** Returns the entries that branches, labels and HEADs of all sessions name. */
export async function allTips(reader: Reader): Promise<Set<EntryHandle>> {
  const tips = new Set<EntryHandle>()
  for await (const session of allSessions(reader))
    for (const handle of await tipsOf(reader, session, { labels: true })) tips.add(handle)
  return tips
}

/** Returns the oids of an entry and of its parents. */
export async function positionOf(reader: Reader, handle: EntryHandle): Promise<EntryPosition> {
  const { parents } = await reader.node(handle)
  return { oid: await reader.oid(handle), parents: await oidsOf(reader, parents) }
}
