import { pack, packPlain, unpack } from './block.ts'
import { type Key, numberAt, segmentKey } from './keys.ts'
import type { StoredRecord } from './record.ts'
import { seal, unseal } from './seal.ts'
import { decodeSegment, encodeSegment } from './segment.ts'
import type { Table } from './table.ts'

/** A segment is closed at this many records. */
const SEGMENT_RECORDS = 512
/** Brotli's quality for segments: they are small beside the bodies and read whole. */
const QUALITY = 6

const END = 2 ** 48 - 1

/** Turns the bytes of a segment into its records, or into what is wanted of them. */
type Decode<T> = (bytes: Uint8Array) => readonly T[]

/**
 * Gives the records of a log from a position up to and without another, with their positions. Reads only the
 * segments that hold them.
 */
export async function* readLog<T>(
  table: Table,
  decode: Decode<T>,
  log: number,
  from: number,
  to: number,
  reverse = false,
): AsyncGenerator<[number, T]> {
  if (from >= to) return
  const first = await segmentStart(table, log, from)
  for await (const [key, value] of table.range(segmentKey(log, first), segmentKey(log, to), reverse)) {
    const { start, records } = openSegment(key, value, decode)
    for (let n = 0; n < records.length; n++) {
      const i = reverse ? records.length - 1 - n : n
      const position = start + i
      if (position >= from && position < to) yield [position, records[i] as T]
    }
  }
}

/** A segment as it was read. */
export interface Segment {
  readonly start: number
  readonly records: readonly StoredRecord[]
}

/** Gives the segment of a log that holds a position, or undefined where none does. */
export async function readSegment(table: Table, log: number, position: number): Promise<Segment | undefined> {
  const behind = segmentKey(log, Math.min(END, position + 1))
  for await (const [key, value] of table.range(segmentKey(log, 0), behind, true)) {
    const segment = openSegment(key, value, decodeSegment)
    return position < segment.start + segment.records.length ? segment : undefined
  }
  return undefined
}

function openSegment<T>(
  key: Key,
  value: Uint8Array,
  decode: Decode<T>,
): { start: number; records: readonly T[] } {
  const start = numberAt(key, 5, 6)
  return { start, records: decode(unpack(unseal(key, value, `log ${numberAt(key, 1, 4)} at ${start}`))) }
}

/** Gives the start of the segment that holds a position: the last that begins at or before it. */
async function segmentStart(table: Table, log: number, position: number): Promise<number> {
  for await (const [key] of table.range(
    segmentKey(log, 0),
    segmentKey(log, Math.min(END, position + 1)),
    true,
  ))
    return numberAt(key, 5, 6)
  return position
}

/** Gathers the records of logs into segments. */
export class LogPacker {
  readonly #table: Table
  readonly #bulk: boolean
  readonly #open = new Map<number, { start: number; records: StoredRecord[] }>()
  readonly #packing = new Set<Promise<void>>()
  #last: Promise<void> | undefined
  #failure: unknown
  #abandoned = false

  constructor(table: Table, bulk: boolean) {
    this.#table = table
    this.#bulk = bulk
  }

  append(log: number, position: number, record: StoredRecord): void {
    let open = this.#open.get(log)
    if (!open) {
      open = { start: position, records: [] }
      this.#open.set(log, open)
    }
    if (position !== open.start + open.records.length)
      throw new RangeError('positions of a log are consecutive')
    open.records.push(record)
    if (open.records.length >= SEGMENT_RECORDS) this.#closeSegment(log)
  }

  #closeSegment(log: number): void {
    const open = this.#open.get(log)
    if (!open) return
    this.#open.delete(log)
    const key = segmentKey(log, open.start)
    const bytes = encodeSegment(open.records)
    if (!this.#bulk) {
      this.#table.put(key, seal(key, packPlain(bytes)))
      return
    }
    const packing = this.#put(key, pack(bytes, QUALITY), this.#last)
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => this.#packing.delete(packing))
    this.#packing.add(packing)
    this.#last = packing
  }

  /** Puts segments in order: where a log goes on behind a position, its next segment is there. */
  async #put(key: Key, packing: Promise<Uint8Array>, before: Promise<void> | undefined): Promise<void> {
    const packed = await packing
    await before
    if (!this.#abandoned && this.#failure === undefined) this.#table.put(key, seal(key, packed))
  }

  /** Forgets the records that are not in the table yet. */
  abandon(): void {
    this.#abandoned = true
    this.#open.clear()
  }

  async relax(): Promise<void> {
    while (this.#packing.size > 4) await Promise.race(this.#packing)
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Puts all that was appended into the table; synchronous but for compression in bulk. */
  close(): Promise<void> | undefined {
    for (const log of [...this.#open.keys()]) this.#closeSegment(log)
    return this.#packing.size === 0 ? undefined : this.#finish()
  }

  async #finish(): Promise<void> {
    await Promise.all(this.#packing)
    if (this.#failure !== undefined) throw this.#failure
  }
}
