import { isUsageInRecord, viewOf } from '../formats/registry.ts'
import { commonBase } from '../graph/mergebase.ts'
import { inOrder } from '../graph/order.ts'
import { since } from '../graph/range.ts'
import { SessError } from '../model/errors.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Oid } from '../model/oid.ts'
import { type PriceOf, pricesWith } from '../model/prices.ts'
import { type Figures, PathStatistics } from '../model/statistics.ts'
import { iso } from '../model/time.ts'
import { NO_WEIGHT } from '../model/tokens.ts'
import type { Reader } from '../repo/reader.ts'
import { RecordFinder, type RecordLocation, valueAt } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { type ResolvedRevision, resolve } from '../repo/revision.ts'
import { logsOf } from '../repo/session.ts'

/** What sides may be measured by: of each the lower is the better. */
export const METRICS = [
  'cost',
  'tokens',
  'estimated',
  'errors',
  'duration',
  'calls',
  'messages',
  'entries',
] as const

export type Metric = (typeof METRICS)[number]

/** What one of the revisions comes to. */
export interface Side extends Figures {
  /** As it was given. */
  readonly revision: string
  readonly oid: Oid
  readonly session: string | null
  readonly branch: string | null
  /** Milliseconds from the first to the last record of its entries; null where none has a time. */
  readonly duration: number | null
  /** When the last of them was said, ISO 8601 in UTC. */
  readonly lastActivity: string | null
}

/** How two sides differ in a metric; null where one of them is not known. */
export interface Difference {
  readonly metric: Metric
  readonly a: string
  readonly b: string
  /** What `b` has more than `a`. */
  readonly diff: number | null
  /** The same as a part of what `a` has, times 100; 0 where `a` has none. */
  readonly percent: number | null
}

/** Two or more revisions beside each other. */
export interface Comparison {
  /** The newest entry that all of them reach, or null. */
  readonly base: Oid | null
  /** Whether their whole paths were counted, or what follows the base. */
  readonly whole: boolean
  readonly sides: readonly Side[]
  /** What all of them come to, an entry that several have counted once. */
  readonly total: Omit<Figures, 'outcome'>
  /** For every metric that of each pair, in the order of the revisions. */
  readonly differences: readonly Difference[]
  readonly metric: Metric
  /**
   * The revision with the lowest value, the first one of those with the same. What is not known never wins: null
   * where none is known.
   */
  readonly winner: string | null
}

export interface CompareOptions {
  /** What decides who wins: `cost` unless said. */
  readonly metric?: Metric
  /** Count their whole paths, not only what follows their last common entry. */
  readonly whole?: boolean
  /** The prices of models, for costs that no agent records; those of the table unless given. */
  readonly priceOf?: PriceOf
}

/**
 * Compares two or more revisions. Reads each entry once, however many of them have it. Throws `bad-usage` for fewer
 * than two.
 */
export async function compare(
  repo: Repo,
  revisions: readonly string[],
  { metric = 'cost', whole = false, priceOf = pricesWith() }: CompareOptions = {},
): Promise<Comparison> {
  if (revisions.length < 2)
    throw new SessError('bad-usage', 'two revisions or more are compared', {
      hint: "name them: 'sess compare SESSION/BRANCH SESSION/OTHER'",
    })
  return repo.read(async (reader) => {
    const tips: ResolvedRevision[] = []
    for (const revision of revisions) tips.push(await resolve(reader, revision, repo.env.cwd))
    const look = (handle: EntryHandle) => reader.node(handle)
    const handles = tips.map(({ handle }) => handle)
    const base = await commonBase(handles, look)
    const walked: Walked[] = []
    for (const tip of tips) walked.push(await walkedFrom(reader, tip, whole ? undefined : base))
    const [{ outcome: _, ...total }, ...figures] = await counted(reader, walked, priceOf)
    const sides = walked.map(({ times, tip }, i): Side => {
      const { oid, session, branch } = tip
      const last = times?.[1]
      return {
        revision: revisions[i] as string,
        oid,
        session: session?.id ?? null,
        branch: branch ?? null,
        ...(figures[i] as Figures),
        duration: times ? times[1] - times[0] : null,
        lastActivity: iso(last),
      }
    })
    return {
      base: base === undefined ? null : await reader.oid(base),
      whole,
      sides,
      total,
      differences: METRICS.flatMap((one) => differencesIn(sides, one)),
      metric,
      winner: winnerOf(sides, metric),
    }
  })
}

