import type { Oid } from '../model/oid.ts'
import type { Repo } from '../repo/repo.ts'
import { allSessions, type Session, tipOf, updatedOf } from '../repo/session.ts'
import { iso } from '../repo/time.ts'

/** What a list says of a session. Times are ISO 8601 or null. */
export interface Listed {
  readonly id: string
  readonly format: string
  readonly title: string | null
  readonly cwd: string | null
  readonly entries: number
  readonly records: number
  readonly branches: { readonly [name: string]: Oid }
  /** The current branch, or the oid that the session stands on when detached; null while it has no entries. */
  readonly head: string | null
  readonly created: string | null
  readonly updated: string | null
  /** The path that it was imported from, or null. */
  readonly source: string | null
}

/** Gives what a list says of a session. Reads no bodies. */
export function listed(session: Session): Listed {
  const { id, meta, source, native, head } = session
  return {
    id,
    format: meta.format,
    title: meta.title,
    cwd: meta.cwd,
    entries: (meta.fork?.entries ?? 0) + (source?.entries ?? 0) + (native?.entries ?? 0),
    records: (source?.count ?? 0) + (native?.count ?? 0),
    branches: Object.fromEntries(session.branches),
    head: tipOf(session) === undefined ? null : 'branch' in head ? head.branch : head.oid,
    created: iso(meta.created),
    updated: iso(updatedOf(session)),
    source: meta.path,
  }
}

/** Gives all sessions, the one that was added to last first. */
export async function listSessions(repo: Repo): Promise<Listed[]> {
  const sessions = await repo.read(async (backend) => {
    const all: Session[] = []
    for await (const session of allSessions(backend)) all.push(session)
    return all
  })
  return sessions
    .sort((a, b) => (updatedOf(b) ?? 0) - (updatedOf(a) ?? 0) || (a.id < b.id ? -1 : 1))
    .map(listed)
}
