import { NodeSet } from '../graph/nodeset.ts'
import { range } from '../graph/range.ts'
import { encode } from '../model/canonical.ts'
import type { Oid } from '../model/oid.ts'
import type { Backend, Row } from '../repo/backend.ts'
import type { Repo } from '../repo/repo.ts'
import { allSessions, tipOf } from '../repo/session.ts'

/** Where an entry stands in the graph, by oids. */
export interface Place {
  readonly oid: Oid
  readonly parents: readonly Oid[]
}

/** An entry without what it says. */
export interface StoredObject extends Place {
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
  yield* repo.stream(async function* (backend) {
    const hidden = dangling ? await reachedByRefs(backend) : undefined
    for await (const row of backend.rows()) {
      if (hidden?.has(row)) continue
      const { type } = await backend.node(row)
      const object = { ...(await placeOf(backend, row)), type }
      yield size ? { ...object, size: encode(await backend.body(row)).length } : object
    }
  })
}

async function reachedByRefs(backend: Backend): Promise<NodeSet> {
  const reached = new NodeSet()
  for await (const row of range(await allTips(backend), [], (node) => backend.node(node))) reached.add(row)
  return reached
}

/** Gives the entries that branches, labels and HEADs of all sessions name. */
export async function allTips(backend: Backend): Promise<Set<Row>> {
  const tips = new Set<Row>()
  for await (const session of allSessions(backend))
    for (const oid of [tipOf(session), ...session.branches.values(), ...session.labels.values()]) {
      const row = oid === undefined ? undefined : await backend.find(oid)
      if (row !== undefined) tips.add(row)
    }
  return tips
}

/** Gives where an entry stands in the graph. */
export async function placeOf(backend: Backend, row: Row): Promise<Place> {
  const parents: Oid[] = []
  for (const parent of (await backend.node(row)).parents) parents.push(await backend.oid(parent))
  return { oid: await backend.oid(row), parents }
}
