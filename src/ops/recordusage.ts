import { isUsageInEntry, isUsageInRecord } from '../formats/registry.ts'
import { reachable } from '../graph/walk.ts'
import type { EntrySet } from '../model/entryset.ts'
import { isObject } from '../model/json.ts'
import { shortName, sumsOf } from '../model/logtotals.ts'
import type { EntryHandle } from '../model/node.ts'
import type { LogPrefixes } from '../model/refs/values.ts'
import { type Spending, SpendingSums } from '../model/spending.ts'
import { type CallUsage, isCounted, ModelCalls } from '../model/usage.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import { type RecordLocation, readHeaders, valueAt } from '../repo/records.ts'
import { logsOf, nativeLogs, type SessionTrunk } from '../repo/session.ts'
import { tipsOf } from './entries.ts'
import { PathModels, viewWithUsage } from './usage.ts'

/** No session has counted the usage of an entry. */
const NOBODY = ''

interface CountingOptions {
  /** Called before each record that is read. */
  readonly onRecord?: () => void
  /** Entries that are known to have no usage, neither in their bodies nor in their records. */
  readonly unused?: EntrySet | undefined
}

/**
 * Counts the usage of sessions from their records. The usage of an entry, and of a model call, counts once, for the first
 * of the sessions that has it.
 */
export class RecordUsage {
  readonly #reader: Reader
  readonly #models: PathModels
  readonly #calls = new ModelCalls()
  readonly #onRecord: () => void
  readonly #unused: EntrySet | undefined
  /** The session that counted the usage of an entry, of each entry that was read. */
  readonly #counted = new Map<EntryHandle, string>()
  /** By session, those before it that have entries of it. */
  readonly sharing = new Map<string, Set<string>>()

  constructor(reader: Reader, { onRecord = () => undefined, unused }: CountingOptions = {}) {
    this.#reader = reader
    this.#models = new PathModels(reader)
    this.#onRecord = onRecord
    this.#unused = unused
  }

  /**
   * Returns the usage of a session that none before it has counted, of its entries or else the sums that its agent
   * records.
   */
  async count(
    session: SessionTrunk,
    logs: LogPrefixes = logsOf(session),
  ): Promise<Pick<Spending, 'models' | 'rows'>> {
    const sums = new SpendingSums()
    const isCurrent = await currentEntries(this.#reader, session)
    const natives = new Set([...session.natives.values()].flatMap(nativeLogs).map(([log]) => log))
    const { source } = session
    let isRecorded = false
    for (const [log, count] of logs) {
      const isOfSource = log === source?.log
      for await (const [position, header] of readHeaders(this.#reader, log, 0, count)) {
        this.#onRecord()
        const { entry, tip, time, usage, native } = header
        if (entry !== undefined && (isCurrent?.(entry) ?? true)) {
          // A message that was rewritten has its id again.
          const call = isCurrent && native !== undefined ? `${session.id} ${native}` : undefined
          const record = { log, position, mayBeCopy: natives.has(log) }
          const found = await this.#usageOf(session.id, entry, record, call)
          if (found) sums.add(found, time)
          isRecorded ||= isOfSource && (this.#counted.get(entry) ?? NOBODY) !== NOBODY
        }
        if (usage === undefined || tip === undefined) continue
        isRecorded ||= isOfSource
        if (!this.#claim(tip, session.id)) continue
        sums.add({ before: {}, now: usage, model: shortName(await this.#models.at(tip)) }, time)
      }
    }
    // It is of the source alone, at the time of its newest record, whatever was appended here.
    const { summary = {}, updated = null } = source ?? {}
    const { counts } = sumsOf(summary)
    if (!isRecorded && isCounted(counts)) sums.addWhole(counts, summary.model ?? '', updated)
    return sums.value
  }

  /** Returns the usage of an entry, with that in its record, unless it is counted. */
  async #usageOf(
    session: string,
    entry: EntryHandle,
    record: RecordLocation & { readonly mayBeCopy: boolean },
    call: string | undefined,
  ): Promise<CallUsage | undefined> {
    const known = this.#counted.get(entry)
    if (known !== undefined && known !== NOBODY) {
      this.#share(session, known)
      return undefined
    }
    if (this.#unused?.has(entry)) return undefined
    const { type } = await this.#reader.node(entry)
    // The record of one session may lack usage that the record of another has.
    if (!isUsageInEntry(type) || (known === NOBODY && !isUsageInRecord(type))) {
      if (known === undefined) this.#counted.set(entry, NOBODY)
      return undefined
    }
    const view = await viewWithUsage(this.#reader, entry, record)
    const { usage } = view
    const isFound = usage !== undefined && isCounted(usage) && !(await this.#isCopy(record))
    this.#counted.set(entry, isFound ? session : NOBODY)
    if (!isFound) return undefined
    const named = usage.call === undefined && call !== undefined ? { ...usage, call } : usage
    return this.#calls.add(named, shortName(await this.#models.of(entry, view)))
  }

  /** Returns whether a record is of an entry that was appended again: its usage is that of the other entry. */
  async #isCopy({
    mayBeCopy,
    ...record
  }: RecordLocation & { readonly mayBeCopy: boolean }): Promise<boolean> {
    if (!mayBeCopy) return false
    const value = await valueAt(this.#reader, record)
    return isObject(value) && isObject(value.origin) && value.origin.oid !== undefined
  }

  /** Returns whether a session counts the usage of an entry: nobody else has. */
  #claim(entry: EntryHandle, session: string): boolean {
    const by = this.#counted.get(entry) ?? NOBODY
    if (by === NOBODY) this.#counted.set(entry, session)
    else this.#share(session, by)
    return by === NOBODY || by === session
  }

  #share(session: string, other: string): void {
    if (other === session) return
    const known = this.sharing.get(session)
    if (known) known.add(other)
    else this.sharing.set(session, new Set([other]))
  }
}

/** Returns what tells the entries that no others replaced from the others; undefined where none was replaced. */
async function currentEntries(
  reader: Reader,
  session: SessionTrunk,
): Promise<((entry: EntryHandle) => boolean) | undefined> {
  if (!session.source?.superseded) return undefined
  const tips = await tipsOf(reader, session, { labels: true })
  const current = new Set(await reachable(tips, lookIn(reader)))
  return (entry) => current.has(entry)
}
