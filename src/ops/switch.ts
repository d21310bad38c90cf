import { SessError } from '../model/errors.ts'
import { isObject } from '../model/json.ts'
import type { Oid } from '../model/oid.ts'
import { checkName, currentRef, headRef } from '../model/refname.ts'
import { currentFolder } from '../repo/currentsession.ts'
import type { Reader } from '../repo/reader.ts'
import type { Change, Repo } from '../repo/repo.ts'
import { resolve, resolveSession } from '../repo/revision.ts'
import { type Head, headValue, refValue, type Session, tipOf } from '../repo/session.ts'
import { announced, type Switched } from './events.ts'

/** A place in a session: an entry, and the branch whose tip it is, where it was named by that. */
interface PlaceInSession {
  readonly owner: Session
  readonly oid: Oid
  readonly branch?: string
}

/** Gives the place that a revision names, in the session that is named or through which it names its entry. */
export async function placeInSession(
  reader: Reader,
  revision: string,
  session: string | undefined,
  cwd: string,
): Promise<PlaceInSession> {
  const own = session === undefined ? undefined : await resolveSession(reader, session, cwd)
  const tip = own?.branches.get(revision)
  if (own && tip) return { owner: own, oid: tip, branch: revision }
  const { oid, branch, session: through } = await resolve(reader, revision, cwd)
  const owner = own ?? through
  if (!owner)
    throw new SessError('bad-usage', `'${revision}' names an entry and no session`, {
      hint: `name the session too, with --session SESSION`,
    })
  const isTip = branch !== undefined && through?.id === owner.id && owner.branches.get(branch) === oid
  return { owner, oid, ...(isTip && { branch }) }
}

/**
 * Makes a session stand on what a revision names: on a branch of it, or detached on an entry. The next append
 * continues from there. Without `session` the revision must name one. Throws as `resolve`.
 */
export function switchTo(
  repo: Repo,
  revision: string,
  session?: string,
  { makeCurrent = false }: SwitchOptions = {},
): Promise<Switched> {
  const plan = async (reader: Reader): Promise<Standing> => {
    const { cwd } = repo.env
    const { owner, oid, branch } = await placeInSession(reader, revision, session, cwd)
    const folder = makeCurrent ? await currentFolder(reader, cwd) : undefined
    return standing(owner, branch === undefined ? { oid } : { branch }, oid, folder)
  }
  return announced(repo, 'switch', plan, stand)
}

/** Makes a session current in the working folder: what `@`, `HEAD` and commands without a session mean. */
export const makeSessionCurrent = (repo: Repo, session: string): Promise<void> =>
  repo.write({}, async ({ reader, move }) =>
    moveCurrent(reader, move, await currentFolder(reader, repo.env.cwd), session),
  )

/** How a session is switched. */
export interface SwitchOptions {
  /** Make the session current in the working folder too: what `@`, `HEAD` and commands without a session mean. */
  readonly makeCurrent?: boolean
}

/**
 * Makes a session stand before its first entry: the next append begins another root. With `branch` that append makes
 * the branch. Throws `no-session`, `bad-name`, and `exists` where the session has such a branch.
 */
export function switchToRoot(
  repo: Repo,
  session: string,
  branch?: string,
  { makeCurrent = false }: SwitchOptions = {},
): Promise<Switched> {
  const plan = async (reader: Reader): Promise<Standing> => {
    const { cwd } = repo.env
    const found = await resolveSession(reader, session, cwd)
    const folder = makeCurrent ? await currentFolder(reader, cwd) : undefined
    if (branch !== undefined) checkName(branch)
    if (branch !== undefined && found.branches.has(branch))
      throw new SessError('exists', `${found.id}/${branch}`)
    return standing(found, branch === undefined ? { oid: null } : { branch }, null, folder)
  }
  return announced(repo, 'switch', plan, stand)
}

/** A session, and what it is to be switched to. */
interface Standing {
  readonly session: Session
  readonly event: Switched
}

function standing(session: Session, head: Head, tip: Oid | null, folder: string | undefined): Standing {
  const { id, head: before } = session
  const event = { session: id, head, tip, before, beforeTip: tipOf(session) ?? null }
  return { session, event: { ...event, ...(folder !== undefined && { folder }) } }
}

async function stand({ reader, move }: Change, { session, event }: Standing): Promise<Switched> {
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
  const before = await reader.ref(ref)
  if (!isObject(before) || before.session !== session) move(ref, before, { session })
}
