import { ahead } from '../model/ahead.ts'
import { type Awaitable, andThen } from '../model/awaitable.ts'
import type { Json } from '../model/json.ts'
import { spell } from '../model/spelling.ts'
import type { Utf8Room } from '../model/utf8room.ts'
import type { Backend } from '../storage/backend.ts'
import type { Spine } from '../storage/columns/spine.ts'
import type { Stretch } from '../storage/columns/stretch.ts'
import { NO_ROW, type Row, type StoredRecord } from '../storage/record.ts'
import { storedStretches } from './grafts/grafted.ts'
import { plainRow } from './grafts/joints.ts'
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
  /** By the row under which the entry is stored: to lift those that nobody asks for would look at all of them. */
  readonly #passed = new Map<Row, Found>()
  #reading: AsyncIterator<Stretch> | undefined
  #stretch: Stretch | undefined
  /** How many records of the stretch were not passed yet: those before them. */
  #left = 0

  constructor(backend: Backend, logs: Base) {
    this.#backend = backend
    this.#logs = [...logs]
  }

  /** Gives the newest record of an entry that was not asked for before. */
  find(row: Row): Awaitable<Found | undefined> {
    const plain = plainRow(row)
    const passed = this.#passed.get(plain)
    if (passed) {
      this.#passed.delete(plain)
      return passed
    }
    return this.#pass(plain) ?? this.#readUpTo(plain)
  }

  /** Passes records of the stretch up to the one of an entry. */
  #pass(row: Row): Found | undefined {
    const [log = 0] = this.#logs[0] ?? []
    while (this.#left > 0) {
      const { start, spine } = this.#stretch as Stretch
      const one = spine[--this.#left] as Spine
      const at = plainRow(one.row)
      if (at === row) return foundAs(log, start + this.#left, one)
      if (at !== NO_ROW && !this.#passed.has(at)) this.#passed.set(at, foundAs(log, start + this.#left, one))
    }
    return undefined
  }

  async #readUpTo(row: Row): Promise<Found | undefined> {
    for (;;) {
      const current = this.#logs[0]
      if (!current) return undefined
      const [log, count] = current
      this.#reading ??= storedStretches(this.#backend, log, count)[Symbol.asyncIterator]()
      const next = await this.#reading.next()
      if (next.done) {
        this.#logs.shift()
        this.#reading = undefined
        continue
      }
      this.#stretch = next.value
      this.#left = next.value.spine.length
      const found = this.#pass(row)
      if (found) return found
    }
  }

  /** Lets go of what is being read. */
  async close(): Promise<void> {
    await this.#reading?.return?.()
    this.#reading = undefined
    this.#left = 0
    this.#logs.length = 0
  }
}

function foundAs(log: number, position: number, { time, native }: Spine): Found {
  if (time === undefined) return native === undefined ? { log, position } : { log, position, native }
  return native === undefined ? { log, position, time } : { log, position, time, native }
}

/** Gives the value that a record's source held, or undefined where it held none that is kept as a value. */
export const valueOf = (backend: Backend, { content, row }: StoredRecord): Awaitable<Json | undefined> =>
  'raw' in content ? undefined : backend.filled(row, content)

/** Gives the value that the source of a record held where it was found. */
export const valueAt = (backend: Backend, { log, position }: Found): Awaitable<Json | undefined> =>
  andThen(backend.record(log, position), (record) => valueOf(backend, record))

const utf8 = new TextEncoder()

/** Gives the bytes of a source that a record stands for, in pieces. */
export async function* bytesOfRecord(backend: Backend, record: StoredRecord): AsyncGenerator<Uint8Array> {
  if (record.lead.length > 0) yield record.lead
  const { content } = record
  if ('raw' in content)
    for (const piece of content.raw) yield piece instanceof Uint8Array ? piece : await backend.bytes(piece)
  else yield utf8.encode(spell((await valueOf(backend, record)) as Json, content.spelling))
}

/** Adds the same to a room, nothing where it throws; false where the record is kept as bytes. */
export function addRecord(room: Utf8Room, backend: Backend, record: StoredRecord): Awaitable<boolean> {
  const { row, lead, content } = record
  if ('raw' in content) return false
  const before = room.length
  room.bytes(lead)
  try {
    const added =
      content.spelling === ''
        ? backend.addFilled(room, row, content)
        : andThen(backend.filled(row, content), (value) => room.text(spell(value, content.spelling)))
    return added instanceof Promise ? addedThen(added, room, before) : true
  } catch (error) {
    room.cut(before)
    throw error
  }
}

/** Waits for what is being added. */
async function addedThen(added: Promise<void>, room: Utf8Room, before: number): Promise<true> {
  try {
    await added
    return true
  } catch (error) {
    room.cut(before)
    throw error
  }
}

/** Gives the records of a log many at a time, the bodies of the next ones on their way meanwhile. */
export async function* recordsAhead(
  backend: Backend,
  log: number,
  from: number,
  to: number,
): AsyncGenerator<readonly StoredRecord[]> {
  const fetched = ahead(parts(backend.stretches(log, from, to)), async ({ rows, records }) => {
    await backend.fetch(rows)
    return records
  })
  // Records are made when it is their turn: those that wait the collector would carry along.
  for await (const records of fetched) yield records()
}

/** So many bodies are fetched at a time. */
const TOGETHER = 256

interface RecordPart {
  /** The rows of the entries that the records carry. */
  readonly rows: readonly Row[]
  readonly records: () => readonly StoredRecord[]
}

async function* parts(stretches: AsyncIterable<Stretch>): AsyncGenerator<RecordPart> {
  for await (const { spine, records } of stretches)
    for (let at = 0; at < spine.length; at += TOGETHER) {
      const rows: Row[] = []
      for (const { row } of spine.slice(at, at + TOGETHER)) if (row !== NO_ROW) rows.push(row)
      yield { rows, records: () => records().slice(at, at + TOGETHER) }
    }
}
