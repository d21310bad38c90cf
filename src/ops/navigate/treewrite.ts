import { SessError } from '../../model/errors.ts'
import type { Oid } from '../../model/oid.ts'
import { branchRef, headRef, labelRef } from '../../model/refname.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { type Head, headValue, refValue, tipOf } from '../../repo/session.ts'
import { Growth } from '../append/growth.ts'
import { bodyOf } from '../append/newentry.ts'
import { checkFree } from '../label.ts'
import type { MadeSummary } from '../summarize.ts'
import { nameForLeft } from './abandoned.ts'
import type { TreeMove, TreePlan } from './treemove.ts'

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
): Promise<Pick<TreeMove, 'head' | 'tip' | 'kept' | 'summary'>> {
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
