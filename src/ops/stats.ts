import { isUsageInEntry, isUsageInRecord } from '../formats/registry.ts'
import { reachable } from '../graph/walk.ts'
import { collected } from '../model/async.ts'
import { type ReportedCost, sumsOf } from '../model/logtotals.ts'
import type { EntryHandle } from '../model/node.ts'
import { type PriceOf, pricesWith } from '../model/prices.ts'
import { UNITS, type Zone } from '../model/time.ts'
import {
  type CallUsage,
  isCounted,
  ModelCalls,
  priceSums,
  UsageSums,
  type UsageTotals,
} from '../model/usage.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import { type RecordLocation, readHeaders } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { allSessions, logsOf, recordsOf, type SessionState, updatedOf } from '../repo/session.ts'
import { bytesBelow } from '../repo/size.ts'
import { readAside } from '../repo/stream.ts'
import { tipsOf } from './entries.ts'
import { PathModels, viewWithUsage } from './usage.ts'

/** The size of a store. */
export interface Stats {
  readonly sessions: number
  readonly records: number
  /** Distinct entries and blobs, those included that nothing reaches. */
  readonly entries: number
  readonly blobs: number
  /** Bytes that all sources had when they were last read. */
  readonly sourceBytes: number
  /** Bytes of the store's folder. */
  readonly storeBytes: number
}

/** Counts the contents of a store. Reads all of its index. */
export async function stats(repo: Repo): Promise<Stats> {
  const counted = await readAside(repo, async (reader) => {
    let [sessions, records, sourceBytes] = [0, 0, 0]
    for await (const session of allSessions(reader)) {
      sessions++
      records += recordsOf(session)
      sourceBytes += session.source?.bytes ?? 0
    }
    return { sessions, records, sourceBytes, ...(await reader.sizes()) }
  })
  const { sessions, records, entries, blobs, sourceBytes } = counted
  return { sessions, records, entries, blobs, sourceBytes, storeBytes: bytesBelow(repo.dir) }
}

/** The groupings of usage. */
export const USAGE_GROUPS = ['day', 'project', 'agent', 'model', 'git-branch'] as const

export type UsageGroup = (typeof USAGE_GROUPS)[number]

/** The usage of one group. */
export interface UsageRow extends UsageTotals {
  /** A day (`2026-04-02`), the folder of a project, a format, a model, or a branch of git; null where it is unknown. */
  readonly key: string | null
  /** The number of sessions that have a part in it. */
  readonly sessions: number
  /** The number of model calls. */
  readonly calls: number
  /**
   * The cost of whole sessions as their agents report it, in US dollars; null where none does. It is no part of `cost`, and
   * each tally counts once, however many copies of a session go on with it.
   */
  readonly reported: number | null
}

/** The usage of all sessions. */
export interface UsageStats {
  readonly by: UsageGroup
  /** Days in their order, others by their cost and their tokens, the highest first. */
  readonly rows: readonly UsageRow[]
  readonly total: Omit<UsageRow, 'key'>
}

export interface UsageOptions {
  /** The prices of models; those of the table unless given. */
  readonly priceOf?: PriceOf
  /** The zone of days; UTC unless given. */
  readonly zone?: Zone
}

/**
 * Sums the usage of the model calls of all sessions. Reads each entry once, so a call that forks share counts once, for the
 * oldest of them. A session whose agent records only sums counts on the day of its last record, for its last model, and so
 * does a cost that an agent reports of a whole session without its models.
 */
