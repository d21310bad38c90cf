import type { Oid } from '../model/encoding/oid.ts'
import { defined } from '../model/json.ts'
import { checkName, currentRef, headRef } from '../model/refname.ts'
import { currentFolder } from '../repo/currentsession.ts'
import { findRef } from '../repo/findref.ts'
import type { Reader } from '../repo/reader.ts'
import type { Change, Repo } from '../repo/repo.ts'
import { resolve, resolveSession } from '../repo/revision.ts'
import { branchTip, type Head, headValue, refValue, type SessionTrunk, tipOf } from '../repo/session.ts'
import { checkNoBranch } from './branch.ts'
import { announced, type Switched } from './events.ts'
import { noSessionNamed } from './revisionrange.ts'

/** An entry of a session, and the branch through which it was named, if it is its tip. */
interface PlaceInSession {
  readonly owner: SessionTrunk
  readonly oid: Oid
  readonly branch?: string
}

/** Resolves a revision in a named session, else in the session that the revision names. */
export async function placeInSession(
  reader: Reader,
  revision: string,
  session: string | undefined,
): Promise<PlaceInSession> {
  const own = session === undefined ? undefined : await resolveSession(reader, session)
  const tip = own && (await branchTip(reader, own, revision))
  if (own && tip) return { owner: own, oid: tip, branch: revision }
  const { oid, branch, session: through } = await resolve(reader, revision)
  const owner = own ?? through
  if (!owner) throw noSessionNamed(revision, { remedy: { kind: 'name-session' } })
  const isTip =
    branch !== undefined && through?.id === owner.id && (await branchTip(reader, owner, branch)) === oid
  return { owner, oid, ...(isTip && { branch }) }
}

/**
 * Moves the HEAD of a session to a revision: to a branch, or detached to an entry. The next append continues there. Without
 * `session` the revision must name one. Throws as `resolve`.
 */
export function switchTo(
  repo: Repo,
  revision: string,
  session?: string,
  { makeCurrent = false }: SwitchOptions = {},
): Promise<Switched> {
  const plan = async (reader: Reader): Promise<SwitchPlan> => {
    const { owner, oid, branch } = await placeInSession(reader, revision, session)
    const folder = makeCurrent ? await currentFolder(reader) : undefined
    return planned(owner, branch === undefined ? { oid } : { branch }, oid, folder)
  }
  return announced(repo, 'switch', plan, moveHead)
}

/** Makes a session current in the working folder: the one of `@`, `HEAD` and commands without a session. */
export const makeSessionCurrent = (repo: Repo, session: string): Promise<void> =>
  repo.write({}, async ({ reader, move }) => moveCurrent(reader, move, await currentFolder(reader), session))

/** Options of a switch. */
export interface SwitchOptions {
  /** Also make the session current in the working folder. */
  readonly makeCurrent?: boolean
}

/**
 * Moves the HEAD of a session before its first entry: the next append makes another root, and with `branch` the branch.
 * Throws `no-session`, `bad-name`, and `exists` if the session has the branch.
 */
export function switchToRoot(
  repo: Repo,
  session: string,
  branch?: string,
  { makeCurrent = false }: SwitchOptions = {},
): Promise<Switched> {
  const plan = async (reader: Reader): Promise<SwitchPlan> => {
    const found = await resolveSession(reader, session)
    const folder = makeCurrent ? await currentFolder(reader) : undefined
    if (branch !== undefined) checkName(branch)
    if (branch !== undefined) await checkNoBranch(reader, found, branch)
    return planned(found, branch === undefined ? { oid: null } : { branch }, null, folder)
  }
  return announced(repo, 'switch', plan, moveHead)
}

interface SwitchPlan {
  readonly session: SessionTrunk
  readonly event: Switched
}

function planned(session: SessionTrunk, head: Head, tip: Oid | null, folder: string | undefined): SwitchPlan {
  const { id, head: before } = session
  const event = { session: id, head, tip, before, beforeTip: tipOf(session) ?? null }
  return { session, event: { ...event, ...defined({ folder }) } }
}

async function moveHead({ reader, move }: Change, { session, event }: SwitchPlan): Promise<Switched> {
  if (JSON.stringify(event.head) !== JSON.stringify(session.head))
    move(headRef(session.id), headValue(session), refValue(event.head))
  if (event.folder !== undefined) await moveCurrent(reader, move, event.folder, session.id)
  return event
}

async function moveCurrent(
  reader: Reader,
  move: Change['move'],
  folder: string,
  session: string,
): Promise<void> {
  const ref = currentRef(folder)
  const before = await findRef(reader, ref)
  if (before?.session !== session) move(ref, before, { session })
}
