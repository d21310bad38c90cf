import { firstParentBase } from '../graph/mergebase.ts'
import { ancestor, isAncestor, path } from '../graph/walk.ts'
import { SessError } from '../model/errors.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Oid } from '../model/oid.ts'
import { branchRef, headRef, labelRef } from '../model/refname.ts'
import type { Reader } from '../repo/reader.ts'
import type { Change, Repo } from '../repo/repo.ts'
import { type Head, headValue, refValue, type Session, tipOf } from '../repo/session.ts'
import { bodyFrom, NativeLog } from './append/nativelog.ts'
import { type AfterTree, listenersOf, type SummaryAnswer, type TreePreparation } from './events.ts'
import { freeName } from './import/branches.ts'
import { checkFree } from './label.ts'
import {
  type MadeSummary,
  type PathEntries,
  pathEntries,
  type SummaryOptions,
  summarize,
} from './summarize.ts'

/** How a move in the tree is made. */
export interface TreeOptions extends SummaryOptions {
  /** Leave a summary of what is left; unless said, where one is given. */
  readonly wantsSummary?: boolean
  /** A label for the summary, else for the entry that was chosen. */
  readonly label?: string
}

/** A move in the tree; a place that is null is before the first entry. */
export interface TreeMove extends WrittenMove {
  readonly session: string
  /** Whether nothing was changed because a handler did not let it, or it was stopped (`aborted`). */
  readonly cancelled: boolean
  readonly aborted: boolean
  readonly before: Head
  readonly beforeTip: Oid | null
  readonly commonAncestor: Oid | null
  /** How many entries were left, from where the session stood back to the common ancestor. */
  readonly abandoned: number
  /** The text to edit and to say again, where a message of the user was chosen. */
  readonly text: string | null
}

/**
 * Moves a session in its tree: asks who listens, makes the summary while the store is free for others, then moves in
 * one operation. Throws `conflict` where the session has moved meanwhile, and what the summarizer throws.
 */
export async function moveInTree(
  repo: Repo,
  plan: (reader: Reader) => Promise<TreePlan>,
  { wantsSummary, label, ...options }: TreeOptions,
): Promise<TreeMove> {
  const { planned, target, stay } = await repo.read(async (reader) => {
    const found = await plan(reader)
    return { planned: found, target: await oidAt(reader, found.target), stay: await stayOf(reader, found) }
  })
  const { session, left, reason } = planned
  if (reason === 'navigate' && planned.target === left.old) return stay
  const listeners = listenersOf(repo)
  const { signal = new AbortController().signal, instructions } = options
  const isWanted = wantsSummary ?? (options.summary !== undefined || options.summarize !== undefined)
  const preparation: TreePreparation = {
    target,
    oldLeaf: stay.beforeTip,
    commonAncestor: stay.commonAncestor,
    entriesToSummarize: entriesLeft(repo, left),
    userWantsSummary: isWanted,
    ...(instructions !== undefined && { customInstructions: instructions }),
    ...(label !== undefined && { label }),
  }
  const about = { session: session.id, reason }
  const answer: SummaryAnswer = await listeners.ask('before-tree', { ...about, preparation, signal })
  if (answer.cancel) return { ...stay, cancelled: true }
  const name = answer.label ?? label
  if (name !== undefined) checkFree(session, name)
  let made: MadeSummary | undefined
  try {
    signal.throwIfAborted()
    if (isWanted && left.count > 0) made = await summaryFor(preparation, about.session, answer, options)
    signal.throwIfAborted()
  } catch (error) {
    if (signal.aborted) return { ...stay, cancelled: true, aborted: true }
    throw error
  }
  const done = await repo.write({}, async (change) => {
    const now = await plan(change.reader)
    if (keyOf(now) !== keyOf(planned)) throw new SessError('conflict', session.id)
    return writeTreeMove(repo, change, now, { made, label: name, target })
  })
  const fromHandler = made !== undefined && answer.summary !== undefined
  const told = { newLeaf: done.tip, oldLeaf: stay.beforeTip, summaryEntry: done.summary, fromHandler }
  await listeners.tell('tree', { ...about, ...told })
  return { ...stay, ...done, text: planned.text }
}

/** Returns the summary that who listens gives, else the one that was asked for. */
async function summaryFor(
  { entriesToSummarize: stretch }: TreePreparation,
  session: string,
  { summary, customInstructions }: SummaryAnswer,
  options: SummaryOptions,
): Promise<MadeSummary> {
  const preparation = { reason: 'pop', session, stretch } as const
  if (summary)
    return summarize(preparation, { summarize: () => Promise.resolve({ fromHook: true, ...summary }) })
  const instructions = customInstructions ?? options.instructions
  return summarize(preparation, { ...options, ...(instructions !== undefined && { instructions }) })
}

