import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { SearchedSession } from './search/searchedsession.ts'

/** Returns the ids of the sessions that reach an entry, by their names of it or through their history. Throws as `resolve`. */
export function holders(repo: Repo, revision: string): Promise<string[]> {
  return repo.read(async (reader) => {
    const { handle, session } = await resolve(reader, revision)
    const found = new Set(session ? [session.id] : [])
    for (const covered of await reader.index.sessions()) {
      repo.checkStop()
      if (!covered.mayReach(handle)) continue
      const searched = new SearchedSession(reader, covered, covered.time)
      // The index may cover sessions that were removed.
      if ((await searched.session) && (await searched.reaches(handle))) found.add(searched.id)
    }
    return [...found]
  })
}
