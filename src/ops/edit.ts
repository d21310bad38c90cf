import { pathSince } from '../graph/mergebase.ts'
import { isAncestor } from '../graph/walk.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import type { EntryHandle } from '../model/node.ts'
import type { PlanStep } from '../model/plan.ts'
import { branchRef, checkName } from '../model/refname.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { Change, Repo } from '../repo/repo.ts'
import { allBranches, branchTip, type SessionTrunk, tipOf } from '../repo/session.ts'
import { resolveIn, targetOf } from './append/branchtarget.ts'
import { contextTokens } from './context/context.ts'
import { planEdit } from './editplan.ts'
import { type LogEntry, logEntry, oidsOf } from './entries.ts'
import { moveTo, Replay, type ReplayResult } from './replay.ts'
import { noSessionNamed, pathRangeOf } from './revisionrange.ts'

/** Options of an edit. */
export interface EditOptions {
  /** The new branch: by default `edit-` and digits of its tip. */
  readonly branch?: string
  /** Move the branch of the entries instead of making a new one. */
  readonly move?: boolean
  /** The session of branch names without a session: `@` by default. */
  readonly session?: string
}

/** Entries that can be edited: a part of a path up to a tip. */
export interface Editable {
  readonly session: string
  readonly tip: Oid
  readonly entries: readonly LogEntry[]
}

/** The result of an edit; `before` is the tip of the edited entries. */
export interface Edited extends ReplayResult {
  readonly change: 'edited' | 'unchanged'
  readonly dropped: readonly Oid[]
  readonly along: readonly Oid[]
  readonly lifted: readonly Oid[]
  /** The tokens of the context, estimated. */
  readonly tokens: { readonly before: number; readonly after: number }
}

/** Returns the entries that a plan for a revision edits: those of a range, or those after an entry up to the tip. */
export async function editable(repo: Repo, revision: string, session?: string): Promise<Editable> {
  return repo.read(async (reader) => {
    const { owner, handles, tip } = await rangeNamed(reader, revision, session)
    const entries: LogEntry[] = []
    for (const handle of handles) entries.push(await logEntry(reader, handle, owner, undefined))
    return { session: owner.id, tip: await reader.oid(tip), entries }
  })
}

/**
 * Edits the entries of a revision by a plan: replays the kept ones in the plan's order on a new branch. A plan without
 * steps, or one that changes nothing, writes nothing. Throws `bad-plan`, `exists`, `bad-name`, and as `resolve`.
 */
export async function edit(
  repo: Repo,
  revision: string,
  plan: readonly PlanStep[],
  { branch, move = false, session }: EditOptions = {},
): Promise<Edited> {
  return repo.write({ bulk: true }, async (change) => {
    const { reader } = change
    const { owner, handles, tip } = await rangeNamed(reader, revision, session)
    const before = await reader.oid(tip)
    const seen = await contextTokens(reader, tip)
    const nothing = { map: [], lost: [], dropped: [], along: [], lifted: [] }
    const same = { session: owner.id, branch: null, before, tip: before, ...nothing }
    const unchanged: Edited = { ...same, change: 'unchanged', tokens: { before: seen, after: seen } }
    if (plan.length === 0) return unchanged
    const { steps, ...rest } = await planEdit(reader, handles, plan)
    const [base] = (await reader.node(handles[0] ?? tip)).parents
    if (steps.length === 0 && base === undefined) throw new SessError('bad-plan', 'it keeps nothing')
    const replay = await Replay.begin(repo, change, owner.id, base, { verb: 'edit', keep: true })
    await replay.add(steps.map((step) => ({ ...step, session: owner })))
    const { tip: now, ...done } = replay.end()
    if (now === undefined || now === tip) return unchanged
    const oid = await reader.oid(now)
    const name = move ? await moved(change, owner, before, now) : await branched(change, owner, branch, oid)
    return {
      ...same,
      ...done,
      branch: name,
      tip: oid,
      change: 'edited',
      dropped: await oidsOf(reader, rest.dropped),
      along: await oidsOf(reader, rest.along),
      lifted: await oidsOf(reader, rest.lifted),
      tokens: { before: seen, after: await contextTokens(reader, now) },
    }
  })
}

interface EditedRange {
  readonly owner: SessionTrunk
  readonly handles: readonly EntryHandle[]
  readonly tip: EntryHandle
}

async function rangeNamed(
  reader: Reader,
  revision: string,
  session: string | undefined,
): Promise<EditedRange> {
  const find = (text: string) => resolveIn(reader, text, session ?? '@')
  const range = await pathRangeOf(reader, revision, find)
  const at = range?.right ?? (await find(revision))
  const owner = at.session ?? range?.left.session
  if (!owner)
    throw noSessionNamed(revision, { hint: 'name it through its session: SESSION/BRANCH, SESSION~2' })
  if (range) return rangeTo(reader, owner, range.right.handle, range.left.handle)
  const named = at.branch === undefined ? undefined : await branchTip(reader, owner, at.branch)
  const ends = [tipOf(owner), named]
  if (ends.includes(at.oid)) return rangeTo(reader, owner, at.handle)
  const end = ends[1] ?? ends[0]
  const tip = end === undefined ? undefined : await reader.find(end)
  if (tip === undefined || !(await isAncestor(at.handle, tip, lookIn(reader))))
    throw new SessError('no-entry', revision, { detail: 'the path of its session does not hold it' })
  return rangeTo(reader, owner, tip, at.handle)
}

const rangeTo = async (
  reader: Reader,
  owner: SessionTrunk,
  tip: EntryHandle,
  after?: EntryHandle,
): Promise<EditedRange> => ({
  owner,
  handles: await pathSince(tip, after, lookIn(reader)),
  tip,
})

/** Makes a branch at a tip, unless it exists there already. Returns its name. */
async function branched(
  change: Change,
  owner: SessionTrunk,
  branch: string | undefined,
  tip: Oid,
): Promise<string> {
  const name = checkName(branch ?? `edit-${tip.slice(0, 8)}`)
  const there = await branchTip(change.reader, owner, name)
  if (there === tip && branch === undefined) return name
  if (there !== undefined) throw new SessError('exists', `${owner.id}/${name}`)
  change.move(branchRef(owner.id, name), undefined, tip)
  return name
}

/** Moves a branch whose tip is the last edited entry, preferably the current one. Returns its name. */
async function moved(change: Change, owner: SessionTrunk, before: Oid, handle: EntryHandle): Promise<string> {
  const current = 'branch' in owner.head ? owner.head.branch : undefined
  const branches = await allBranches(change.reader, owner)
  const names = [...branches].flatMap(([name, oid]) => (oid === before ? [name] : []))
  const name = names.find((one) => one === current) ?? names[0]
  const place = name === undefined ? undefined : await targetOf(change.reader, owner.id, name, owner.head)
  if (name === undefined || !place)
    throw new SessError('bad-usage', 'no branch ends with what is edited', {
      remedy: { kind: 'make-new-branch' },
    })
  await moveTo(change, place, handle)
  return name
}
