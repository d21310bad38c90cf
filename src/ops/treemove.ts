import { SessError } from '../model/errors.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Oid } from '../model/oid.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { type Head, tipOf } from '../repo/session.ts'
import { listenersOf, type SummaryAnswer, type TreePreparation } from './events.ts'
import { checkFree } from './label.ts'
import { stretchLeft } from './navigate/abandoned.ts'
import { type TreePlan, type WrittenMove, writeTreeMove } from './navigate/treewrite.ts'
import { type MadeSummary, type SummaryOptions, summarize } from './summarize.ts'

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
    entriesToSummarize: stretchLeft(repo, left),
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
