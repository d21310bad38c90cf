import type { Oid } from '../model/oid.ts'
import { type RefName, sessionPrefix } from '../model/refname.ts'
import type { RefValue } from '../repo/backend.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { type Session, tipOf } from '../repo/session.ts'

/** A session that was removed. */
export interface Removed {
  readonly session: string
  readonly title: string | null
  /** The entry that it stood on, null where it had none. */
  readonly tip: Oid | null
  /** The path that it was imported from, or null. */
  readonly source: string | null
}

/**
 * Removes sessions in one operation: all their refs. Entries and logs stay, for undo and for the forks that share them.
 * Throws `no-session` where one is not there, and removes none then.
 */
export async function removeSessions(repo: Repo, sessions: readonly string[]): Promise<Removed[]> {
  return repo.write({}, async ({ backend, move }) => {
    const found = new Map<string, Session>()
    for (const name of sessions) {
      const session = await resolveSession(backend, name, repo.env.cwd)
      found.set(session.id, session)
    }
    for (const id of found.keys()) {
      const refs: [RefName, RefValue][] = []
      for await (const ref of backend.refs(sessionPrefix(id))) refs.push(ref)
      for (const [name, value] of refs) move(name, value, undefined)
    }
    return [...found.values()].map((session) => ({
      session: session.id,
      title: session.meta.title,
      tip: tipOf(session) ?? null,
      source: session.meta.path,
    }))
  })
}
