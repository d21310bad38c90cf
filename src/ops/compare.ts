import { isUsageInRecord } from '../formats/registry.ts'
import { commonBase } from '../graph/mergebase.ts'
import { inOrder } from '../graph/order.ts'
import { since } from '../graph/range.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import type { EntryHandle } from '../model/node.ts'
import { type PriceOf, pricesWith } from '../model/prices.ts'
import { type Figures, PathStatistics } from '../model/statistics.ts'
import { iso } from '../model/time.ts'
import { NO_WEIGHT } from '../model/tokens.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import { RecordFinder, type RecordLocation } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { type ResolvedRevision, resolve } from '../repo/revision.ts'
import { logsOf } from '../repo/session.ts'
import { oidOrNull } from './entries.ts'
import { AddedUsage, type CallsBefore, PathModels, RecordsAhead, viewWithUsage } from './usage.ts'

/** The metrics of a comparison. Lower values are better. */
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

/** The figures of one revision. */
export interface Side extends Figures {
  /** The revision as the caller named it. */
  readonly revision: string
  readonly oid: Oid
  readonly session: string | null
  readonly branch: string | null
  /** Milliseconds from the first to the last record of its entries; null if none has a time. */
  readonly duration: number | null
  /** The time of the last record, ISO 8601 in UTC. */
  readonly lastActivity: string | null
}

/** The difference of two sides in a metric; null if one of their values is unknown. */
export interface Difference {
  readonly metric: Metric
  readonly a: string
  readonly b: string
  /** The value of `b` minus that of `a`. */
  readonly diff: number | null
  /** The difference in percent of the value of `a`; 0 if that is 0. */
  readonly percent: number | null
}

/** A comparison of two or more revisions. */
export interface Comparison {
  /** The newest entry that all revisions reach, or null. */
  readonly base: Oid | null
  /** Whether whole paths were counted, or only the entries after the base. */
  readonly whole: boolean
  readonly sides: readonly Side[]
  /** The figures of all sides together. Shared entries count once. */
  readonly total: Omit<Figures, 'outcome'>
  /** The differences of each pair in each metric, in the order of the revisions. */
  readonly differences: readonly Difference[]
  readonly metric: Metric
  /**
   * The first revision with the lowest value. A side with an unknown value never wins; null if all values are unknown.
   */
  readonly winner: string | null
}

export interface CompareOptions {
  /** The metric that determines the winner: `cost` by default. */
  readonly metric?: Metric
  /** Count whole paths, not only the entries after the base. */
  readonly whole?: boolean
  /** The prices of models, for costs that no agent records; by default those of the built-in table. */
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
      remedy: { kind: 'name-two-revisions' },
    })
  return repo.read(async (reader) => {
    const tips: ResolvedRevision[] = []
    for (const revision of revisions) tips.push(await resolve(reader, revision))
    const look = lookIn(reader)
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
      base: await oidOrNull(reader, base),
      whole,
      sides,
      total,
      differences: METRICS.flatMap((one) => differencesIn(sides, one)),
      metric,
      winner: winnerOf(sides, metric),
    }
  })
}

/** The entries of a side, and the times of their first and last records. */
interface Walked {
  readonly tip: ResolvedRevision
  readonly handles: Set<EntryHandle>
  /** The records of entries whose usage is not in their bodies. */
  readonly records: ReadonlyMap<EntryHandle, RecordLocation>
  /** The model calls of entries before, which its first entries may repeat. */
  readonly calls: CallsBefore
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
  let calls: CallsBefore = []
  const finder = new RecordFinder(reader, tip.session ? logsOf(tip.session) : [])
  try {
    for await (const handle of since(tip.handle, base, lookIn(reader))) {
      handles.add(handle)
      const found = await finder.find(handle)
      const time = found?.time
      if (found && (found.usage || isUsageInRecord((await reader.node(handle)).type)))
        records.set(handle, found)
      if (time !== undefined)
        times = times ? [Math.min(times[0], time), Math.max(times[1], time)] : [time, time]
    }
    const before = new RecordsAhead((handle) => finder.find(handle))
    calls = await new AddedUsage(reader, before.peek).callsUpTo(base)
  } finally {
    await finder.close()
  }
  return { tip, handles, records, calls, times }
}

/** Returns the figures of all sides together, then those of each side. */
async function counted(
  reader: Reader,
  sides: readonly Walked[],
  priceOf: PriceOf,
): Promise<[Figures, ...Figures[]]> {
  const all = new Set<EntryHandle>()
  for (const { handles } of sides) for (const handle of handles) all.add(handle)
  const total = new PathStatistics(priceOf)
  const tallies = sides.map(({ handles }) => ({ handles, tally: new PathStatistics(priceOf) }))
  for (const [i, { calls }] of sides.entries())
    for (const [usage, model] of calls) for (const one of [total, tallies[i]?.tally]) one?.begin(usage, model)
  const models = new PathModels(reader)
  // Parents come before their children.
  for (const handle of await inOrder(all, lookIn(reader))) {
    const { weight, parents } = await reader.node(handle)
    const before = parents[0] === undefined ? NO_WEIGHT : (await reader.node(parents[0])).weight
    const found = sides.map(({ records }) => records.get(handle)).find((one) => one !== undefined)
    const view = await viewWithUsage(reader, handle, found)
    const estimated = weight.tokens - before.tokens
    const model = view.usage && (await models.of(handle, view))
    total.add(view, estimated, model)
    for (const { handles, tally } of tallies) if (handles.has(handle)) tally.add(view, estimated, model)
  }
  return [total.figures, ...tallies.map(({ tally }) => tally.figures)]
}

const valueOf = (side: Side, metric: Metric): number | null =>
  // A cost without that of some calls would win because of the missing ones.
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
