import type { ReportedCost } from '../model/logtotals.ts'
import { type PriceOf, pricesWith } from '../model/prices.ts'
import { callsOfRow, modelOfRow, RowSums, type SpendingRow, timeOfRow } from '../model/spending.ts'
import { UNITS, type Zone } from '../model/time.ts'
import { priceSums, UsageSums, type UsageTotals } from '../model/usage.ts'
import type { Columns } from '../repo/listcolumns.ts'
import { type ListedSpending, listedSpending } from '../repo/listedspending.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSession } from '../repo/revision.ts'
import { allTrunks, isWhole, ownLogs, recordsOf, type SessionTrunk, walkBranches } from '../repo/session.ts'
import { bytesBelow } from '../repo/size.ts'
import { readAside } from '../repo/stream.ts'
import { unfinishedRepair } from '../repo/unfinishedrepair.ts'
import {
  inOrderOfCounting,
  type SpendingSession,
  type UsageOfSessions,
  usageOfSessions,
} from './keptusage.ts'

/** The size of a store. */
export interface Stats {
  readonly sessions: number
  readonly records: number
  /** Sessions with branches besides the current one, and the number of those branches. */
  readonly branched: number
  readonly attempts: number
  /** Distinct entries and blobs, those included that nothing reaches. */
  readonly entries: number
  readonly blobs: number
  /** Bytes that all sources had when they were last read. */
  readonly sourceBytes: number
  /** Bytes of the store's folder. */
  readonly storeBytes: number
  /** Whether an earlier repair did not finish: what it was to recover may be missing. */
  readonly repairUnfinished: boolean
}

/** Returns how many branches a session has besides the current one. */
async function otherBranches(reader: Reader, session: SessionTrunk): Promise<number> {
  const { id, head, someBranches } = session
  let count = isWhole(session) ? someBranches.size : 0
  if (!isWhole(session)) for await (const _ of walkBranches(reader, id)) count++
  return 'branch' in head && someBranches.has(head.branch) ? count - 1 : count
}

/** Counts the contents of a store. Reads all of its index. */
export async function stats(repo: Repo): Promise<Stats> {
  const counted = await readAside(repo, async (reader) => {
    let [sessions, records, sourceBytes, branched, attempts] = [0, 0, 0, 0, 0]
    for await (const session of allTrunks(reader)) {
      sessions++
      records += recordsOf(session)
      sourceBytes += session.source?.bytes ?? 0
      const others = await otherBranches(reader, session)
      branched += others > 0 ? 1 : 0
      attempts += others
    }
    return { sessions, records, branched, attempts, sourceBytes, ...(await reader.sizes()) }
  })
  const { sessions, records, branched, attempts, entries, blobs, sourceBytes } = counted
  const storeBytes = bytesBelow(repo.dir)
  const repairUnfinished = unfinishedRepair(repo.dir) !== undefined
  return { sessions, records, branched, attempts, entries, blobs, sourceBytes, storeBytes, repairUnfinished }
}

/** The groupings of usage. */
export const USAGE_GROUPS = ['day', 'project', 'agent', 'model', 'git-branch'] as const

export type UsageGroup = (typeof USAGE_GROUPS)[number]

/** The usage of one group. */
export interface UsageRow extends UsageTotals {
  /** A day (`2026-04-02`), the folder of a project, a format, a model, or a branch of git; null where it is unknown. */
  readonly key: string | null
  /** With `daily`: the day (`2026-04-02`), null where it is unknown. */
  readonly day?: string | null
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
  /** Days in their order, others, and those of one day, by their cost and their tokens, the highest first. */
  readonly rows: readonly UsageRow[]
  readonly total: Omit<UsageRow, 'key' | 'day'>
}

export interface UsageOptions {
  /** The prices of models; those of the table unless given. */
  readonly priceOf?: PriceOf
  /** The zone of days; UTC unless given. */
  readonly zone?: Zone
}

/**
 * Sums the usage of the model calls of all sessions, from what is kept with their logs. A call that forks share counts
 * once, for the oldest of them. A session whose agent records only sums counts on the day of its last record, for its last
 * model, and so does a cost that an agent reports of a whole session without its models.
 */
