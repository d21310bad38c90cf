import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import { defined } from '../model/json.ts'
import { branchRef, checkName, labelRef } from '../model/refname.ts'
import { tokensOf } from '../model/tokens.ts'
import type { Reader } from '../repo/reader.ts'
import type { Change, Repo } from '../repo/repo.ts'
import { type ResolvedRevision, resolveSession } from '../repo/revision.ts'
import { branchTip, type SessionTrunk, tipOf } from '../repo/session.ts'
import { type NamedTarget, resolveIn, targetOf } from './append/branchtarget.ts'
import { bodyFrom, NativeLog } from './append/nativelog.ts'
import { checkNoBranch } from './branch.ts'
import { type CompactionPlan, planCompaction } from './compactionplan.ts'
import { cancelledBy, listenersOf } from './events.ts'
import { checkFree } from './label.ts'
import { noSessionNamed } from './revisionrange.ts'
import {
  type MadeSummary,
  madeOrSummarized,
  type Preparation,
  pathEntries,
  type SummaryOptions,
  summaryFields,
} from './summarize.ts'

/** Options of a compaction. */
export interface CompactOptions extends SummaryOptions {
  /** The session, if the revision names none. */
  readonly session?: string
  /** The minimum number of tokens to keep, estimated: 20,000 by default. With 0 nothing is kept. */
  readonly keepTokens?: number
  /** A revision: the first entry to keep. */
  readonly keepFrom?: string
  /** Make a new branch with this name for the compaction, and leave the compacted branch as it is. */
  readonly branch?: string
}

/** A compaction that was made. */
export interface Compacted {
  readonly session: string
  /** The branch that it was appended to; null for a detached HEAD. */
  readonly branch: string | null
  /** Whether the branch is new. */
  readonly created: boolean
  readonly oid: Oid
  /** The entry that it follows: the former tip. */
  readonly before: Oid
  readonly firstKept: Oid | null
  /** The number of messages of the context that the summary replaces, and of those that are kept. */
  readonly summarized: number
  readonly kept: number
  /** The tokens of the context before and after, both estimated because usage is recorded only for the former. */
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly summary: string
}

/**
 * Appends a compaction to a branch: in the context a summary replaces everything before the first kept entry. The original
 * entries stay reachable as ancestors of the compaction. An entry that is no tip is compacted on a new branch. The store is
 * not held while the summary is made. Throws `conflict` if the branch moved meanwhile, `nothing-to-compact`, `cannot-keep`,
 * `cancelled`, and what the summarizer throws; then nothing is changed.
 */
export async function compact(
  repo: Repo,
  revision: string,
  options: CompactOptions = {},
): Promise<Compacted> {
  const { place, plan } = await repo.read(async (reader) => {
    const found = await compactPlace(reader, revision, options)
    const { keepTokens, keepFrom } = options
    const from = keepFrom === undefined ? undefined : await resolveIn(reader, keepFrom, found.session)
    const name = found.created || found.branch === null ? revision : `${found.session.id}/${found.branch}`
    return { place: found, plan: await planCompaction(reader, found.tip, name, { keepTokens, from }) }
  })
  const { made, label, fromHandler } = await summaryOf(repo, place.session.id, plan, options)
  const done = await repo.write({}, async (change) => {
    const now = await compactPlace(change.reader, revision, options)
    if (now.tip.oid !== place.tip.oid || now.ref !== place.ref)
      throw new SessError('conflict', place.session.id)
    return write(change, now, { plan, made, label })
  })
  await listenersOf(repo).emit('compact', { session: done.session, compactionEntry: done.oid, fromHandler })
  return done
}

/** Asks the handlers of `before-compact`, and returns the summary with its label: those of a handler, else the caller's. */
async function summaryOf(
  repo: Repo,
  session: string,
  { summarized, turn, previous, tokensBefore, firstKept }: CompactionPlan,
  { instructions, signal = new AbortController().signal, ...from }: CompactOptions,
): Promise<{ made: MadeSummary; label: string | undefined; fromHandler: boolean }> {
  const event = {
    session,
    entriesToSummarize: pathEntries(repo, [...summarized, ...turn]),
    firstKept: firstKept?.oid ?? null,
    tokensBefore,
    ...defined({ customInstructions: instructions }),
    signal,
  }
  const answer = await listenersOf(repo).ask('before-compact', event)
  if (answer.cancel) throw cancelledBy(answer, 'compact')
  const { label, summary: fromHandler, customInstructions = instructions } = answer
  const preparation: Preparation = {
    reason: 'compact',
    session,
    stretch: pathEntries(repo, summarized),
    ...(turn.length > 0 && { turn: pathEntries(repo, turn) }),
    ...(previous && { previous }),
  }
  const made = await madeOrSummarized(fromHandler, preparation, {
    ...from,
    signal,
    ...defined({ instructions: customInstructions }),
  })
  return { made, label, fromHandler: fromHandler !== undefined }
}

