import { SessError } from '../model/errors.ts'
import type { Oid } from '../model/oid.ts'
import { headRef } from '../model/refname.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve, resolveSession } from '../repo/revision.ts'
import { type Head, headValue, refValue, tipOf } from '../repo/session.ts'

/** Where a session stands now, and where it stood. */
export interface Switched {
  readonly session: string
  readonly head: Head
  readonly tip: Oid
  readonly before: Head
  readonly beforeTip: Oid | null
}

/**
 * Makes a session stand on what a revision names: on a branch of it, or detached on an entry. The next append
 * continues from there. Without `session` the revision must name one.
 */
export async function switchTo(repo: Repo, revision: string, session?: string): Promise<Switched> {
  return repo.write({}, async (change) => {
    const { backend } = change
    const own = session === undefined ? undefined : await resolveSession(backend, session, repo.env.cwd)
    const branch = own?.branches.get(revision)
    const at =
      own && branch
        ? { oid: branch, session: own, branch: revision }
        : await resolve(backend, revision, repo.env.cwd)
    const found = own ?? at.session
    if (!found)
      throw new SessError('bad-usage', `'${revision}' names an entry and no session`, {
        hint: `name the session too: 'sess switch --session SESSION ${revision}'`,
      })
    const onBranch =
      at.branch !== undefined && at.session?.id === found.id && found.branches.get(at.branch) === at.oid
    const head: Head = onBranch ? { branch: at.branch } : { oid: at.oid }
    if (JSON.stringify(head) !== JSON.stringify(found.head))
      change.move(headRef(found.id), headValue(found), refValue(head))
    return { session: found.id, head, tip: at.oid, before: found.head, beforeTip: tipOf(found) ?? null }
  })
}