/** Returns a move by which nothing changes. */
async function stayOf(reader: Reader, { session, left }: TreePlan): Promise<TreeMove> {
  const [{ id, head }, tip] = [session, tipOf(session) ?? null]
  return {
    session: id,
    cancelled: false,
    aborted: false,
    head,
    tip,
    before: head,
    beforeTip: tip,
    commonAncestor: await oidAt(reader, left.base),
    abandoned: left.count,
    kept: null,
    text: null,
    summary: null,
  }
}

/** Returns what a plan may not have become meanwhile. */
const keyOf = ({ session, target, to, branch, left }: TreePlan): string =>
  JSON.stringify([session.id, session.head, target, to, branch, left])

const oidAt = async (reader: Reader, handle: EntryHandle | undefined): Promise<Oid | null> =>
  handle === undefined ? null : reader.oid(handle)

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
  readonly left: LeftPath
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
interface MoveContents {
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
async function writeTreeMove(
  repo: Repo,
  change: Change,
  plan: TreePlan,
  { made, label, target }: MoveContents,
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
  const nativeLog = await NativeLog.begin(repo, change, session.id)
  const body = bodyFrom({
    summary,
    ...(details !== undefined && { details }),
    ...(fromHook && { fromHook }),
  })
  const value = { body, origin: { by: reason, from: tipOf(session) ?? null } }
  const parents = to === undefined ? [] : [to]
  const { oid } = await nativeLog.add({ type: 'sess/branch_summary', body, parents, value, at: ['body'] })
  // A pop stays on the path of its session; other moves may come to an entry of another.
  nativeLog.end(reason === 'pop' ? [] : undefined)
  return oid
}

/** What a move in a tree leaves: the entries of a path behind its common ancestor with another. */
export interface LeftPath {
  /** Where the path that is left ends; undefined where nothing is left. */
  readonly old: EntryHandle | undefined
  /** The newest entry on both paths. */
  readonly base: EntryHandle | undefined
  readonly count: number
}

/** Returns what a move from one entry to another leaves; undefined stands for before the first. Logarithmic in their depth. */
export async function leftPath(
  reader: Reader,
  old: EntryHandle | undefined,
  target: EntryHandle | undefined,
): Promise<LeftPath> {
  if (old === undefined) return { old, base: undefined, count: 0 }
  const base =
    target === undefined ? undefined : await firstParentBase(old, target, (handle) => reader.node(handle))
  const shared = base === undefined ? 0 : (await reader.node(base)).depth + 1
  return { old, base, count: (await reader.node(old)).depth + 1 - shared }
}

/** Returns what is left, the oldest first, to be read as it is gone through. */
const entriesLeft = (repo: Repo, left: LeftPath): PathEntries => ({
  count: left.count,
  async *entries(from = 0) {
    yield* pathEntries(repo, await repo.read((reader) => handlesLeft(reader, left))).entries(from)
  },
})

/** Returns the entries that are left, the oldest first. */
export async function handlesLeft(reader: Reader, { old, count }: LeftPath): Promise<EntryHandle[]> {
  const handles: EntryHandle[] = []
  if (old === undefined || count === 0) return handles
  for await (const handle of path(old, (at) => reader.node(at))) if (handles.push(handle) === count) break
  return handles.reverse()
}

/**
 * Returns the name for what is left, as an import would name it: `at-` and 8 digits of the oid of the first entry that no
 * branch has but `except`; undefined where nothing is left, or a branch names it already.
 */
async function nameForLeft(
  reader: Reader,
  { branches, labels }: Session,
  left: LeftPath,
  except?: string,
): Promise<string | undefined> {
  const { old } = left
  let { count } = left
  if (old === undefined || count === 0) return undefined
  const others = [...branches].filter(([name]) => name !== except).map(([, oid]) => oid)
  for (const tip of new Set((await reader.findMany(others)).values())) {
    // A merge has more than its path.
    if (await isAncestor(old, tip, (handle) => reader.node(handle))) return undefined
    count = Math.min(count, (await leftPath(reader, old, tip)).count)
  }
  const first = (await ancestor(old, count - 1, (handle) => reader.node(handle))) as EntryHandle
  return freeName(await reader.oid(first), (name) => branches.has(name) || labels.has(name))
}