export async function usageBy(
  repo: Repo,
  by: UsageGroup,
  { priceOf = pricesWith(), zone = () => 0, daily = false }: UsageOptions & { readonly daily?: boolean } = {},
): Promise<UsageStats> {
  const sessions = await groupedSessions(repo, by)
  const { spent, sharing } = await usageOfSessions(repo, sessions)
  const groups = new UsageGroups()
  const dayOf = dayIn(zone)
  const countFor = (session: GroupedSession, time: number | null, model: string): UsageCount => {
    const key = by === 'day' ? dayOf(time) : by === 'model' ? model || null : session.group
    return groups.get(daily ? dayOf(time) : null, key)
  }
  for (const session of sessions) {
    const spending = spent.get(session.id) ?? session.spending
    for (const row of spending.rows) {
      const model = modelOfRow(spending, row)
      countFor(session, timeOfRow(row), model).add(session.id, row, model)
    }
  }
  for (const [session, model, cost] of reportedCosts(sessions, sharing))
    countFor(session, session.updated, model).report(session.id, cost)
  const rows = groups.all.map(
    ({ key, day, count }): UsageRow => ({ key, ...(daily && { day }), ...count.row(priceOf) }),
  )
  rows.sort(by === 'day' ? byKey : daily ? byDay : byCost)
  return { by, rows, total: totalOf(groups.all.map(({ count }) => count)).row(priceOf) }
}

interface UsageGroupCount {
  readonly key: string | null
  readonly day: string | null
  readonly count: UsageCount
}

/** The groups of usage, by day and key. */
class UsageGroups {
  readonly #byDay = new Map<string | null, Map<string | null, UsageGroupCount>>()
  readonly all: UsageGroupCount[] = []

  get(day: string | null, key: string | null): UsageCount {
    const groups = this.#byDay.get(day) ?? new Map<string | null, UsageGroupCount>()
    const known = groups.get(key)
    if (known) return known.count
    const group = { key, day, count: new UsageCount() }
    this.#byDay.set(day, groups.set(key, group))
    this.all.push(group)
    return group.count
  }
}

const byKey = (a: UsageRow, b: UsageRow): number => ((a.key ?? '') < (b.key ?? '') ? -1 : 1)

const byDay = (a: UsageRow, b: UsageRow): number =>
  a.day === b.day ? byCost(a, b) : (a.day ?? '') < (b.day ?? '') ? -1 : 1

const byCost = (a: UsageTotals, b: UsageTotals): number =>
  (b.cost ?? -1) - (a.cost ?? -1) || (b.tokens?.total ?? 0) - (a.tokens?.total ?? 0)

/** Returns the function that returns the day of a time in a zone. */
function dayIn(zone: Zone): (time: number | null) => string | null {
  const names = new Map<number, string>()
  return (time) => {
    if (time === null) return null
    const number = Math.floor((time + zone(time) * UNITS.m) / UNITS.d)
    let day = names.get(number)
    if (day === undefined) names.set(number, (day = new Date(number * UNITS.d).toISOString().slice(0, 10)))
    return day
  }
}

/** A session with its usage, and the key of its group where that is not of single calls. */
interface GroupedSession extends SpendingSession {
  readonly updated: number | null
  readonly group: string | null
}

/** The column that has the keys of the groups that are of whole sessions. */
const GROUP_FIELDS: Partial<Record<UsageGroup, 'cwd' | 'format' | 'git'>> = {
  project: 'cwd',
  agent: 'format',
  'git-branch': 'git',
}

/** Returns all sessions in the order in which they count what they share. */
async function groupedSessions(repo: Repo, by: UsageGroup): Promise<GroupedSession[]> {
  const field = GROUP_FIELDS[by]
  const columns: Pick<Columns, 'id' | 'created' | 'updated' | 'spending'> & Partial<Columns> =
    await repo.lists.read(repo, ['id', 'created', 'updated', 'spending', ...(field ? [field] : [])])
  const groupAt = (i: number): string | null => {
    const cell = (field && columns[field]?.[i]) ?? null
    return typeof cell === 'object' ? (cell?.branch ?? null) : cell
  }
  return inOrderOfCounting(
    columns.id.map(
      (id, i): GroupedSession => ({
        id,
        created: columns.created[i] ?? null,
        updated: columns.updated[i] ?? null,
        spending: columns.spending[i] as ListedSpending,
        group: groupAt(i),
      }),
    ),
  )
}

/** The usage of one session on a day, of a model. */
export interface SessionUsageRow extends UsageTotals {
  /** The day (`2026-04-02`) and the model; null where they are unknown. */
  readonly day: string | null
  readonly model: string | null
  /** The number of model calls. */
  readonly calls: number
}

/** The usage of one session. */
export interface SessionUsage {
  readonly session: string
  /** By day, and within a day by cost, the highest first. */
  readonly rows: readonly SessionUsageRow[]
  readonly total: UsageTotals & { readonly calls: number; readonly reported: number | null }
}

/**
 * Sums the usage of the model calls of one session by day and model; of a fork, since the fork. What its file shares with
 * other sessions counts too. Throws as `resolve`.
 */
