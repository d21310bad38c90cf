import { viewOf } from '../formats/registry.ts'
import { digestOf } from '../model/entry.ts'
import { SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import type { View } from '../model/view.ts'
import type { Backend, Row } from '../repo/backend.ts'
import { isExpunged, tombstonesOf } from '../repo/guard.ts'
import { valueAt } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { namesOf } from './branch.ts'
import { withBlobs } from './context/blobs.ts'
import { PathRecords } from './context/pathrecords.ts'
import { type Surroundings, surroundingsOf } from './log/surroundings.ts'
import { type LogEntry, logEntry } from './log.ts'
import type { Pairs } from './set.ts'

/** One entry with all that is known of it. */
export interface Shown extends LogEntry {
  readonly view: View
  readonly body: Json
  readonly digest: string
  /** The record as its source held it, where the revision names a session that has one. */
  readonly record: Json | null
  /** The branches and the labels of that session that name the entry, and what its user set. */
  readonly branches: readonly string[]
  readonly labels: readonly string[]
  readonly set: Pairs
  /** The sub-agents that it started, by the ids of their sessions in their own system. */
  readonly agents: readonly string[]
  /** What stands before and behind it, and what its tool calls and results belong to. */
  readonly around: Surroundings
}

/** Gives one entry with its meaning, its body and its record. */
export async function show(repo: Repo, revision: string): Promise<Shown> {
  return repo.read(async (backend) => {
    const { row, session } = await resolve(backend, revision, repo.env.cwd)
    const finder = new PathRecords(backend, session)
    try {
      const found = await finder.find(row)
      const entry = await logEntry(backend, row, session, found)
      const body = await verifiedBody(backend, row)
      const record = found && (await valueAt(backend, found))
      const { digest } = await backend.node(row)
      const branches = namesOf(entry.oid, session?.branches ?? new Map())
      const labels = namesOf(entry.oid, session?.labels ?? new Map())
      const set = session?.meta.set ?? {}
      const view = await withBlobs(backend, viewOf(entry.type, body), false)
      const agents = Object.entries(session?.meta.agents ?? {}).flatMap(([id, oid]) =>
        oid === entry.oid ? [id] : [],
      )
      const around = await surroundingsOf(backend, row, view, session)
      return { ...entry, view, body, digest, record: record ?? null, branches, labels, set, agents, around }
    } finally {
      await finder.close()
    }
  })
}

/** Gives a body after comparing it with the digest that its entry holds; throws `corrupt` where the two differ. */
export async function verifiedBody(backend: Backend, row: Row): Promise<Json> {
  const body = await backend.body(row)
  const { digest } = await backend.node(row)
  const isSound = (await backend.digest(row)) === digest || digestOf(body) === digest
  // What was removed for good has left its digest behind.
  if (!isSound && !isExpunged(await tombstonesOf(backend), digest, body))
    throw new SessError('corrupt', `the body of ${await backend.oid(row)} is not what its digest says`)
  return body
}
