import { fill } from '../model/envelope.ts'
import { SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import { spell } from '../model/spelling.ts'
import type { Backend } from '../storage/backend.ts'
import { NO_ROW, type Row, type StoredRecord } from '../storage/record.ts'
import type { Base } from './session.ts'

/** A record where it stands. */
export interface Found {
  readonly log: number
  readonly position: number
  readonly record: StoredRecord
}

/**
 * Finds the newest record of an entry in some logs, reading them from their ends only as far as it must. Records that
 * were passed are remembered by their entry, so that looking up a whole path reads each log once.
 */
export class RecordFinder {
  readonly #backend: Backend
  readonly #logs: (readonly [log: number, count: number])[]
  readonly #found = new Map<Row, Found>()
  #reading: AsyncIterator<[number, StoredRecord]> | undefined

  constructor(backend: Backend, logs: Base) {
    this.#backend = backend
    this.#logs = [...logs]
  }

  async find(row: Row): Promise<Found | undefined> {
    for (;;) {
      const known = this.#found.get(row)
      if (known) return known
      const next = await this.#next()
      if (!next) return undefined
      const { row: at } = next.record
      if (at !== NO_ROW && !this.#found.has(at)) this.#found.set(at, next)
    }
  }

  async #next(): Promise<Found | undefined> {
    for (;;) {
      const current = this.#logs[0]
      if (!current) return undefined
      const [log, count] = current
      this.#reading ??= this.#backend.records(log, 0, count, true)[Symbol.asyncIterator]()
      const next = await this.#reading.next()
      if (!next.done) return { log, position: next.value[0], record: next.value[1] }
      this.#logs.shift()
      this.#reading = undefined
    }
  }

  /** Lets go of what is being read. */
  async close(): Promise<void> {
    await this.#reading?.return?.()
    this.#reading = undefined
    this.#logs.length = 0
  }
}

/** Gives the value that a record's source held, or undefined where it held none that is kept as a value. */
export async function valueOf(backend: Backend, record: StoredRecord): Promise<Json | undefined> {
  const { content, row } = record
  if ('raw' in content) return undefined
  const values = (await backend.whole(content.values)) as readonly Json[]
  const body = row === NO_ROW ? undefined : await backend.body(row)
  try {
    return fill({ shape: content.shape, values }, body)
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new SessError('corrupt', 'a record does not match its entry', { cause })
    throw cause
  }
}

const utf8 = new TextEncoder()

/** Gives the bytes of a source that a record stands for, in pieces. */
export async function* bytesOfRecord(backend: Backend, record: StoredRecord): AsyncGenerator<Uint8Array> {
  if (record.lead.length > 0) yield record.lead
  const { content } = record
  if ('raw' in content) {
    for (const piece of content.raw) yield piece instanceof Uint8Array ? piece : await backend.bytes(piece)
    return
  }
  yield utf8.encode(spell((await valueOf(backend, record)) as Json, content.spelling))
}
