import { digestOf } from '../model/entry.ts'
import { SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import type { View } from '../model/view.ts'
import { isExpunged } from '../repo/expunge/expungefilter.ts'
import { tombstonesOf } from '../repo/expunge/tombstones.ts'
import type { Reader } from '../repo/reader.ts'
import { valueAt } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { namesOf } from './branch.ts'
import { PathRecords } from './entries.ts'
import { withBlobs } from './images.ts'
import { type Surroundings, surroundingsOf } from './log/surroundings.ts'
import { type LogEntry, logEntry } from './log.ts'
import type { Pairs } from './setkeys.ts'

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

/** Returns one entry with its meaning, its body and its record. */
export async function show(repo: Repo, revision: string): Promise<Shown> {
  return repo.read(async (reader) => {
    const { handle, session } = await resolve(reader, revision, repo.env.cwd)
    const finder = new PathRecords(reader, session)
    try {
      const found = await finder.find(handle)
      const entry = await logEntry(reader, handle, session, found)
      const body = await verifiedBody(reader, handle)
      const record = found && (await valueAt(reader, found))
      const { digest } = await reader.node(handle)
      const branches = namesOf(entry.oid, session?.branches ?? new Map())
      const labels = namesOf(entry.oid, session?.labels ?? new Map())
      const set = session?.meta.set ?? {}
      const view = await withBlobs(reader, entry.view, false)
      const agents = Object.entries(session?.meta.agents ?? {}).flatMap(([id, oid]) =>
        oid === entry.oid ? [id] : [],
      )
      const around = await surroundingsOf(reader, handle, view, session)
      return { ...entry, view, body, digest, record: record ?? null, branches, labels, set, agents, around }
    } finally {
      await finder.close()
    }
  })
}

/** Returns a body after comparing it with the digest that its entry holds; throws `corrupt` where the two differ. */
export async function verifiedBody(reader: Reader, handle: EntryHandle): Promise<Json> {
  const body = await reader.body(handle)
  const { digest } = await reader.node(handle)
  const isSound = digestOf(body) === digest
  // What was removed for good has left its digest behind.
  if (!isSound && !isExpunged(await tombstonesOf(reader), digest, body))
    throw new SessError('corrupt', `the body of ${await reader.oid(handle)} is not what its digest says`)
  return body
}