/** The entries of a side, and the times of the first and the last record of them. */
interface Walked {
  readonly tip: ResolvedRevision
  readonly handles: Set<EntryHandle>
  /** The records of entries whose usage is in their records. */
  readonly records: ReadonlyMap<EntryHandle, RecordLocation>
  readonly times: readonly [first: number, last: number] | undefined
}

async function walkedFrom(
  reader: Reader,
  tip: ResolvedRevision,
  base: EntryHandle | undefined,
): Promise<Walked> {
  const handles = new Set<EntryHandle>()
  const records = new Map<EntryHandle, RecordLocation>()
  let times: [number, number] | undefined
  const finder = new RecordFinder(reader, tip.session ? logsOf(tip.session) : [])
  try {
    for await (const handle of since(tip.handle, base, (entry) => reader.node(entry))) {
      handles.add(handle)
      const found = await finder.find(handle)
      const time = found?.time
      if (found && isUsageInRecord((await reader.node(handle)).type)) records.set(handle, found)
      if (time !== undefined)
        times = times ? [Math.min(times[0], time), Math.max(times[1], time)] : [time, time]
    }
  } finally {
    await finder.close()
  }
  return { tip, handles, records, times }
}

/** Counts what all sides have together, then what each has. */
async function counted(
  reader: Reader,
  sides: readonly Walked[],
  priceOf: PriceOf,
): Promise<[Figures, ...Figures[]]> {
  const all = new Set<EntryHandle>()
  for (const { handles } of sides) for (const handle of handles) all.add(handle)
  const total = new PathStatistics(priceOf)
  const tallies = sides.map(({ handles }) => ({ handles, tally: new PathStatistics(priceOf) }))
  // Parents come before their children.
  for (const handle of await inOrder(all, (entry) => reader.node(entry))) {
    const { type, weight, parents } = await reader.node(handle)
    const before = parents[0] === undefined ? NO_WEIGHT : (await reader.node(parents[0])).weight
    const found = sides.map(({ records }) => records.get(handle)).find((one) => one !== undefined)
    const record = found && (await valueAt(reader, found))
    const view = viewOf(type, await reader.body(handle), record)
    const estimated = weight.tokens - before.tokens
    total.add(view, estimated)
    for (const { handles, tally } of tallies) if (handles.has(handle)) tally.add(view, estimated)
  }
  return [total.figures, ...tallies.map(({ tally }) => tally.figures)]
}

const valueOf = (side: Side, metric: Metric): number | null =>
  // A cost that lacks that of some calls would win for what it lacks.
  metric === 'cost' && side.unpriced > 0
    ? null
    : metric === 'tokens'
      ? (side.tokens?.total ?? null)
      : side[metric]

function differencesIn(sides: readonly Side[], metric: Metric): Difference[] {
  return sides.flatMap((one, i) =>
    sides.slice(i + 1).map((other): Difference => {
      const [a, b] = [valueOf(one, metric), valueOf(other, metric)]
      const diff = a === null || b === null ? null : b - a
      const percent = diff === null || a === null ? null : a === 0 ? 0 : (diff / a) * 100
      return { metric, a: one.revision, b: other.revision, diff, percent }
    }),
  )
}

/** Returns the side with the lowest value, the first of equals. */
function winnerOf(sides: readonly Side[], metric: Metric): string | null {
  let best: { readonly revision: string; readonly value: number } | undefined
  for (const side of sides) {
    const value = valueOf(side, metric)
    if (value !== null && (best === undefined || value < best.value))
      best = { revision: side.revision, value }
  }
  return best?.revision ?? null
}
