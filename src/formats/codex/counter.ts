import { asString, field, type Json, type JsonObject } from '../../model/json.ts'
import { addCounts, countsSince, isCounted, largerCounts } from '../../model/usage.ts'
import type { UsageCounts } from '../../model/view.ts'
import { fieldAt } from '../core/values.ts'
import { countsIn } from '../core/views.ts'
import { asObject, timeOf } from './fields.ts'

/** Returns usage as Codex writes it. Tokens read from caches and written to them are part of its input, thinking of its output. */
function countsOf(value: Json | undefined): UsageCounts | undefined {
  const { usage } = countsIn(value, {
    input: 'input_tokens',
    output: 'output_tokens',
    cacheRead: 'cached_input_tokens',
    cacheWrite: 'cache_write_input_tokens',
  })
  if (usage?.input === undefined) return usage
  const { input, cacheRead = 0, cacheWrite = 0 } = usage
  return { ...usage, input: Math.max(0, input - cacheRead - cacheWrite) }
}

/** Returns the total usage of the model calls of a thread and of the history that it goes on from, from an event. */
export const totalIn = (event: JsonObject): UsageCounts | undefined =>
  event.type === 'token_count' ? countsOf(fieldAt(event, 'info', 'total_token_usage')) : undefined

/** Returns the cumulative usage that a line holds. */
export function counter(line: Json): UsageCounts | undefined {
  if (field(line, 'type') !== 'event_msg') return undefined
  const event = asObject(field(line, 'payload'))
  return event && totalIn(event)
}

/** Returns whether no count is larger than that of a total. */
const isWithin = (counts: UsageCounts, total: UsageCounts): boolean =>
  countsSince(total, counts) === undefined

const isSame = (one: UsageCounts, other: UsageCounts): boolean => isWithin(one, other) && isWithin(other, one)

/**
 * Returns what a total has more than the one before it. Where the one before is unknown, or the counter began again, the
 * last call counts if the event tells of it, else the whole total.
 */
function stepTo(
  total: UsageCounts,
  before: UsageCounts | undefined,
  last: UsageCounts | undefined,
): UsageCounts {
  if (before && isSame(before, total)) return NO_COUNTS
  // A counter that has no more than the last call is new, also where it is larger than the one before.
  const goesOn = before && isWithin(before, total) && !(last && isSame(last, total))
  if (goesOn) return countsSince(before, total) ?? NO_COUNTS
  return last && isWithin(last, total) ? last : total
}

const NO_COUNTS: UsageCounts = {}

/** A copied history is written at once: what a file says this soon after its beginning is no answer of a model. */
const WRITTEN_WITHIN_MS = 1000

/**
 * Makes increments of the counters of a rollout. The total of `token_count` goes on from the history before the file;
 * `token_usage_record` has the usage of each call, also of some that `token_count` leaves out. What both tell counts once.
 */
export class ThreadCounter {
  private header: JsonObject | undefined
  /** Whether the header of another thread follows, so that its history is copied into the file. */
  private isCopy = false
  /** The total of the last event; undefined where that of a history before the file is not known. */
  private total: UsageCounts | undefined
  /** The sums of the steps between totals, and of the records of calls. */
  private counted: UsageCounts = NO_COUNTS
  private recorded: UsageCounts | undefined
  /** The newest call that an event told of. */
  private last: UsageCounts | undefined
  private readonly responses = new Set<string>()
  /** The sum of the increments so far. */
  private reported: UsageCounts = NO_COUNTS

  /** Begins with the total of the history on which the file stands, if it is known. */
  constructor(total: UsageCounts | undefined) {
    this.total = total
  }

  /** Takes a header. The first one is that of the file. */
  addHeader(header: JsonObject): void {
    if (this.header) {
      this.isCopy ||= header.id !== this.header.id
      return
    }
    this.header = header
    if (!isContinuation(header)) this.total ??= NO_COUNTS
  }

  /** Returns the increment of an event, and that of earlier ones that came before the first entry; undefined if it is none. */
  addEvent(line: JsonObject, event: JsonObject, hasEntry: boolean): UsageCounts | undefined {
    const total = totalIn(event)
    if (total === undefined) return undefined
    if (!this.#isInherited(line)) {
      this.last = countsOf(fieldAt(event, 'info', 'last_token_usage'))
      this.counted = addCounts(this.counted, stepTo(total, this.#totalBefore, this.last))
    }
    this.total = total
    return hasEntry ? this.#report() : undefined
  }

  /** Returns the increment of a record of a call, unless an event told of it. */
  addCall(line: JsonObject, record: JsonObject, hasEntry: boolean): UsageCounts | undefined {
    const usage = countsOf(record.usage)
    const response = asString(record.response_id)
    if (usage === undefined || this.#isInherited(line) || this.#isOfOther(record)) return undefined
    if (response !== undefined && this.responses.has(response)) return undefined
    if (response !== undefined) this.responses.add(response)
    if (this.recorded) this.recorded = addCounts(this.recorded, usage)
    else {
      // The first one may follow the event that counted its call.
      const isKnown = this.last !== undefined && isSame(this.last, usage)
      this.recorded = isKnown ? this.counted : addCounts(this.counted, usage)
    }
    return hasEntry ? this.#report() : undefined
  }

  /** A file without a header begins at zero. */
  get #totalBefore(): UsageCounts | undefined {
    return this.header ? this.total : (this.total ?? NO_COUNTS)
  }

  #isOfOther({ thread_id: thread }: JsonObject): boolean {
    const own = asString(this.header?.id)
    return own !== undefined && typeof thread === 'string' && thread !== own
  }

  /** Returns whether a line of a sub-agent's file is a copy of one of its caller. */
  #isInherited(line: JsonObject): boolean {
    const header = this.header
    if (!header || !isSubagent(header)) return false
    const { subagent_history_start_ordinal: start } = header
    if (typeof start === 'number' && typeof line.ordinal === 'number') return line.ordinal < start
    const [began, time] = [timeOf(header.timestamp), timeOf(line.timestamp)]
    if (began === undefined || time === undefined) return false
    return time < began || (this.isCopy && time < began + WRITTEN_WITHIN_MS)
  }

  #report(): UsageCounts | undefined {
    const known = this.recorded ? largerCounts(this.counted, this.recorded) : this.counted
    const step = countsSince(this.reported, known)
    this.reported = known
    return step && isCounted(step) ? step : undefined
  }
}

const isSubagent = (header: JsonObject): boolean =>
  header.thread_source === 'subagent' ||
  asString(header.parent_thread_id) !== undefined ||
  fieldAt(header, 'source', 'subagent') !== undefined

/** Returns whether a header says that the file goes on from another one. */
const isContinuation = (header: JsonObject): boolean =>
  isSubagent(header) ||
  asString(header.forked_from_id) !== undefined ||
  asObject(header.history_base) !== undefined
