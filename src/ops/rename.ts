import { metaRef } from '../model/refname.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { refValue } from '../repo/session.ts'
import { checkValue } from './setkeys.ts'

/** A renamed session: its new and its former title, null for none. */
export interface Renamed {
  readonly session: string
  readonly title: string | null
  readonly before: string | null
}

/**
 * Changes the title of a session; an empty one clears it. Later imports do not change it. Throws `no-session`, and
 * `bad-value` if the title is longer than 1,000 UTF-16 units.
 */
export async function renameSession(repo: Repo, session: string, title: string): Promise<Renamed> {
  return repo.write({}, async ({ reader, move }) => {
    const { id, meta } = await resolveSession(reader, session)
    const next = checkValue(title.trim()) || null
    if (next !== meta.title || !meta.renamed)
      move(metaRef(id), refValue(meta), refValue({ ...meta, title: next, renamed: true }))
    return { session: id, title: next, before: meta.title }
  })
}
