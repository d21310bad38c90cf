import { firstParentBase } from '../graph/mergebase.ts'
import { ancestor, isAncestor, path } from '../graph/walk.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import { defined } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import { branchRef, headRef, labelRef } from '../model/refname.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { Change, Repo } from '../repo/repo.ts'
import {
  allBranches,
  branchTip,
  type Head,
  headValue,
  refValue,
  type SessionTrunk,
  tipOf,
} from '../repo/session.ts'
import { bodyFrom, NativeLog } from './append/nativelog.ts'
import { oidOrNull } from './entries.ts'
import { type AfterTree, listenersOf, type SummaryAnswer, type TreePreparation } from './events.ts'
import { freeName } from './import/branches.ts'
import { checkFree } from './label.ts'
import {
  type MadeSummary,
  madeOrSummarized,
  type PathEntries,
  pathEntries,
  type SummaryOptions,
  summaryFields,
} from './summarize.ts'

/** Options of a move in the tree. */
export interface TreeOptions extends SummaryOptions {
  /** Add a summary of the entries that are left. By default if `summary` or `summarize` is given. */
  readonly wantsSummary?: boolean
  /** A label for the summary or, without one, for the chosen entry. */
  readonly label?: string
}

/** The result of a move in the tree. An entry that is null stands for the place before the first entry. */
export interface TreeMove extends WrittenMove {
  readonly session: string
  /** Whether a handler refused the move, or the signal aborted it (`aborted`): then nothing was changed. */
  readonly cancelled: boolean
  /** Why a handler refused it, if it said so. */
  readonly reason?: string
  readonly aborted: boolean
  readonly before: Head
  readonly beforeTip: Oid | null
  readonly commonAncestor: Oid | null
  /** The number of entries that were left: those from the former tip back to the common ancestor. */
  readonly abandoned: number
  /** The text of the chosen entry, if that is a message of the user. */
  readonly text: string | null
}

/**
 * Moves a session in its tree: asks the handlers of `before-tree`, makes the summary without holding the store, then moves
 * in one operation. Throws `conflict` if the session moved meanwhile, and what the summarizer throws.
 */
export async function moveInTree(
  repo: Repo,
  plan: (reader: Reader) => Promise<TreePlan>,
  { wantsSummary, label, ...options }: TreeOptions,
): Promise<TreeMove> {
  const { planned, target, stay } = await repo.read(async (reader) => {
    const found = await plan(reader)
    return {
      planned: found,
      target: await oidOrNull(reader, found.target),
      stay: await stayOf(reader, found),
    }
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
    ...defined({ customInstructions: instructions, label }),
  }
  const about = { session: session.id, reason }
  const answer: SummaryAnswer = await listeners.ask('before-tree', { ...about, preparation, signal })
  if (answer.cancel) return { ...stay, cancelled: true, ...defined({ reason: answer.reason }) }
  const name = answer.label ?? label
  if (name !== undefined) await repo.read((reader) => checkFree(reader, session, name))
  let made: MadeSummary | undefined
  try {
    signal.throwIfAborted()
    if (isWanted && left.count > 0) {
      const { entriesToSummarize: stretch } = preparation
      const purpose = answer.customInstructions ?? instructions
      const summaryOptions = { ...options, ...defined({ instructions: purpose }) }
      made = await madeOrSummarized(
        answer.summary,
        { reason: 'pop', session: session.id, stretch },
        summaryOptions,
      )
    }
    signal.throwIfAborted()
  } catch (error) {
    if (signal.aborted) return { ...stay, cancelled: true, aborted: true }
    throw error
  }
  const done = await repo.write({}, async (change) => {
    const now = await plan(change.reader)
    if (keyOf(now) !== keyOf(planned)) throw new SessError('conflict', session.id)
    return writeTreeMove(change, now, { made, label: name, target })
  })
  const fromHandler = made !== undefined && answer.summary !== undefined
  const event = { newLeaf: done.tip, oldLeaf: stay.beforeTip, summaryEntry: done.summary, fromHandler }
  await listeners.emit('tree', { ...about, ...event })
  return { ...stay, ...done, text: planned.text }
}

/** Returns the result of a move that changes nothing. */
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
    commonAncestor: await oidOrNull(reader, left.base),
    abandoned: left.count,
    kept: null,
    text: null,
    summary: null,
  }
}

/** Returns the parts of a plan that must not change between planning and writing. */
const keyOf = ({ session, target, to, branch, left }: TreePlan): string =>
  JSON.stringify([session.id, session.head, target, to, branch, left])

/** A planned move in the tree. An entry that is undefined stands for the place before the first entry. */
export interface TreePlan {
  readonly reason: AfterTree['reason']
  readonly session: SessionTrunk
  readonly target: EntryHandle | undefined
  /** The new tip, or the parent of the summary. */
  readonly to: EntryHandle | undefined
  /** The branch to switch to, if `to` is its tip. */
  readonly branch?: string
  /** The text of the chosen entry, if it is a message to edit. */
  readonly text: string | null
  readonly left: LeftPath
}

