import { SessError } from '../model/errors.ts'
import type { Oid } from '../model/oid.ts'
import { branchRef, checkName, headRef } from '../model/refname.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve, resolveSession, standsNowhere } from '../repo/revision.ts'
import { headValue, refValue, tipOf } from '../repo/session.ts'

/** A branch as a list shows it. */
export interface Branch {
  readonly name: string
  readonly oid: Oid
  /** Whether the session stands on it. */
  readonly current: boolean
}

/** A branch with the labels of its session that name its tip. */
export interface ListedBranch extends Branch {
  readonly labels: readonly string[]
}

/** Gives the branches of a session in the order of their names. */
export async function listBranches(repo: Repo, session: string): Promise<ListedBranch[]> {
  return repo.read(async (backend) => {
    const { branches, labels, head } = await resolveSession(backend, session, repo.env.cwd)
    const current = 'branch' in head ? head.branch : undefined
    return [...branches]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, oid]) => ({ name, oid, current: name === current, labels: namesOf(oid, labels) }))
  })
}

/** Gives the names that a map has for an oid, in their order. */
export const namesOf = (oid: Oid, names: ReadonlyMap<string, Oid>): string[] =>
  [...names].flatMap(([name, named]) => (named === oid ? [name] : [])).sort()

/** Makes a branch of a session at a revision, else where the session stands. Throws `exists` or `bad-name`. */
export async function createBranch(
  repo: Repo,
  session: string,
  name: string,
  revision?: string,
): Promise<Branch> {
  return repo.write({}, async (change) => {
    const found = await resolveSession(change.backend, session, repo.env.cwd)
    checkName(name)
    if (found.branches.has(name)) throw new SessError('exists', `${found.id}/${name}`)
    const oid =
      revision === undefined ? tipOf(found) : (await resolve(change.backend, revision, repo.env.cwd)).oid
    if (oid === undefined)
      throw standsNowhere(found.id, found).with({
        hint: `say where: 'sess branch ${found.id} ${name} START', or begin it with 'sess switch --root -c ${name} ${found.id}'`,
      })
    change.move(branchRef(found.id, name), undefined, oid)
    return { name, oid, current: false }
  })
}

/** Removes a branch and gives what it was; its entries stay. The current branch is refused. */
export async function deleteBranch(repo: Repo, session: string, name: string): Promise<Branch> {
  return repo.write({}, async (change) => {
    const found = await resolveSession(change.backend, session, repo.env.cwd)
    const oid = found.branches.get(name)
    if (oid === undefined) throw new SessError('no-branch', `${found.id}/${name}`)
    if ('branch' in found.head && found.head.branch === name)
      throw new SessError('current-branch', `${found.id}/${name}`, {
        hint: `switch to another branch first: 'sess switch ${found.id}/BRANCH'`,
      })
    change.move(branchRef(found.id, name), oid, undefined)
    return { name, oid, current: false }
  })
}

/** Gives a branch another name. */
export async function renameBranch(repo: Repo, session: string, from: string, to: string): Promise<Branch> {
  return repo.write({}, async (change) => {
    const found = await resolveSession(change.backend, session, repo.env.cwd)
    const oid = found.branches.get(from)
    if (oid === undefined) throw new SessError('no-branch', `${found.id}/${from}`)
    checkName(to)
    if (found.branches.has(to)) throw new SessError('exists', `${found.id}/${to}`)
    const current = 'branch' in found.head && found.head.branch === from
    change.move(branchRef(found.id, from), oid, undefined)
    change.move(branchRef(found.id, to), undefined, oid)
    if (current) change.move(headRef(found.id), headValue(found), refValue({ branch: to }))
    return { name: to, oid, current }
  })
}
