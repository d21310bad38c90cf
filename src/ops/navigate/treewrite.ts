import { SessError } from '../../model/errors.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Oid } from '../../model/oid.ts'
import { branchRef, headRef, labelRef } from '../../model/refname.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { type Head, headValue, refValue, type Session, tipOf } from '../../repo/session.ts'
import { bodyOf, Growth } from '../append/growth.ts'
import type { AfterTree } from '../events.ts'
import { checkFree } from '../label.ts'
import type { MadeSummary } from '../summarize.ts'
import { type Abandoned, nameForLeft } from './abandoned.ts'

/** A move in the tree as it is planned; a place that is undefined is before the first entry. */
export interface TreePlan {
  readonly reason: AfterTree['reason']
  readonly session: Session
  readonly target: EntryHandle | undefined
  /** Where the session is to stand, or its summary to hang. */
  readonly to: EntryHandle | undefined
  /** The branch to stand on, where that is its tip. */
  readonly branch?: string
  /** The text of the chosen entry, where it is to be edited. */
  readonly text: string | null
  readonly left: Abandoned
}

/** The result of writing a move in the tree; a tip that is null is before the first entry. */
export interface WrittenMove {
  readonly head: Head
  readonly tip: Oid | null
  /** The branch that was made for what was left; null where one names it already. */
  readonly kept: string | null
  /** The entry that summarises what was left. */
  readonly summary: Oid | null
}

/** What a move in the tree brings along. */
interface Brought {
  readonly made: MadeSummary | undefined
  readonly label: string | undefined
  /** The entry that was chosen. */
  readonly target: Oid | null
}

/**
 * Makes a planned move in the tree: adds the summary, names what is left, and moves the session. By a pop the current
 * branch goes back; else it stays, and the session stands detached, or on the branch whose tip it comes to, which then
 * has the summary.
 */
export async function writeTreeMove(
  repo: Repo,
  change: Change,
  plan: TreePlan,
  { made, label, target }: Brought,
): Promise<WrittenMove> {
  const { session, to, left, reason } = plan
  const { id, head: before } = session
  const summary = made ? await addSummary(repo, change, plan, made) : null
  const tip = summary ?? (to === undefined ? null : await change.reader.oid(to))
  const comesAlong = reason === 'pop' && 'branch' in before ? before.branch : undefined
  const old = tipOf(session)
  const kept = await nameForLeft(change.reader, session, left, comesAlong)
  if (kept !== undefined) change.move(branchRef(id, kept), undefined, old)
  const branch = comesAlong ?? plan.branch
  const head: Head = branch === undefined ? { oid: tip } : { branch }
  if (JSON.stringify(head) !== JSON.stringify(before))
    change.move(headRef(id), headValue(session), refValue(head))
  const stood = branch === undefined ? undefined : session.branches.get(branch)
  if (branch !== undefined && tip !== null && tip !== stood) change.move(branchRef(id, branch), stood, tip)
  if (label !== undefined) {
    const named = summary ?? target
    if (named === null)
      throw new SessError('before-first', id, { hint: 'leave the label out, for there is nothing to label' })
    checkFree(session, label)
    change.move(labelRef(id, label), undefined, named)
  }
  return { head, tip, kept: kept ?? null, summary }
}

/** Adds the entry that stands for what is left; its record says where that is. */
async function addSummary(
  repo: Repo,
  change: Change,
  { session, to, reason }: TreePlan,
  { summary, details, fromHook }: MadeSummary,
): Promise<Oid> {
  const growth = await Growth.begin(repo, change, session.id)
  const body = bodyOf({
    summary,
    ...(details !== undefined && { details }),
    ...(fromHook && { fromHook }),
  })
  const value = { body, origin: { by: reason, from: tipOf(session) ?? null } }
  const parents = to === undefined ? [] : [to]
  const { oid } = await growth.add({ type: 'sess/branch_summary', body, parents, value, at: ['body'] })
  // A pop stays on the path of its session; other moves may come to an entry of another.
  growth.end(reason === 'pop' ? [] : undefined)
  return oid
}
