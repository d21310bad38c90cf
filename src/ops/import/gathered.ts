import type { Format, FormatReader } from '../../formats/core/format.ts'
import { UnknownCounter } from '../../formats/core/known.ts'
import { restoreState, saveState } from '../../model/savedstate.ts'
import { Notices } from './notices.ts'
import type { ReaderState } from './readerstate.ts'
import { RecordEntries, SourceEntries } from './sourceentries.ts'

/** All that was gathered from a source so far. The fields are its state between two units. */
export class Gathered {
  readonly reader: FormatReader
  readonly entries = new SourceEntries()
  readonly notices = new Notices()
  readonly unknown: UnknownCounter
  /** The number of bytes of the units that were read. */
  covered = 0
  salvaged = 0
  /** The times of the first and of the newest record, in milliseconds since 1970. */
  began: number | null = null
  updated: number | null = null
  readonly #records = new RecordEntries()

  constructor(reader: FormatReader, { known }: Pick<Format, 'known'>) {
    this.reader = reader
    this.unknown = new UnknownCounter(known)
  }

  /** The entries of the records. */
  get records(): RecordEntries {
    return this.#records
  }

  /** Notes the time of a record. */
  addTime(time: number | undefined): void {
    this.began ??= time ?? null
    if (time !== undefined && time > (this.updated ?? Number.NEGATIVE_INFINITY)) this.updated = time
  }

  /** Returns the state, if that is in fields of the reader; `pending` newlines are in bytes that are no unit yet. */
  save(pending: number): ReaderState | undefined {
    if (Object.keys(this.reader).length === 0) return undefined
    return {
      entries: [...this.#records.all()],
      bytes: this.covered,
      lines: this.notices.newlines - pending,
      positions: this.entries.positions(this.#records),
      state: saveState(this),
    }
  }

  /** Restores a state. Returns false, and changes nothing, if it is of another version of the program. */
  restore({ entries, lines, positions, state }: ReaderState): boolean {
    if (!restoreState(this, state)) return false
    this.#records.begin(entries)
    this.entries.restore(positions, this.#records)
    this.notices.goOn(lines)
    return true
  }
}
