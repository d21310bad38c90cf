import { findCurrent } from '../repo/currentsession.ts'
import type { Repo } from '../repo/repo.ts'
import { findExporter, findTrunk, updatedOf } from '../repo/session.ts'

/**
 * Returns the id of the session whose agent asks: that of the first id that names a session; else the current one of the
 * folder, if it has grown since a time. Null where the store has none, or the time is left out.
 */
export function askingSession(
  repo: Repo,
  ids: readonly string[],
  since: number = Number.POSITIVE_INFINITY,
): Promise<string | null> {
  return repo.read(async (reader) => {
    for (const id of ids) {
      const session = (await findTrunk(reader, id)) ?? (await findExporter(reader, id))
      if (session) return session.id
    }
    if (since === Number.POSITIVE_INFINITY) return null
    const current = await findCurrent(reader)
    return current && (updatedOf(current.session) ?? 0) >= since ? current.session.id : null
  })
}
