import { viewOf } from '../../model/bytes.ts'
import { decodeStored, encode } from '../../model/encoding/canonical.ts'
import {
  BYTES_KIND,
  DOUBLE,
  endOfItem,
  LIST_KIND,
  NEGATIVE_KIND,
  UNSIGNED_KIND,
} from '../../model/encoding/cbor.ts'
import { bytesOf, type Oid, oidOf } from '../../model/encoding/oid.ts'
import { wellFormed } from '../ioerrors.ts'
import { decompress, storeUncompressed } from './compression.ts'
import { EntryPage, PAGE_ROWS } from './entrypage.ts'
import { NO_ROW, type Row, type RowLinks } from './rows.ts'

const DIGEST = 32

/** Numbers below are in the header of their CBOR; the header of the first negative number. */
const ONE_BYTE = 24
const NEGATIVE = NEGATIVE_KIND << 5

type NumberColumn = Uint8Array | Float64Array

/** Returns the columns of a page in the order in which they are stored. */
const columnsOf = (page: EntryPage): readonly NumberColumn[] => [
  page.typeOf,
  page.traits,
  page.first,
  page.depth,
  page.calls,
  page.tokens,
  page.prompts,
  page.texts,
  page.jump,
  ...page.near,
  page.merge,
  page.block,
  page.index,
]

/** Encodes a page as CBOR: its columns as differences, and hashes. LevelDB compresses it. */
export function encodeEntryPage(page: EntryPage): Uint8Array {
  const { count, types, holes, rare, relatives: outside, indexesOfStoredOids: steps } = page
  const columns = columnsOf(page).map((column) => deltas(column.subarray(0, count)))
  const live = Array.from({ length: count }, (_, i) => i).filter((i) => !holes.has(i))
  const rares = [...rare].map(([i, { more, links }]) => [i, more, links])
  return encode([
    storeUncompressed(encode([count, types, [...holes], columns, rares, [...outside.keys()]])),
    joined([...outside.values(), ...steps.map((i) => page.oid(page.start + i))].map(bytesOf)),
    joined(live.map((i) => page.digests.subarray(DIGEST * i, DIGEST * (i + 1)))),
  ])
}

function deltas(column: NumberColumn): number[] {
  let before = 0
  return Array.from(column, (value) => {
    const step = value - before
    before = value
    return step
  })
}

const joined = (hashes: readonly Uint8Array[]): Uint8Array => Buffer.concat(hashes)

/** Decodes a page that `encodeEntryPage` encoded. Throws `corrupt`. */
export function decodeEntryPage(start: Row, bytes: Uint8Array): EntryPage {
  return wellFormed(`the page at ${start}`, () => decoded(start, bytes))
}

function decoded(start: Row, bytes: Uint8Array): EntryPage {
  const whole = new PartReader(bytes)
  whole.list(3)
  const parts = new PartReader(decompress(whole.bytes()))
  parts.list(6)
  const [count, types, holes] = [parts.value(), parts.value(), parts.value()]
  if (!isRow(count) || count < 1 || count > PAGE_ROWS) throw new RangeError('it has no such number of rows')
  const page = new EntryPage(start, count)
  page.count = count
  for (const type of listOf(types)) page.types.push(textOf(type))
  for (const hole of listOf(holes)) page.holes.add(indexIn(hole, count))
  const all = columnsOf(page)
  parts.list(all.length)
  for (const column of all) parts.column(column)
  const [rares, outside] = [parts.value(), parts.value()]
  for (let i = 0; i < count; i++)
    if ((page.typeOf[i] as number) >= page.types.length && !page.holes.has(i))
      throw new RangeError('an entry has no type')
  for (const one of listOf(rares)) {
    const [i, more, links] = listOf(one, 3)
    page.rare.set(indexIn(i, count), { more: rowsOf(more), links: linksOf(links) })
  }
  const relatives = rowsOf(outside)
  const known = whole.bytes()
  const stored = page.indexesOfStoredOids
  if (known.length !== DIGEST * (relatives.length + stored.length)) throw new RangeError('it lacks oids')
  const oidAt = (n: number): Oid => oidOf(known.subarray(DIGEST * n, DIGEST * (n + 1)))
  for (const [n, row] of relatives.entries()) page.relatives.set(row, oidAt(n))
  for (const [n, i] of stored.entries()) page.setOid(i, oidAt(relatives.length + n))
  fillDigests(page, whole.bytes())
  return page
}