export async function usageBy(
  repo: Repo,
  by: UsageGroup,
  { priceOf = pricesWith(), zone = () => 0 }: UsageOptions = {},
): Promise<UsageStats> {
  return readAside(repo, async (reader) => {
    const sessions = await collected(allSessions(reader))
    sessions.sort((a, b) => (a.meta.created ?? 0) - (b.meta.created ?? 0))
    const groups = new Map<string | null, UsageCount>()
    const total = new UsageCount()
    const countsOf = (session: SessionState, time: number | null, model: string): UsageCount[] => {
      const day = time === null ? null : new Date(time + zone(time) * UNITS.m).toISOString().slice(0, 10)
      const { format, cwd, git } = session.meta
      const keys = {
        day,
        project: cwd,
        agent: format,
        model: model || null,
        'git-branch': git?.branch ?? null,
      }
      const key = keys[by]
      let group = groups.get(key)
      if (!group) groups.set(key, (group = new UsageCount()))
      return [group, total]
    }
    const spent = new SpentUsage(reader)
    for (const session of sessions)
      for await (const { time, ...found } of spent.of(session)) {
        repo.checkStop()
        for (const count of countsOf(session, time, found.model)) count.add(session.id, found)
      }
    for (const [session, model, cost] of reportedCosts(sessions, spent.sharing))
      for (const count of countsOf(session, updatedOf(session), model)) count.report(session.id, cost)
    const rows = [...groups].map(([key, group]): UsageRow => ({ key, ...group.row(priceOf) }))
    rows.sort(
      by === 'day'
        ? (a, b) => ((a.key ?? '') < (b.key ?? '') ? -1 : 1)
        : (a, b) => (b.cost ?? -1) - (a.cost ?? -1) || (b.tokens?.total ?? 0) - (a.tokens?.total ?? 0),
    )
    return { by, rows, total: total.row(priceOf) }
  })
}

/** Usage that belongs to a session, with its time. */
interface FoundUsage extends CallUsage {
  /** Whether it is the sum of several model calls. */
  readonly whole: boolean
  readonly time: number | null
}

/** No session has counted the usage of an entry. */
const NOBODY = -1

/** Finds the usage of entries, each of which counts once. */
class SpentUsage {
  readonly #reader: Reader
  readonly #models: PathModels
  readonly #calls = new ModelCalls()
  /** The number of the session that counted the usage of an entry, of each entry that was read. */
  readonly #counted = new Map<EntryHandle, number>()
  #session = NOBODY
  /** By the number of a session, those of the sessions before it that have entries of it. */
  readonly sharing = new Map<number, Set<number>>()

  constructor(reader: Reader) {
    this.#reader = reader
    this.#models = new PathModels(reader)
  }

