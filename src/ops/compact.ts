import { SessError } from '../model/errors.ts'
import type { Oid } from '../model/oid.ts'
import { branchRef, checkName, labelRef } from '../model/refname.ts'
import { tokensOf } from '../model/tokens.ts'
import type { Reader } from '../repo/reader.ts'
import type { Change, Repo } from '../repo/repo.ts'
import { type ResolvedRevision, resolveSession } from '../repo/revision.ts'
import type { Session } from '../repo/session.ts'
import { type NamedTarget, resolveIn, targetOf } from './append/branchtarget.ts'
import { bodyFrom, NativeLog } from './append/nativelog.ts'
import { type CompactionPlan, planCompaction } from './compactionplan.ts'
import { listenersOf } from './events.ts'
import { checkFree } from './label.ts'
import {
  type MadeSummary,
  type Preparation,
  pathEntries,
  type SummaryOptions,
  summarize,
} from './summarize.ts'

/** How a path is compacted. */
export interface CompactOptions extends SummaryOptions {
  /** The session, where the revision names none. */
  readonly session?: string
  /** How many tokens are kept at least, estimated: 20,000 unless said, and with 0 nothing is kept. */
  readonly keepTokens?: number
  /** A revision: what is kept begins there. */
  readonly keepFrom?: string
  /** Make a branch of this name for it; the one that is compacted stays where it is. */
  readonly branch?: string
}

/** A compaction that was made. */
export interface Compacted {
  readonly session: string
  /** The branch that stands on it; null where the session is detached. */
  readonly branch: string | null
  /** Whether that branch was made for it. */
  readonly created: boolean
  readonly oid: Oid
  /** The entry that it follows: what the branch, or the session, stood on before. */
  readonly before: Oid
  readonly firstKept: Oid | null
  /** How many things that the model saw the summary stands for, and how many it still sees. */
  readonly summarized: number
  readonly kept: number
  /** The tokens of the context before and after, both estimated, because usage is recorded only for the former. */
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly summary: string
}

/**
 * Appends a compaction to a branch: a summary stands for what precedes the first entry that is kept. The original stays
 * reachable: it is what the compaction continues. What is no tip of a branch is compacted on a new one. The summary is
 * made while the store is free for others. Throws `conflict` where the branch has moved meanwhile, `nothing-to-compact`,
 * `cannot-keep`, `cancelled`, and what the maker of the summary throws: then nothing is changed.
 */
export async function compact(
  repo: Repo,
  revision: string,
  options: CompactOptions = {},
): Promise<Compacted> {
  const { cwd } = repo.env
  const { place, plan } = await repo.read(async (reader) => {
    const found = await compactPlace(reader, cwd, revision, options)
    const { keepTokens, keepFrom } = options
    const from = keepFrom === undefined ? undefined : await resolveIn(reader, keepFrom, found.session, cwd)
    const name = found.created || found.branch === null ? revision : `${found.session.id}/${found.branch}`
    return { place: found, plan: await planCompaction(reader, found.tip, name, { keepTokens, from }) }
  })
  const { made, label, fromHandler } = await summaryOf(repo, place.session.id, plan, options)
  const done = await repo.write({}, async (change) => {
    const now = await compactPlace(change.reader, cwd, revision, options)
    if (now.tip.oid !== place.tip.oid || now.ref !== place.ref)
      throw new SessError('conflict', place.session.id)
    return write(repo, change, now, { plan, made, label })
  })
  await listenersOf(repo).tell('compact', { session: done.session, compactionEntry: done.oid, fromHandler })
  return done
}

