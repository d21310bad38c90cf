import { hasCode } from '../../model/errors.ts'
import type { Repo } from '../../repo/repo.ts'

/** When each session was added to last, in milliseconds since 1970; null is unknown. */
export type SessionTimes = ReadonlyMap<string, number | null>

/**
 * Returns the times of all sessions by their refs; undefined where one of these is damaged. The index covers sessions that
 * are removed, and knows former times.
 */
export async function sessionTimes(repo: Repo): Promise<SessionTimes | undefined> {
  try {
    const { id, updated } = await repo.lists.read(repo, ['updated'])
    return new Map(id.map((one, i) => [one, updated[i] ?? null]))
  } catch (error) {
    if (hasCode(error, 'corrupt')) return undefined
    throw error
  }
}
