import type { Backend, Row } from '../repo/backend.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { MAIN, type Session, tipOf } from '../repo/session.ts'
import { type LogEntry, logEntry } from './log.ts'
import { abandonedBy, rowsLeft } from './navigate/abandoned.ts'
import { spokenAt } from './navigate/spoken.ts'
import { moveInTree, type TreeMove, type TreeOptions, type TreePlan } from './navigate/treemove.ts'
import { placeNamed } from './switch.ts'

/** Where a session goes, and how. */
export interface NavigateOptions extends TreeOptions {
  /** The session that moves: the one through which the revision names its entry unless said. */
  readonly session?: string
}

/**
 * Makes a session stand on an entry of its tree, null for before the first. A message of the user, or one in their name,
 * moves before it and is given back as text; any other entry moves to it; the entry where the session stands does
 * nothing. What is left keeps its branch, and gets one where it has none. Throws as `resolve` and `moveInTree`.
 */
export function navigate(
  repo: Repo,
  revision: string | null,
  { session, ...options }: NavigateOptions = {},
): Promise<TreeMove> {
  const plan = async (backend: Backend): Promise<TreePlan> => {
    const { cwd } = repo.env
    if (revision === null) return planTo(backend, await resolveSession(backend, session ?? '@', cwd))
    const { owner, oid, branch } = await placeNamed(backend, revision, session, cwd)
    return planTo(backend, owner, await backend.find(oid), branch)
  }
  return moveInTree(repo, plan, options)
}

async function planTo(backend: Backend, session: Session, target?: Row, branch?: string): Promise<TreePlan> {
  const left = await abandonedBy(backend, await standsOn(backend, session), target)
  const spoken = target === undefined ? undefined : await spokenAt(backend, target)
  const to = spoken && target !== undefined ? (await backend.node(target)).parents[0] : target
  const named = spoken ? undefined : branch
  const onto = named ?? (to === undefined ? undefined : await branchAt(backend, session, to))
  const text = spoken?.text ?? null
  return { reason: 'navigate', session, target, to, text, left, ...(onto !== undefined && { branch: onto }) }
}

/** Gives the entry on which a session stands. */
export const standsOn = async (backend: Backend, session: Session): Promise<Row | undefined> => {
  const tip = tipOf(session)
  return tip === undefined ? undefined : backend.find(tip)
}

/** Gives the branch whose tip an entry is: the current one, `main`, or the first by name. */
async function branchAt(
  backend: Backend,
  { head, branches }: Session,
  row: Row,
): Promise<string | undefined> {
  const oid = await backend.oid(row)
  const names = [...branches].filter(([, tip]) => tip === oid).map(([name]) => name)
  const current = 'branch' in head ? head.branch : undefined
  return [current, MAIN].find((name) => name !== undefined && names.includes(name)) ?? names.sort()[0]
}

/**
 * Gives what a session would leave by navigating to a revision, null for before the first entry: the entries from where
 * it stands back to the common ancestor, the oldest first. Throws as `navigate`.
 */
export async function* abandoned(
  repo: Repo,
  revision: string | null,
  session: string,
): AsyncGenerator<LogEntry> {
  yield* repo.stream(async function* (backend) {
    const { cwd } = repo.env
    const owner = await resolveSession(backend, session, cwd)
    const target =
      revision === null
        ? undefined
        : await backend.find((await placeNamed(backend, revision, owner.id, cwd)).oid)
    const left = await abandonedBy(backend, await standsOn(backend, owner), target)
    for (const row of await rowsLeft(backend, left)) yield logEntry(backend, row, owner, undefined)
  })
}
