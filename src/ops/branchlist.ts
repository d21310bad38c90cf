import type { GraphNode } from '../graph/graph.ts'
import { deepestFirst, inOrder } from '../graph/order.ts'
import { since } from '../graph/range.ts'
import { Skeleton } from '../graph/tree.ts'
import { rememberingLook } from '../graph/walk.ts'
import { type Awaitable, collected } from '../model/async.ts'
import type { Oid } from '../model/encoding/oid.ts'
import type { EntryHandle, Node } from '../model/node.ts'
import { type PriceOf, pricesWith } from '../model/prices.ts'
import { PathStatistics } from '../model/statistics.ts'
import { iso } from '../model/time.ts'
import { minus, NO_WEIGHT } from '../model/tokens.ts'
import type { UsageTotals } from '../model/usage.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import { RecordFinder, type RecordLocation } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { type Head, logsOf, MAIN, readableTip, type SessionState, wholeSession } from '../repo/session.ts'
import { branchesOf, type ListedBranch } from './branch.ts'
import { oidOrNull } from './entries.ts'
import { yieldingLook } from './graphentry.ts'
import { AddedUsage, PathModels, RecordsAhead, viewWithUsage } from './usage.ts'

/**
 * A branch with what it has of its own: since its fork point, where it parts from `main` or from a deeper branch; null
 * if it begins at a root. One on the path of another branch has no entries of its own; its tip is its fork point.
 */
export interface BranchDetail extends ListedBranch {
  readonly forkPoint: Oid | null
  readonly entries: number
  readonly calls: number
  /** Tokens, estimated. */
  readonly estimated: number
  /** Figures from its own entries, where requested. */
  readonly figures?: BranchFigures
}

/** Figures of the own entries of a branch. */
export interface BranchFigures extends UsageTotals {
  readonly messages: number
  /** The time of the newest of them that the session has a record of, else of its tip; ISO 8601 in UTC. */
  readonly lastActivity: string | null
}

/** The branches and the HEAD of a session. A tip that is null stands for the place before the first entry. */
export interface BranchList {
  readonly session: string
  readonly head: Head
  readonly tip: Oid | null
  readonly branches: readonly BranchDetail[]
}

/** Options of a list of branches. */
export interface BranchListOptions {
  /** Read the own entries of each branch for its messages, tokens, cost and last activity. */
  readonly figures?: boolean
  /** The prices of models, for costs that no agent records; those of the table unless given. */
  readonly priceOf?: PriceOf
}

/** Returns the branches of a session in the order of their names, and its HEAD. Reads bodies only for figures. */
export async function branchList(
  repo: Repo,
  session: string,
  { figures = false, priceOf = pricesWith() }: BranchListOptions = {},
): Promise<BranchList> {
  return repo.read(async (reader) => {
    const found = await wholeSession(reader, await resolveSession(reader, session))
    const { id, head } = found
    const look = rememberingLook<EntryHandle, BranchNode>(yieldingLook(repo, reader), pickBranchNode)
    const handles = await reader.findMany(found.branches.values())
    const froms = await forkPoints(look, handles, found)
    const finder = new RecordFinder(reader, logsOf(found))
    const records = new RecordsAhead((handle) => finder.find(handle))
    const known = new Map<EntryHandle, Own>()
    try {
      for (const handle of (await inOrder(froms.keys(), look)).reverse()) {
        const from = froms.get(handle)
        known.set(handle, {
          ...(await ownOf(reader, look, handle, from)),
          ...(figures && { figures: await figuresOf(reader, { records, priceOf }, handle, from) }),
        })
      }
    } finally {
      await finder.close()
    }
    const branches: BranchDetail[] = []
    for (const branch of branchesOf(found)) {
      const own = known.get(handles.get(branch.oid) as EntryHandle)
      if (own) branches.push({ ...branch, ...own })
    }
    return { session: id, head, tip: readableTip(found) ?? null, branches }
  })
}

/** The part of an entry that is read to tell branches apart. */
interface BranchNode extends GraphNode<EntryHandle>, Pick<Node, 'weight'> {}

type LookAtBranch = (handle: EntryHandle) => Awaitable<BranchNode>

const pickBranchNode = ({
  parents,
  order,
  depth,
  jump,
  jumpDepth,
  merge,
  weight,
}: BranchNode): BranchNode => ({ parents, order, depth, jump, jumpDepth, merge, weight })

type Own = Omit<BranchDetail, keyof ListedBranch>

/**
 * Returns, by the tips of branches, the newest entry of the path that another branch shares; undefined if there is none.
 * Takes time in the number of branches, not of entries.
 */
async function forkPoints(
  look: LookAtBranch,
  handles: ReadonlyMap<Oid, EntryHandle>,
  { branches }: SessionState,
): Promise<Map<EntryHandle, EntryHandle | undefined>> {
  const main = branches.get(MAIN)
  const tips = await deepestFirst(handles.values(), main && handles.get(main), look)
  const skeleton = new Skeleton(look)
  const froms = new Map<EntryHandle, EntryHandle | undefined>()
  for (const tip of tips) {
    const chain = await skeleton.add(tip)
    froms.set(tip, chain.tip === tip ? chain.from : tip)
  }
  return froms
}

async function ownOf(
  reader: Reader,
  look: LookAtBranch,
  handle: EntryHandle,
  from: EntryHandle | undefined,
): Promise<Omit<Own, 'figures'>> {
  const tip = await look(handle)
  const base = from === undefined ? undefined : await look(from)
  const { calls, tokens } = minus(tip.weight, base?.weight ?? NO_WEIGHT)
  return {
    forkPoint: await oidOrNull(reader, from),
    entries: tip.depth - (base?.depth ?? -1),
    calls,
    estimated: tokens,
  }
}

async function figuresOf(
  reader: Reader,
  { records, priceOf }: { readonly records: RecordsAhead; readonly priceOf: PriceOf },
  handle: EntryHandle,
  from: EntryHandle | undefined,
): Promise<BranchFigures> {
  const tally = new PathStatistics(priceOf)
  const added = new AddedUsage(reader, records.peek)
  for (const [usage, model] of await added.callsUpTo(from)) tally.begin(usage, model)
  const models = new PathModels(reader)
  let last: number | undefined
  const own = await collected(since(handle, from, lookIn(reader)))
  const found = new Map<EntryHandle, RecordLocation | undefined>()
  for (const at of own.length > 0 ? own : [handle]) {
    const record = await records.peek(at)
    last ??= record?.time
    found.set(at, record)
  }
  for (const at of own.reverse()) {
    const view = await viewWithUsage(reader, at, found.get(at))
    tally.add(view, 0, view.usage && (await models.of(at, view)))
  }
  const { messages, tokens, cost, computed, unpriced } = tally.figures
  return { messages, tokens, cost, computed, unpriced, lastActivity: iso(last) }
}
