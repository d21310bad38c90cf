import { defined } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { allBranches, MAIN, type SessionTrunk, tipOf } from '../repo/session.ts'
import { namesOf } from './branch.ts'
import { type LogEntry, logEntry } from './entries.ts'
import { placeInSession } from './switch.ts'
import {
  handlesLeft,
  leftPath,
  moveInTree,
  type TreeMove,
  type TreeOptions,
  type TreePlan,
} from './treemove.ts'
import { userMessageAt } from './usermessage.ts'

/** Options of a navigation. */
export interface NavigateOptions extends TreeOptions {
  /** The session that moves: by default the one that the revision names. */
  readonly session?: string
}

/**
 * Moves a session's HEAD to an entry of its tree, or with null before the first one. A message of the user, or one in the
 * user's name, moves HEAD before it, and its text is returned; the entry of HEAD changes nothing. The entries that are left
 * keep their branch, or get a new one. Throws as `resolve` and `moveInTree`.
 */
export function navigate(
  repo: Repo,
  revision: string | null,
  { session, ...options }: NavigateOptions = {},
): Promise<TreeMove> {
  const plan = async (reader: Reader): Promise<TreePlan> => {
    if (revision === null) return planTo(reader, await resolveSession(reader, session ?? '@'))
    const { owner, oid, branch } = await placeInSession(reader, revision, session)
    return planTo(reader, owner, await reader.find(oid), branch)
  }
  return moveInTree(repo, plan, options)
}

async function planTo(
  reader: Reader,
  session: SessionTrunk,
  target?: EntryHandle,
  branch?: string,
): Promise<TreePlan> {
  const left = await leftPath(reader, await headEntry(reader, session), target)
  const message = target === undefined ? undefined : await userMessageAt(reader, target)
  const to = message && target !== undefined ? (await reader.node(target)).parents[0] : target
  const named = message ? undefined : branch
  const onto = named ?? (to === undefined ? undefined : await branchAt(reader, session, to))
  const text = message?.text ?? null
  return { reason: 'navigate', session, target, to, text, left, ...defined({ branch: onto }) }
}

/** Returns the entry of a session's HEAD. */
export const headEntry = async (reader: Reader, session: SessionTrunk): Promise<EntryHandle | undefined> => {
  const tip = tipOf(session)
  return tip === undefined ? undefined : reader.find(tip)
}

/** Returns the branch whose tip an entry is: the current one, `main`, or the first by name. */
async function branchAt(
  reader: Reader,
  session: SessionTrunk,
  handle: EntryHandle,
): Promise<string | undefined> {
  const oid = await reader.oid(handle)
  const names = namesOf(oid, await allBranches(reader, session))
  const current = 'branch' in session.head ? session.head.branch : undefined
  return [current, MAIN].find((name) => name !== undefined && names.includes(name)) ?? names[0]
}

/**
 * Yields the entries that a session would leave by navigating to a revision, or with null before the first entry: those
 * from its tip back to the common ancestor, the oldest first. Throws as `navigate`.
 */
export async function* abandoned(
  repo: Repo,
  revision: string | null,
  session: string,
): AsyncGenerator<LogEntry> {
  yield* repo.stream(async function* (reader) {
    const owner = await resolveSession(reader, session)
    const target =
      revision === null
        ? undefined
        : await reader.find((await placeInSession(reader, revision, owner.id)).oid)
    const left = await leftPath(reader, await headEntry(reader, owner), target)
    for (const handle of await handlesLeft(reader, left)) yield logEntry(reader, handle, owner, undefined)
  })
}
