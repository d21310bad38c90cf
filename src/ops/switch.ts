import { SessError } from '../model/errors.ts'
import type { Oid } from '../model/oid.ts'
import { checkName, headRef } from '../model/refname.ts'
import type { Change, Repo } from '../repo/repo.ts'
import { resolve, resolveSession } from '../repo/revision.ts'
import { type Head, headValue, refValue, type Session, tipOf } from '../repo/session.ts'

/** Where a session stands now, and where it stood; a tip that is null is before the first entry. */
export interface Switched {
  readonly session: string
  readonly head: Head
  readonly tip: Oid | null
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
    return stand(change, found, onBranch ? { branch: at.branch } : { oid: at.oid }, at.oid)
  })
}

/**
 * Makes a session stand before its first entry: the next append begins another root. With `branch` that append makes
 * the branch. Throws `no-session`, `bad-name`, and `exists` where the session has such a branch.
 */
export async function switchToRoot(repo: Repo, session: string, branch?: string): Promise<Switched> {
  return repo.write({}, async (change) => {
    const found = await resolveSession(change.backend, session, repo.env.cwd)
    if (branch !== undefined) checkName(branch)
    if (branch !== undefined && found.branches.has(branch))
      throw new SessError('exists', `${found.id}/${branch}`)
    return stand(change, found, branch === undefined ? { oid: null } : { branch }, null)
  })
}

function stand(change: Change, session: Session, head: Head, tip: Oid | null): Switched {
  const { id, head: before } = session
  if (JSON.stringify(head) !== JSON.stringify(before))
    change.move(headRef(id), headValue(session), refValue(head))
  return { session: id, head, tip, before, beforeTip: tipOf(session) ?? null }
}
