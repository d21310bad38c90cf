import { isUsageInRecord } from '../../formats/registry.ts'
import { collected } from '../../model/async.ts'
import { SessError } from '../../model/errors.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { LogId } from '../../model/record.ts'
import type { Reader } from '../../repo/reader.ts'
import { RecordFinder, type RecordLocation, readHeaders } from '../../repo/records.ts'
import { resolveSession } from '../../repo/revision.ts'
import { allSessions, type LogPrefixes, logsOf, type SessionTrunk, updatedOf } from '../../repo/session.ts'
import { tipsOf } from '../entries.ts'
import { type LogSelection, selectionOf } from '../log.ts'

/** Where an expression looks: in one session, or in all. */
export interface ScopeOptions {
  /** A session, else a revision or a range as `log` takes it; `@` by default. */
  readonly session?: string
  /** All sessions of the store. */
  readonly everywhere?: boolean
}

/** The sessions and entries that an expression refers to. */
interface VisiblePart {
  readonly sessions: readonly SessionTrunk[]
  readonly tips: readonly EntryHandle[]
  readonly hidden: readonly EntryHandle[]
}

/** The part of a store that an expression looks at: found when it is asked for, since not every expression needs it. */
export class Scope {
  readonly #reader: Reader
  readonly #where: ScopeOptions
  readonly #named: SessionTrunk[] = []
  #visible: Promise<VisiblePart> | undefined
  #usageRecords: Promise<ReadonlyMap<EntryHandle, RecordLocation>> | undefined
  #times: Promise<ReadonlyMap<EntryHandle, number>> | undefined

  constructor(reader: Reader, where: ScopeOptions) {
    this.#reader = reader
    this.#where = where
  }

  /** Returns what is looked at. Throws as `resolve`. */
  visible(): Promise<VisiblePart> {
    this.#visible ??= this.#look()
    return this.#visible
  }

  /** Adds a session that the expression names. */
  name(session: SessionTrunk | undefined): void {
    if (session) this.#named.push(session)
  }

  /** Returns the sessions whose records describe entries: those of the scope, else the named ones. */
  async sessions(): Promise<readonly SessionTrunk[]> {
    const { session, everywhere } = this.#where
    if (this.#visible || everywhere || session !== undefined || this.#named.length === 0)
      return (await this.visible()).sessions
    return this.#named
  }

  /** Returns the times of the newest records of entries, in milliseconds since 1970. */
  times(): Promise<ReadonlyMap<EntryHandle, number>> {
    this.#times ??= this.sessions().then((sessions) => timesIn(this.#reader, sessions.flatMap(logsOf)))
    return this.#times
  }

  /** Returns the records of entries whose usage is not in their bodies. */
  usageRecords(): Promise<ReadonlyMap<EntryHandle, RecordLocation>> {
    this.#usageRecords ??= this.sessions().then((sessions) =>
      usageRecordsIn(this.#reader, sessions.flatMap(logsOf)),
    )
    return this.#usageRecords
  }

  async #look(): Promise<VisiblePart> {
    const { session: text = '@', everywhere = false } = this.#where
    if (everywhere) {
      const sessions = await collected(allSessions(this.#reader))
      sessions.sort((a, b) => (updatedOf(b) ?? 0) - (updatedOf(a) ?? 0))
      const tips = new Set<EntryHandle>()
      for (const session of sessions) for (const tip of await tipsOf(this.#reader, session)) tips.add(tip)
      return { sessions, tips: [...tips], hidden: [] }
    }
    const session = await this.#session(text)
    const { tips, excluded, session: owner } = await this.#selection(text)
    const whole = session && session.id === owner?.id
    return {
      sessions: owner ? [owner] : [],
      tips: whole ? await tipsOf(this.#reader, session) : tips,
      hidden: excluded,
    }
  }

  async #session(text: string): Promise<SessionTrunk | undefined> {
    try {
      return await resolveSession(this.#reader, text)
    } catch (error) {
      // It may name an entry or a range; if not, reading it as one reports the error.
      if (error instanceof SessError && error.kind === 'user') return undefined
      throw error
    }
  }

  async #selection(text: string): Promise<LogSelection> {
    try {
      return await selectionOf(this.#reader, text, false)
    } catch (error) {
      if (this.#where.session !== undefined || !(error instanceof SessError)) throw error
      throw error.with({ remedy: { kind: 'name-session-or-all' } })
    }
  }
}

/** Returns the longest prefix of each of some logs. */
function longest(logs: LogPrefixes): LogPrefixes {
  const counts = new Map<LogId, number>()
  for (const [log, count] of logs) counts.set(log, Math.max(count, counts.get(log) ?? 0))
  return [...counts]
}

async function timesIn(reader: Reader, logs: LogPrefixes): Promise<Map<EntryHandle, number>> {
  const times = new Map<EntryHandle, number>()
  for (const [log, count] of longest(logs))
    for await (const [, { entry, time }] of readHeaders(reader, log, 0, count))
      if (entry !== undefined && time !== undefined)
        times.set(entry, Math.max(time, times.get(entry) ?? time))
  return times
}

/** Returns the newest record of each entry in the first log that has it. */
async function usageRecordsIn(
  reader: Reader,
  logs: LogPrefixes,
): Promise<ReadonlyMap<EntryHandle, RecordLocation>> {
  const found = new Map<EntryHandle, RecordLocation>()
  for (const [log, count] of longest(logs)) {
    const finder = new RecordFinder(reader, [[log, count]])
    for await (const [, { entry, usage, tip }] of readHeaders(reader, log, 0, count, true))
      for (const handle of [entry, usage && tip]) {
        if (handle === undefined || found.has(handle)) continue
        const isHeld = usage !== undefined || isUsageInRecord((await reader.node(handle)).type)
        const record = isHeld ? await finder.find(handle) : undefined
        if (record) found.set(handle, record)
      }
    await finder.close()
  }
  return found
}