interface PreparedCompaction {
  readonly plan: CompactionPlan
  readonly made: MadeSummary
  readonly label: string | undefined
}

async function write(
  change: Change,
  { session, branch, created, tip, ref, before, holds }: CompactPlace,
  { plan, made, label }: PreparedCompaction,
): Promise<Compacted> {
  const { firstKept, tokensBefore, estimatedBefore, kept, summarized, turn } = plan
  const { summary, ...rest } = summaryFields(made)
  const body = bodyFrom({ summary, tokensBefore, ...rest })
  const nativeLog = await NativeLog.begin(change, session.id)
  const parents = [tip.handle]
  const links = firstKept ? { firstKept: firstKept.handle } : {}
  const { oid, view } = await nativeLog.add({ type: 'sess/compaction', body, parents, links })
  change.move(ref, before, holds(oid))
  if (label !== undefined) {
    await checkFree(change.reader, session, label)
    change.move(labelRef(session.id, label), undefined, oid)
  }
  nativeLog.end()
  return {
    session: session.id,
    branch,
    created,
    oid,
    before: tip.oid,
    firstKept: firstKept?.oid ?? null,
    summarized: summarized.length + turn.length,
    kept: kept.length,
    tokensBefore: estimatedBefore,
    tokensAfter: kept.reduce((sum, item) => sum + tokensOf(item.view), tokensOf(view)),
    summary: made.summary,
  }
}

/** The branch or HEAD that a compaction is appended to. */
export interface CompactPlace extends NamedTarget {
  readonly tip: ResolvedRevision
  /** Whether the branch is new. */
  readonly created: boolean
}

/** The default name of a new branch for a compaction. */
const NAME = 'compacted'

/**
 * Returns the place for a compaction of the path to a revision: the branch or detached HEAD that is at its entry; else, or
 * with `branch`, a new branch. Throws `exists`, `bad-name`, `bad-usage` and as `resolve`.
 */
async function compactPlace(
  reader: Reader,
  revision: string,
  { session: named, branch }: { readonly session?: string; readonly branch?: string },
): Promise<CompactPlace> {
  const own = named === undefined ? undefined : await resolveSession(reader, named)
  const tip = await resolveIn(reader, revision, own)
  const session = own ?? tip.session
  if (!session) throw noSessionNamed(revision, { remedy: { kind: 'name-session' } })
  if (branch !== undefined) {
    checkName(branch)
    await checkNoBranch(reader, session, branch)
  }
  const name = branch ?? (await branchAt(reader, session, tip)) ?? (await freeName(reader, session))
  const place = await targetOf(reader, session.id, name, session.head)
  const fresh = { ref: branchRef(session.id, name), before: undefined, holds: (to: Oid) => to }
  return {
    ...(place ?? fresh),
    session,
    tip,
    branch: name === '' ? null : name,
    created: place === undefined,
  }
}

/** Returns the branch whose tip is an entry, '' for a detached HEAD at it; undefined for other entries. */
async function branchAt(
  reader: Reader,
  session: SessionTrunk,
  { oid, session: named, branch }: ResolvedRevision,
): Promise<string | undefined> {
  const { id, head } = session
  if (named?.id === id && branch !== undefined && (await branchTip(reader, session, branch)) === oid)
    return branch
  if (!('branch' in head)) return head.oid === oid ? '' : undefined
  return tipOf(session) === oid ? head.branch : undefined
}

async function freeName(reader: Reader, session: SessionTrunk): Promise<string> {
  for (let n = 1; ; n++) {
    const name = n === 1 ? NAME : `${NAME}-${n}`
    if ((await branchTip(reader, session, name)) === undefined) return name
  }
}
