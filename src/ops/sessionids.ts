import type { Oid } from '../model/encoding/oid.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { allTrunks, getTrunk, tipOf } from '../repo/session.ts'

/** Returns the id of the session with an id, a title, or a prefix of an id. Throws `no-session` or `ambiguous-revision`. */
export const findSessionId = (repo: Repo, name: string): Promise<string> =>
  repo.read(async (reader) => (await resolveSession(reader, name)).id)

/** Returns the ids of all sessions, sorted. */
export const listSessionIds = (repo: Repo): Promise<string[]> =>
  repo.read(async (reader) => {
    const ids: string[] = []
    for await (const { id } of allTrunks(reader)) ids.push(id)
    return ids
  })

/** Returns the oid of the entry that a session is at, or null while it has none. Throws `no-session`. */
export const tipOfSession = (repo: Repo, id: string): Promise<Oid | null> =>
  repo.read(async (reader) => tipOf(await getTrunk(reader, id)) ?? null)
