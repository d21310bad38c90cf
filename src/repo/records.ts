import { fill } from '../model/envelope.ts'
import { SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import { spell } from '../model/spelling.ts'
import type { Awaitable, Backend } from '../storage/backend.ts'
import { NO_ROW, type Row, type StoredRecord } from '../storage/record.ts'
import type { Spine } from '../storage/spine.ts'
import type { Base } from './session.ts'

/** Where a record stands, and when and by whom it was named. */
export interface Found extends Pick<Spine, 'time' | 'native'> {
  readonly log: number
  readonly position: number
}

/**
 * Finds the newest record of an entry in some logs, reading them from their ends only as far as it must. Made for
 * walking a path from its tip: each log is read once, and what was passed is remembered until it is asked for.
 */
export class RecordFinder {
  readonly #backend: Backend
  readonly #logs: (readonly [log: number, count: number])[]
  readonly #passed = new Map<Row, Found>()
  #reading: AsyncIterator<[number, Spine]> | undefined

  constructor(backend: Backend, logs: Base) {
    this.#backend = backend
    this.#logs = [...logs]
  }

  /** Gives the newest record of an entry that was not asked for before. */
  async find(row: Row): Promise<Found | undefined> {
    const passed = this.#passed.get(row)
    if (passed) {
      this.#passed.delete(row)
      return passed
    }
    for (;;) {
      const current = this.#logs[0]
      if (!current) return undefined
      const [log, count] = current
      this.#reading ??= this.#backend.spine(log, 0, count, true)[Symbol.asyncIterator]()
      const next = await this.#reading.next()
      if (next.done) {
        this.#logs.shift()
        this.#reading = undefined
        continue
      }
      const [position, { row: at, time, native }] = next.value
      const found = {
        log,
        position,
        ...(time === undefined ? {} : { time }),
        ...(native === undefined ? {} : { native }),
      }
      if (at === row) return found
      if (at !== NO_ROW && !this.#passed.has(at)) this.#passed.set(at, found)
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
export async function valueOf(
  backend: Backend,
  record: StoredRecord,
  bodyOf: BodyOf = (row) => backend.body(row),
): Promise<Json | undefined> {
  const { content, row } = record
  if ('raw' in content) return undefined
  const values = (await backend.whole(content.values)) as readonly Json[]
  const body = row === NO_ROW ? undefined : await bodyOf(row)
  try {
    return fill({ shape: content.shape, values }, body)
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new SessError('corrupt', 'a record does not match its entry', { cause })
    throw cause
  }
}

type BodyOf = (row: Row) => Awaitable<Json>

/** Gives the value that the source of a record held where it was found; `bodyOf` for bodies that were read before. */
export const valueAt = async (
  backend: Backend,
  { log, position }: Found,
  bodyOf?: BodyOf,
): Promise<Json | undefined> => valueOf(backend, await backend.record(log, position), bodyOf)

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