/** The written part of a move. A tip that is null stands for the place before the first entry. */
export interface WrittenMove {
  readonly head: Head
  readonly tip: Oid | null
  /** The new branch for the entries that were left; null if one names them already. */
  readonly kept: string | null
  /** The entry with the summary. */
  readonly summary: Oid | null
}

/** The content of a move besides its plan. */
interface MoveContents {
  readonly made: MadeSummary | undefined
  readonly label: string | undefined
  /** The entry that was chosen. */
  readonly target: Oid | null
}

/**
 * Writes a planned move: adds the summary, names the entries that are left, and moves the session. A pop moves the current
 * branch back. Any other move leaves it where it is and moves HEAD: to the branch whose tip is the new entry, which then
 * gets the summary, else to the entry itself.
 */
async function writeTreeMove(
  change: Change,
  plan: TreePlan,
  { made, label, target }: MoveContents,
): Promise<WrittenMove> {
  const { session, to, left, reason } = plan
  const { id, head: before } = session
  const summary = made ? await addSummary(change, plan, made) : null
  const tip = summary ?? (await oidOrNull(change.reader, to))
  const comesAlong = reason === 'pop' && 'branch' in before ? before.branch : undefined
  const old = tipOf(session)
  const kept = await nameForLeft(change.reader, session, left, comesAlong)
  if (kept !== undefined) change.move(branchRef(id, kept), undefined, old)
  const branch = comesAlong ?? plan.branch
  const head: Head = branch === undefined ? { oid: tip } : { branch }
  if (JSON.stringify(head) !== JSON.stringify(before))
    change.move(headRef(id), headValue(session), refValue(head))
  const stood = branch === undefined ? undefined : await branchTip(change.reader, session, branch)
  if (branch !== undefined && tip !== null && tip !== stood) change.move(branchRef(id, branch), stood, tip)
  if (label !== undefined) {
    const named = summary ?? target
    if (named === null)
      throw new SessError('before-first', id, { hint: 'leave the label out, for there is nothing to label' })
    await checkFree(change.reader, session, label)
    change.move(labelRef(id, label), undefined, named)
  }
  return { head, tip, kept: kept ?? null, summary }
}

/** Adds the entry with the summary. Its record names the former tip. */
async function addSummary(
  change: Change,
  { session, to, reason }: TreePlan,
  made: MadeSummary,
): Promise<Oid> {
  const nativeLog = await NativeLog.begin(change, session.id)
  const body = bodyFrom(summaryFields(made))
  const value = { body, origin: { by: reason, from: tipOf(session) ?? null } }
  const parents = to === undefined ? [] : [to]
  const { oid } = await nativeLog.add({ type: 'sess/branch_summary', body, parents, value, at: ['body'] })
  // A pop stays on the session's own path; other moves may lead to entries of another session.
  nativeLog.end(reason === 'pop' ? [] : undefined)
  return oid
}

/** The entries of a path that a move leaves: those after the common ancestor with the new path. */
export interface LeftPath {
  /** The former tip; undefined if there was none. */
  readonly old: EntryHandle | undefined
  /** The newest common entry of both paths. */
  readonly base: EntryHandle | undefined
  readonly count: number
}

/** Returns the entries that a move from one entry to another leaves. Logarithmic in their depth. */
export async function leftPath(
  reader: Reader,
  old: EntryHandle | undefined,
  target: EntryHandle | undefined,
): Promise<LeftPath> {
  if (old === undefined) return { old, base: undefined, count: 0 }
  const base = target === undefined ? undefined : await firstParentBase(old, target, lookIn(reader))
  const shared = base === undefined ? 0 : (await reader.node(base)).depth + 1
  return { old, base, count: (await reader.node(old)).depth + 1 - shared }
}

/** Returns the entries that are left as input of a summarizer. They are read during the iteration. */
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
  for await (const handle of path(old, lookIn(reader))) if (handles.push(handle) === count) break
  return handles.reverse()
}

/**
 * Returns the name of a branch for the entries that are left, as an import would name it: `at-` and 8 digits of the oid of
 * the first entry that is on no branch other than `except`. Undefined if nothing is left, or a branch reaches it already.
 */
async function nameForLeft(
  reader: Reader,
  session: SessionTrunk,
  left: LeftPath,
  except?: string,
): Promise<string | undefined> {
  const { old } = left
  let { count } = left
  if (old === undefined || count === 0) return undefined
  const current = tipOf(session)
  // Most often the branch of HEAD reaches them: then no other is looked at.
  if ('branch' in session.head && session.head.branch !== except && current !== undefined)
    if ((await reader.find(current)) === old) return undefined
  const branches = await allBranches(reader, session)
  const others = [...branches].filter(([name]) => name !== except).map(([, oid]) => oid)
  for (const tip of new Set((await reader.findMany(others)).values())) {
    // A tip reaches more than its path if there are merges.
    if (await isAncestor(old, tip, lookIn(reader))) return undefined
    count = Math.min(count, (await leftPath(reader, old, tip)).count)
  }
  const first = (await ancestor(old, count - 1, lookIn(reader))) as EntryHandle
  return freeName(await reader.oid(first), (name) => branches.has(name) || session.labels.has(name))
}
