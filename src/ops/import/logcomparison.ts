import type { Oid } from '../../model/encoding/oid.ts'
import type { NewRecord } from '../../model/record.ts'
import { endOf, type LogTarget, NO_HASH, nextHash } from './logtarget.ts'

/** Compares the records of a source with those that a log has: the source may be continued in it only if they agree. */
export class LogComparison {
  readonly #target: LogTarget | undefined
  /** The running hash over the records that were read. */
  hash = NO_HASH
  /** Whether the log's records are not those that the source begins with. */
  diverged = false

  constructor(target: LogTarget | undefined) {
    this.#target = target
  }

  /** Adds a record to the running hash, and returns whether it is to be appended to the log. */
  add(
    position: number,
    { time, native }: Pick<NewRecord, 'time' | 'native'>,
    oid: Oid | null,
    bytes: Uint8Array,
  ): boolean {
    const target = this.#target
    if (!target) return false
    if (position === endOf(target)) this.#compare(target)
    this.hash = nextHash(this.hash, oid, { time, native: native?.toWellFormed() }, bytes)
    return position >= endOf(target) && !this.diverged
  }

  /** Ends a source with a number of records. */
  end(records: number): void {
    if (this.#target && records <= endOf(this.#target)) this.#compare(this.#target)
  }

  #compare({ count, hash }: LogTarget): void {
    if (count > 0 && this.hash !== hash) this.diverged = true
  }
}