export async function usageOfSession(
  repo: Repo,
  text: string,
  { priceOf = pricesWith(), zone = () => 0 }: UsageOptions = {},
): Promise<SessionUsage> {
  const { id, spending, reported } = await repo.read(async (reader) => {
    const session = await resolveSession(reader, text)
    const listed = listedSpending(session)
    const known = { id: session.id, reported: listed.reported?.cost ?? null }
    if (!listed.isUnsure) return { ...known, spending: listed }
    const { RecordUsage } = await import('./recordusage.ts')
    const usage = new RecordUsage(reader, { onRecord: () => repo.checkStop() })
    return { ...known, spending: await usage.count(session, ownLogs(session)) }
  })
  const dayOf = dayIn(zone)
  const groups = new Map<string, { day: string | null; model: string | null; count: UsageCount }>()
  for (const row of spending.rows) {
    const [day, model] = [dayOf(timeOfRow(row)), modelOfRow(spending, row)]
    const key = `${day} ${model}`
    const group = groups.get(key) ?? { day, model: model || null, count: new UsageCount() }
    groups.set(key, group)
    group.count.add(id, row, model)
  }
  const rows = [...groups.values()].map(({ day, model, count }): SessionUsageRow => {
    const { sessions: _, reported: _reported, ...totals } = count.row(priceOf)
    return { day, model, ...totals }
  })
  rows.sort((a, b) => (a.day === b.day ? byCost(a, b) : (a.day ?? '') < (b.day ?? '') ? -1 : 1))
  const total = totalOf([...groups.values()].map(({ count }) => count))
  const { sessions: _, ...totals } = total.row(priceOf)
  return { session: id, rows, total: { ...totals, reported } }
}

/** A tally of costs that an agent keeps, and the session that has the highest. */
interface Tally<S> {
  session: S
  reported: ReportedCost
}

/** Returns whether two sessions that share entries may report one tally: their agent does not name two. */
const isOneTally = ({ tally: one }: ReportedCost, { tally: other }: ReportedCost): boolean =>
  one === undefined || other === undefined || one === other

/**
 * Returns the costs that agents report of sessions, by the models that they name. Of sessions that share entries and have
 * one tally the highest counts: the agent goes on with it in a copy.
 */
function reportedCosts<S extends SpendingSession>(
  sessions: readonly S[],
  sharing: UsageOfSessions['sharing'],
): (readonly [S, string, number])[] {
  const tallies = new Map<string, Tally<S>>()
  for (const session of sessions) {
    const { reported } = session.spending
    if (!reported) continue
    const known = sharing(session.id)
      .flatMap((other) => tallies.get(other) ?? [])
      .find((one) => isOneTally(one.reported, reported))
    if (known && known.reported.cost < reported.cost) Object.assign(known, { session, reported })
    tallies.set(session.id, known ?? { session, reported })
  }
  return [...new Set(tallies.values())].flatMap(({ session, reported: { cost, models = {} } }) => {
    const named = Object.entries(models)
    const rest = cost - named.reduce((sum, [, part]) => sum + part, 0)
    const unnamed = named.length === 0 ? [[session.spending.model, cost] as const] : []
    // The parts may have been rounded.
    const others = named.length > 0 && rest > ROUNDED ? [['', rest] as const] : []
    return [...named, ...unnamed, ...others].map(([model, part]) => [session, model, part] as const)
  })
}

const ROUNDED = 1e-6

/** The usage of a group, summed up. */
class UsageCount {
  readonly #sums = new RowSums()
  readonly #sessions = new Set<string>()
  /** The session of the row that was added last: those of one session follow each other. */
  #last: string | undefined
  #calls = 0
  #reported: number | undefined

  add(session: string, row: SpendingRow, model: string): void {
    if (session !== this.#last) this.#sessions.add(session)
    this.#last = session
    this.#calls += callsOfRow(row)
    this.#sums.add(row, model)
  }

  /** Adds a cost that an agent reports. */
  report(session: string, cost: number): void {
    this.#sessions.add(session)
    this.#reported = (this.#reported ?? 0) + cost
  }

  /** Adds what another group has. */
  addGroup(other: UsageCount): void {
    for (const session of other.#sessions) this.#sessions.add(session)
    this.#calls += other.#calls
    this.#sums.addAll(other.#sums)
    if (other.#reported !== undefined) this.#reported = (this.#reported ?? 0) + other.#reported
  }

  row(priceOf: PriceOf): Omit<UsageRow, 'key'> {
    const sums = new UsageSums()
    this.#sums.addTo(sums)
    const totals = priceSums(sums.value, priceOf)
    return { sessions: this.#sessions.size, calls: this.#calls, ...totals, reported: this.#reported ?? null }
  }
}

function totalOf(counts: readonly UsageCount[]): UsageCount {
  const total = new UsageCount()
  for (const count of counts) total.addGroup(count)
  return total
}
