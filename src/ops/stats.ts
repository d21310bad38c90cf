import { viewOf } from '../formats/registry.ts'
import { collected } from '../model/async.ts'
import { defined } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import { type PriceOf, pricesWith } from '../model/prices.ts'
import { ModelCalls, UsageSums, type UsageTotals } from '../model/statistics.ts'
import { UNITS, type Zone } from '../model/time.ts'
import type { Reader } from '../repo/reader.ts'
import { readHeaders } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { allSessions, logsOf, recordsOf, type SessionState, updatedOf } from '../repo/session.ts'
import { bytesBelow } from '../repo/size.ts'
import { usageRecord } from './entries.ts'

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
  const counted = await repo.read(async (reader) => {
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
export const USAGE_GROUPS = ['day', 'project', 'agent', 'model'] as const

export type UsageGroup = (typeof USAGE_GROUPS)[number]

/** The usage of one group. */
export interface UsageRow extends UsageTotals {
  /** A day (`2026-04-02`), the folder of a project, a format, or a model; null where it is unknown. */
  readonly key: string | null
  /** The number of sessions that have a part in it. */
  readonly sessions: number
  /** The number of model calls. */
  readonly calls: number
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
 * oldest of them. A session whose agent records only sums counts on the day of its last record, for its last model.
 */
export async function usageBy(
  repo: Repo,
  by: UsageGroup,
  { priceOf = pricesWith(), zone = () => 0 }: UsageOptions = {},
): Promise<UsageStats> {
  return repo.read(async (reader) => {
    const sessions = await collected(allSessions(reader))
    sessions.sort((a, b) => (a.meta.created ?? 0) - (b.meta.created ?? 0))
    const groups = new Map<string | null, UsageCount>()
    const total = new UsageCount()
    const seen = new Map<EntryHandle, boolean>()
    const calls = new ModelCalls()
    for (const session of sessions) {
      const { format, cwd } = session.meta
      for await (const { before, now, whole, time, model } of usageOf(reader, session, seen, calls)) {
        repo.checkStop()
        const day = time === null ? null : new Date(time + zone(time) * UNITS.m).toISOString().slice(0, 10)
        const key = { day, project: cwd, agent: format, model: model || null }[by]
        let group = groups.get(key)
        if (!group) groups.set(key, (group = new UsageCount()))
        for (const count of [group, total])
          count.add(session.id, { before, now, whole, price: priceOf(model) })
      }
    }
    const rows = [...groups].map(([key, group]): UsageRow => ({ key, ...group.row }))
    rows.sort(
      by === 'day'
        ? (a, b) => ((a.key ?? '') < (b.key ?? '') ? -1 : 1)
        : (a, b) => (b.cost ?? -1) - (a.cost ?? -1) || (b.tokens?.total ?? 0) - (a.tokens?.total ?? 0),
    )
    return { by, rows, total: total.row }
  })
}

type CallUsage = ReturnType<ModelCalls['add']>

interface FoundUsage extends CallUsage {
  /** Whether it is the sum of several model calls. */
  readonly whole: boolean
  readonly time: number | null
  readonly model: string
}

/**
 * Yields the usage of the entries of a session that were not read before, else the sums that its agent records. `seen`
 * tells of each entry that was read whether it has usage.
 */
async function* usageOf(
  reader: Reader,
  session: SessionState,
  seen: Map<EntryHandle, boolean>,
  calls: ModelCalls,
): AsyncGenerator<FoundUsage> {
  let isRecorded = false
  let model = ''
  for (const [log, count] of logsOf(session))
    for await (const [position, { entry, time = null }] of readHeaders(reader, log, 0, count)) {
      if (entry === undefined) continue
      const known = seen.get(entry)
      isRecorded ||= known ?? false
      if (known !== undefined) continue
      const { type } = await reader.node(entry)
      const record = await usageRecord(reader, type, { log, position })
      const { sets, usage } = viewOf(type, await reader.body(entry), record)
      model = sets?.model?.id ?? model
      const hasCounts = usage !== undefined && Object.keys(usage).some((name) => name !== 'call')
      seen.set(entry, hasCounts)
      isRecorded ||= hasCounts
      if (hasCounts) yield { ...calls.add(usage), whole: false, time, model }
    }
  const summary = session.source?.summary
  if (isRecorded || !summary) return
  const { input, output, cacheRead, cacheWrite, cost, model: last = '' } = summary
  if ([input, output, cacheRead, cacheWrite, cost].every((count) => count === undefined)) return
  const now = defined({ input, output, cacheRead, cacheWrite, cost })
  yield { before: {}, now, whole: true, time: updatedOf(session), model: last }
}

interface CountedUsage extends CallUsage {
  readonly whole: boolean
  readonly price: ReturnType<PriceOf>
}

class UsageCount {
  readonly #sums = new UsageSums()
  readonly #sessions = new Set<string>()
  #calls = 0

  add(session: string, { before, now, whole, price }: CountedUsage): void {
    this.#sessions.add(session)
    if (!whole && Object.keys(before).length === 0) this.#calls++
    this.#sums.add(before, now, price, whole)
  }

  get row(): Omit<UsageRow, 'key'> {
    return { sessions: this.#sessions.size, calls: this.#calls, ...this.#sums.totals }
  }
}