  /** Yields the usage of the entries of a session that no session before it has counted, else the sums that its agent records. */
  async *of(session: SessionState): AsyncGenerator<FoundUsage> {
    const number = ++this.#session
    const isCurrent = await currentEntries(this.#reader, session)
    let isRecorded = false
    for (const [log, count] of logsOf(session))
      for await (const [position, header] of readHeaders(this.#reader, log, 0, count)) {
        const { entry, tip, time = null, usage, native } = header
        if (entry !== undefined && (isCurrent?.(entry) ?? true)) {
          // A message that was rewritten has its id again.
          const call = isCurrent && native !== undefined ? `${session.id} ${native}` : undefined
          const found = await this.#usageOf(entry, { log, position }, call)
          if (found) yield { ...found, whole: false, time }
          isRecorded ||= (this.#counted.get(entry) ?? NOBODY) !== NOBODY
        }
        if (usage === undefined || tip === undefined) continue
        isRecorded = true
        if (!this.#claim(tip, number)) continue
        yield { before: {}, now: usage, model: await this.#models.at(tip), whole: false, time }
      }
    const { source } = session
    const { counts } = sumsOf(source?.summary ?? {})
    if (isRecorded || !isCounted(counts)) return
    const model = source?.summary?.model ?? ''
    yield { before: {}, now: counts, model, whole: true, time: updatedOf(session) }
  }

  /** Returns the usage of an entry, with that in its record, unless it is counted. */
  async #usageOf(
    entry: EntryHandle,
    record: RecordLocation,
    call: string | undefined,
  ): Promise<CallUsage | undefined> {
    const known = this.#counted.get(entry)
    if (known !== undefined && known !== NOBODY) {
      this.#share(known)
      return undefined
    }
    const { type } = await this.#reader.node(entry)
    // The record of one session may lack usage that the record of another has.
    if (!isUsageInEntry(type) || (known === NOBODY && !isUsageInRecord(type))) {
      if (known === undefined) this.#counted.set(entry, NOBODY)
      return undefined
    }
    const view = await viewWithUsage(this.#reader, entry, record)
    const { usage } = view
    const isFound = usage !== undefined && isCounted(usage)
    this.#counted.set(entry, isFound ? this.#session : NOBODY)
    if (!isFound) return undefined
    const named = usage.call === undefined && call !== undefined ? { ...usage, call } : usage
    return this.#calls.add(named, await this.#models.of(entry, view))
  }

  /** Returns whether a session counts the usage of an entry: nobody else has. */
  #claim(entry: EntryHandle, session: number): boolean {
    const by = this.#counted.get(entry) ?? NOBODY
    if (by === NOBODY) this.#counted.set(entry, session)
    else this.#share(by)
    return by === NOBODY || by === session
  }

  #share(other: number): void {
    if (other === this.#session) return
    const known = this.sharing.get(this.#session)
    if (known) known.add(other)
    else this.sharing.set(this.#session, new Set([other]))
  }
}

/** Returns what tells the entries that no others replaced from the others; undefined where none was replaced. */
async function currentEntries(
  reader: Reader,
  session: SessionState,
): Promise<((entry: EntryHandle) => boolean) | undefined> {
  if (!session.source?.superseded) return undefined
  const tips = await tipsOf(reader, session, { labels: true })
  const current = new Set(await reachable(tips, lookIn(reader)))
  return (entry) => current.has(entry)
}

/** A tally of costs that an agent keeps, and the session that has the highest. */
interface Tally {
  session: SessionState
  reported: ReportedCost
}

/** Returns whether two sessions that share entries may report one tally: their agent does not name two. */
const isOneTally = ({ tally: one }: ReportedCost, { tally: other }: ReportedCost): boolean =>
  one === undefined || other === undefined || one === other

/**
 * Returns the costs that agents report of sessions, by the models that they name. Of sessions that share entries and have
 * one tally the highest counts: the agent goes on with it in a copy.
 */
function reportedCosts(
  sessions: readonly SessionState[],
  sharing: ReadonlyMap<number, ReadonlySet<number>>,
): (readonly [SessionState, string, number])[] {
  const tallies = new Map<number, Tally>()
  for (const [number, session] of sessions.entries()) {
    const { reported } = session.source?.summary ?? {}
    if (!reported) continue
    const known = [...(sharing.get(number) ?? [])]
      .flatMap((other) => tallies.get(other) ?? [])
      .find((one) => isOneTally(one.reported, reported))
    if (known && known.reported.cost < reported.cost) Object.assign(known, { session, reported })
    tallies.set(number, known ?? { session, reported })
  }
  return [...new Set(tallies.values())].flatMap(({ session, reported: { cost, models = {} } }) => {
    const named = Object.entries(models)
    const rest = cost - named.reduce((sum, [, part]) => sum + part, 0)
    const unnamed = named.length === 0 ? [[session.source?.summary?.model ?? '', cost] as const] : []
    // The parts may have been rounded.
    const others = named.length > 0 && rest > ROUNDED ? [['', rest] as const] : []
    return [...named, ...unnamed, ...others].map(([model, part]) => [session, model, part] as const)
  })
}

const ROUNDED = 1e-6

class UsageCount {
  readonly #sums = new UsageSums()
  readonly #sessions = new Set<string>()
  #calls = 0
  #reported: number | undefined

  add(session: string, { whole, ...usage }: Omit<FoundUsage, 'time'>): void {
    this.#sessions.add(session)
    if (whole) {
      this.#sums.addWhole(usage.now, usage.model)
      return
    }
    if (!isCounted(usage.before)) this.#calls++
    this.#sums.add(usage)
  }

  /** Adds a cost that an agent reports. */
  report(session: string, cost: number): void {
    this.#sessions.add(session)
    this.#reported = (this.#reported ?? 0) + cost
  }

  row(priceOf: PriceOf): Omit<UsageRow, 'key'> {
    const totals = priceSums(this.#sums.value, priceOf)
    return { sessions: this.#sessions.size, calls: this.#calls, ...totals, reported: this.#reported ?? null }
  }
}