/** Reads the parts of a page one after another: columns without a list of numbers for each, in a third of the time. */
class PartReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
  }

  /** Passes the header of a list of so many parts. */
  list(count: number): void {
    if ((this.#bytes[this.#at] as number) >> 5 !== LIST_KIND || this.#number() !== count)
      throw new RangeError('a list is missing or has a wrong length')
  }

  value(): unknown {
    const from = this.#at
    this.#at = endOfItem(this.#bytes, from)
    return decodeStored(this.#bytes.subarray(from, this.#at))
  }

  /** Passes a byte string and returns a view of it. */
  bytes(): Uint8Array {
    if ((this.#bytes[this.#at] as number) >> 5 !== BYTES_KIND) throw new RangeError('bytes are missing')
    const length = this.#number()
    const end = this.#at + length
    if (end > this.#bytes.length) throw new RangeError('it is cut short')
    const bytes = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return bytes
  }

  /** Fills a column from differences. */
  column(column: NumberColumn): void {
    const most = column instanceof Uint8Array ? 255 : Number.MAX_SAFE_INTEGER
    this.list(column.length)
    const bytes = this.#bytes
    let value = 0
    for (let i = 0; i < column.length; i++) {
      const first = bytes[this.#at] as number
      // Most steps are one byte: the header of a small number is the number.
      if (first < ONE_BYTE || (first >= NEGATIVE && first < NEGATIVE + ONE_BYTE)) {
        this.#at++
        value += first < ONE_BYTE ? first : NEGATIVE - 1 - first
      } else value += this.#step()
      if (!(Number.isInteger(value) && value >= NO_ROW && value <= most))
        throw new RangeError('a number is too large')
      column[i] = value
    }
  }

  #step(): number {
    const first = this.#bytes[this.#at] as number
    if (first === DOUBLE) {
      this.#at += 9
      return this.#view.getFloat64(this.#at - 8)
    }
    const kind = first >> 5
    if (kind !== UNSIGNED_KIND && kind !== NEGATIVE_KIND) throw new RangeError('a number is missing')
    return kind === UNSIGNED_KIND ? this.#number() : -1 - this.#number()
  }

  /** Passes a header and returns its number: an integer, or the length of a list. */
  #number(): number {
    const low = (this.#bytes[this.#at++] as number) & 31
    if (low < 24) return low
    const at = this.#at
    this.#at += 1 << (low - 24)
    if (low === 24) return this.#view.getUint8(at)
    if (low === 25) return this.#view.getUint16(at)
    if (low === 26) return this.#view.getUint32(at)
    throw new RangeError('a number is too large')
  }
}

function fillDigests(page: EntryPage, digests: Uint8Array): void {
  const { count, holes } = page
  if (digests.length !== DIGEST * (count - holes.size)) throw new RangeError('it is cut short')
  if (holes.size === 0) page.digests.set(digests)
  else
    for (let i = 0, at = 0; i < count; i++)
      if (!holes.has(i)) {
        page.digests.set(digests.subarray(at, at + DIGEST), DIGEST * i)
        at += DIGEST
      }
}

function linksOf(value: unknown): RowLinks {
  const { firstKept, kept, target } = value as Record<keyof RowLinks, unknown>
  return {
    ...(firstKept === undefined ? {} : { firstKept: rowOf(firstKept) }),
    ...(kept === undefined ? {} : { kept: rowsOf(kept) }),
    ...(target === undefined ? {} : { target: rowOf(target) }),
  }
}

const isRow = (value: unknown): value is Row => Number.isSafeInteger(value) && (value as number) >= 0

function rowOf(value: unknown): Row {
  if (!isRow(value)) throw new RangeError('a row is missing')
  return value
}

const rowsOf = (value: unknown): Row[] => listOf(value).map(rowOf)

function indexIn(value: unknown, count: number): number {
  if (!isRow(value) || value >= count) throw new RangeError('an entry is not there')
  return value
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new RangeError('a text is missing')
  return value
}

function listOf(value: unknown, count?: number): readonly unknown[] {
  if (!Array.isArray(value) || (count !== undefined && value.length !== count))
    throw new RangeError('a list is missing or has a wrong length')
  return value
}
