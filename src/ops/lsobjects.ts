import { range } from '../graph/range.ts'
import { encode } from '../model/canonical.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Oid } from '../model/oid.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { allSessions, tipOf } from '../repo/session.ts'

/** Where an entry stands in the graph, by oids. */
export interface EntryPosition {
  readonly oid: Oid
  readonly parents: readonly Oid[]
}

/** An entry without what it says. */
export interface StoredObject extends EntryPosition {
  readonly type: string
  /** Bytes of its body in canonical form, where that was asked for. */
  readonly size?: number
}

/** Which entries are listed, and what of them. */
export interface ListObjectsOptions {
  /** Only those that no branch, label or HEAD of any session reaches. */
  readonly dangling?: boolean
  /** Read each body for its size. */
  readonly size?: boolean
}

/** Gives all entries of the store, reachable or not, in the order in which they came, so parents before children. */
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
  const reached = new Set<EntryHandle>()
  for await (const handle of range(await allTips(reader), [], (node) => reader.node(node)))
    reached.add(handle)
  return reached
}

/** Gives the entries that branches, labels and HEADs of all sessions name. */
export async function allTips(reader: Reader): Promise<Set<EntryHandle>> {
  const tips = new Set<EntryHandle>()
  for await (const session of allSessions(reader))
    for (const oid of [tipOf(session), ...session.branches.values(), ...session.labels.values()]) {
      const handle = oid === undefined ? undefined : await reader.find(oid)
      if (handle !== undefined) tips.add(handle)
    }
  return tips
}

/** Gives where an entry stands in the graph. */
export async function positionOf(reader: Reader, handle: EntryHandle): Promise<EntryPosition> {
  const parents: Oid[] = []
  for (const parent of (await reader.node(handle)).parents) parents.push(await reader.oid(parent))
  return { oid: await reader.oid(handle), parents }
}
