import { isOid } from '../model/encoding/oid.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { findTrunk } from '../repo/session.ts'
import { logEntry } from './entries.ts'
import { listed } from './list.ts'

/** One of several things that a name may mean. */
export interface Meaning {
  readonly kind: 'session' | 'entry'
  /** The id of a session, the oid of an entry. */
  readonly id: string
  /** The format of a session, the type of an entry; null where neither is known. */
  readonly agent: string | null
  /** ISO 8601, or null. */
  readonly time: string | null
  /** The title of a session or what its user said first; what an entry says. */
  readonly text: string | null
  /** The folder of a session; null where it is unknown. */
  readonly folder: string | null
  /** The session that a session comes from, as its user has set it; null where none is set. */
  readonly parent: string | null
}

/** Returns the meanings of some ids and oids, in their order. */
export const describeNames = (repo: Repo, ids: readonly string[]): Promise<Meaning[]> =>
  repo.read(async (reader) => {
    const found: Meaning[] = []
    for (const id of ids) found.push((await session(reader, id)) ?? (await entry(reader, id)))
    return found
  })

async function session(reader: Reader, id: string): Promise<Meaning | undefined> {
  const found = await findTrunk(reader, id)
  if (!found) return undefined
  const { format, updated, title, prompt, cwd, set } = listed(found)
  const parent = set.parent ?? null
  return { kind: 'session', id, agent: format, time: updated, text: title ?? prompt, folder: cwd, parent }
}

async function entry(reader: Reader, id: string): Promise<Meaning> {
  const handle = isOid(id) ? await reader.find(id) : undefined
  const unknown = {
    kind: 'entry',
    id,
    agent: null,
    time: null,
    text: null,
    folder: null,
    parent: null,
  } as const
  if (handle === undefined) return unknown
  const { type, time, text } = await logEntry(reader, handle, undefined, undefined)
  return { ...unknown, agent: type, time, text }
}