/** Gives the summary, and a label for it: a handler's that is told of the compaction before, else as the caller said. */
async function summaryOf(
  repo: Repo,
  session: string,
  { summarized, turn, previous, tokensBefore, firstKept }: CompactionPlan,
  { instructions, signal = new AbortController().signal, ...from }: CompactOptions,
): Promise<{ made: MadeSummary; label: string | undefined; fromHandler: boolean }> {
  const told = {
    session,
    entriesToSummarize: pathEntries(repo, [...summarized, ...turn]),
    firstKept: firstKept?.oid ?? null,
    tokensBefore,
    ...(instructions !== undefined && { customInstructions: instructions }),
    signal,
  }
  const answer = await listenersOf(repo).ask('before-compact', told)
  if (answer.cancel) throw new SessError('cancelled', 'compact')
  const { label, summary: given, customInstructions = instructions } = answer
  const preparation: Preparation = {
    reason: 'compact',
    session,
    stretch: pathEntries(repo, summarized),
    ...(turn.length > 0 && { turn: pathEntries(repo, turn) }),
    ...(previous && { previous }),
  }
  const made = await summarize(preparation, {
    ...(given ? { summarize: () => Promise.resolve({ fromHook: true, ...given }) } : from),
    signal,
    ...(customInstructions !== undefined && { instructions: customInstructions }),
  })
  return { made, label, fromHandler: given !== undefined }
}

interface PreparedCompaction {
  readonly plan: CompactionPlan
  readonly made: MadeSummary
  readonly label: string | undefined
}

async function write(
  repo: Repo,
  change: Change,
  { session, branch, created, tip, ref, before, holds }: CompactPlace,
  { plan, made, label }: PreparedCompaction,
): Promise<Compacted> {
  const { summary, details, fromHook } = made
  const { firstKept, tokensBefore, estimatedBefore, kept, summarized, turn } = plan
  const body = bodyFrom({
    summary,
    tokensBefore,
    ...(details !== undefined && { details }),
    ...(fromHook && { fromHook }),
  })
  const nativeLog = await NativeLog.begin(repo, change, session.id)
  const parents = [tip.handle]
  const links = firstKept ? { firstKept: firstKept.handle } : {}
  const { oid, view } = await nativeLog.add({ type: 'sess/compaction', body, parents, links })
  change.move(ref, before, holds(oid))
  if (label !== undefined) {
    checkFree(session, label)
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
    summary,
  }
}

/** Where a compaction goes. */
export interface CompactPlace extends NamedTarget {
  readonly tip: ResolvedRevision
  /** Whether its branch is made for it. */
  readonly created: boolean
}

/** What a branch is called that is made for a compaction and that nobody named. */
const NAME = 'compacted'

/**
 * Gives where a compaction of what a revision names goes: on the branch whose tip that is, or where the session stands
 * on it; else, or with `branch`, on a new branch. Throws `exists`, `bad-name`, `bad-usage` and as `resolve`.
 */
async function compactPlace(
  reader: Reader,
  cwd: string,
  revision: string,
  { session: named, branch }: { readonly session?: string; readonly branch?: string },
): Promise<CompactPlace> {
  const own = named === undefined ? undefined : await resolveSession(reader, named, cwd)
  const tip = await resolveIn(reader, revision, own, cwd)
  const session = own ?? tip.session
  if (!session)
    throw new SessError('bad-usage', `'${revision}' names an entry and no session`, {
      hint: 'name the session too, with --session SESSION',
    })
  if (branch !== undefined) {
    checkName(branch)
    if (session.branches.has(branch)) throw new SessError('exists', `${session.id}/${branch}`)
  }
  const name = branch ?? standing(session, tip) ?? freeName(session)
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

/** Gives the branch whose tip an entry is, '' where the session stands on it detached; undefined for other entries. */
function standing({ id, branches, head }: Session, tip: ResolvedRevision): string | undefined {
  if (tip.session?.id === id && tip.branch !== undefined && branches.get(tip.branch) === tip.oid)
    return tip.branch
  if (!('branch' in head)) return head.oid === tip.oid ? '' : undefined
  return branches.get(head.branch) === tip.oid ? head.branch : undefined
}

function freeName({ branches }: Session): string {
  if (!branches.has(NAME)) return NAME
  for (let n = 2; ; n++) if (!branches.has(`${NAME}-${n}`)) return `${NAME}-${n}`
}
