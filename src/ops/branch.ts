import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import { branchRef, checkName, headRef } from '../model/refname.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { noTipError, resolve, resolveSession } from '../repo/revision.ts'
import {
  branchTip,
  headValue,
  refValue,
  type SessionState,
  type SessionTrunk,
  tipOf,
  wholeSession,
} from '../repo/session.ts'
import { announced, type BranchChange } from './events.ts'

/** A branch of a session. */
export interface Branch {
  readonly name: string
  readonly oid: Oid
  /** Whether it is the branch of the session's HEAD. */
  readonly current: boolean
}

/** A branch with the labels of its tip. */
export interface ListedBranch extends Branch {
  readonly labels: readonly string[]
}

/** Returns the branches of a session in the order of their names. */
export async function listBranches(repo: Repo, session: string): Promise<ListedBranch[]> {
  return repo.read(async (reader) =>
    branchesOf(await wholeSession(reader, await resolveSession(reader, session))),
  )
}

/** Returns the branches of a whole session in the order of their names. */
export function branchesOf({ branches, labels, head }: SessionState): ListedBranch[] {
  const current = 'branch' in head ? head.branch : undefined
  return [...branches]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, oid]) => ({ name, oid, current: name === current, labels: namesOf(oid, labels) }))
}

/** Returns the names of an oid in a map, sorted. */
export const namesOf = (oid: Oid, names: ReadonlyMap<string, Oid>): string[] =>
  [...names].flatMap(([name, named]) => (named === oid ? [name] : [])).sort()

interface BranchPlan {
  readonly session: SessionTrunk
  readonly event: BranchChange
}

/** Makes a branch of a session at a revision, by default at the session's tip. Throws `exists` or `bad-name`. */
export function createBranch(
  repo: Repo,
  session: string,
  name: string,
  revision?: string,
): Promise<BranchChange> {
  const plan = async (reader: Reader): Promise<BranchPlan> => {
    const found = await resolveSession(reader, session)
    checkName(name)
    await checkNoBranch(reader, found, name)
    const oid = revision === undefined ? tipOf(found) : (await resolve(reader, revision)).oid
    if (oid === undefined)
      throw noTipError(found.id, found).with({
        remedy: { kind: 'begin-branch', session: found.id, branch: name },
      })
    return planned(found, 'create', {
      name,
      oid,
      current: 'branch' in found.head && found.head.branch === name,
    })
  }
  return announced(repo, 'branch', plan, ({ move }, { event }) => {
    move(branchRef(event.session, name), undefined, event.oid)
    return event
  })
}

/** Removes a branch, and returns it. Its entries stay. Throws `current-branch` for the branch of HEAD. */
export function deleteBranch(repo: Repo, session: string, name: string): Promise<BranchChange> {
  const plan = async (reader: Reader): Promise<BranchPlan> => {
    const found = await resolveSession(reader, session)
    const oid = await tipNamed(reader, found, name)
    if ('branch' in found.head && found.head.branch === name)
      throw new SessError('current-branch', `${found.id}/${name}`, {
        remedy: { kind: 'switch-branch', session: found.id },
      })
    return planned(found, 'delete', { name, oid, current: false })
  }
  return announced(repo, 'branch', plan, ({ move }, { event }) => {
    move(branchRef(event.session, name), event.oid, undefined)
    return event
  })
}

/** Renames a branch. */
export function renameBranch(repo: Repo, session: string, from: string, to: string): Promise<BranchChange> {
  const plan = async (reader: Reader): Promise<BranchPlan> => {
    const found = await resolveSession(reader, session)
    const oid = await tipNamed(reader, found, from)
    checkName(to)
    await checkNoBranch(reader, found, to)
    const current = 'branch' in found.head && found.head.branch === from
    return planned(found, 'rename', { name: to, oid, current, before: from })
  }
  return announced(repo, 'branch', plan, ({ move }, { session: found, event }) => {
    move(branchRef(found.id, from), event.oid, undefined)
    move(branchRef(found.id, to), undefined, event.oid)
    if (event.current) move(headRef(found.id), headValue(found), refValue({ branch: to }))
    return event
  })
}

/** Returns the tip of a branch. Throws `no-branch`. */
export async function tipNamed(reader: Reader, session: SessionTrunk, name: string): Promise<Oid> {
  const oid = await branchTip(reader, session, name)
  if (oid === undefined) throw new SessError('no-branch', `${session.id}/${name}`)
  return oid
}

/** Throws `exists` if a session has a branch with a name. */
export async function checkNoBranch(reader: Reader, session: SessionTrunk, name: string): Promise<void> {
  if ((await branchTip(reader, session, name)) !== undefined)
    throw new SessError('exists', `${session.id}/${name}`)
}

const planned = (
  session: SessionTrunk,
  action: BranchChange['action'],
  branch: Omit<BranchChange, 'session' | 'action'>,
): BranchPlan => ({ session, event: { session: session.id, action, ...branch } })
