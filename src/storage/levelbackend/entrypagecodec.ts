import { decodeStored, encode } from '../../model/canonical.ts'
import { bytesOf, type Oid, oidOf } from '../../model/oid.ts'
import { wellFormed } from '../ioerrors.ts'
import { compressNow, decompress } from './compression.ts'
import { EntryPage, PAGE_ROWS } from './entrypage.ts'
import { NO_ROW, type Row, type RowLinks } from './rows.ts'

const DIGEST = 32
/** Brotli's quality: higher ones gain nothing on so few bytes. */
const QUALITY = 5

type NumberColumn = Uint8Array | Float64Array

/** Returns the columns of a page in the order in which they are stored. */
const columnsOf = (page: EntryPage): readonly NumberColumn[] => [
  page.typeOf,
  page.traits,
  page.first,
  page.depth,
  page.calls,
  page.tokens,
  page.jump,
  ...page.near,
  page.merge,
  page.block,
  page.index,
]

/** Encodes a page as CBOR: its columns as differences under Brotli, and hashes, which do not compress, as they are. */
export function encodeEntryPage(page: EntryPage): Uint8Array {
  const { count, types, holes, rare, relatives: outside, indexesOfStoredOids: steps } = page
  const columns = columnsOf(page).map((column) => deltas(column.subarray(0, count)))
  const live = Array.from({ length: count }, (_, i) => i).filter((i) => !holes.has(i))
  const rares = [...rare].map(([i, { more, links }]) => [i, more, links])
  return encode([
    compressNow(encode([count, types, [...holes], columns, rares, [...outside.keys()]]), QUALITY),
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
  const [packed, oids, digests] = listOf(decodeStored(bytes), 3)
  const parts = listOf(decodeStored(decompress(bytesIn(packed))), 6)
  const [count, types, holes, columns, rares, outside] = parts
  if (!isRow(count) || count < 1 || count > PAGE_ROWS) throw new RangeError('it has no such number of rows')
  const page = new EntryPage(start, count)
  page.count = count
  for (const type of listOf(types)) page.types.push(textOf(type))
  for (const hole of listOf(holes)) page.holes.add(indexIn(hole, count))
  const all = columnsOf(page)
  const storedSteps = listOf(columns, all.length)
  for (let n = 0; n < all.length; n++) fill(all[n] as NumberColumn, listOf(storedSteps[n], count))
  if (page.typeOf.some((type, i) => type >= page.types.length && !page.holes.has(i)))
    throw new RangeError('an entry has no type')
  for (const one of listOf(rares)) {
    const [i, more, links] = listOf(one, 3)
    page.rare.set(indexIn(i, count), { more: rowsOf(more), links: linksOf(links) })
  }
  const relatives = rowsOf(outside)
  const known = bytesIn(oids)
  const stored = page.indexesOfStoredOids
  if (known.length !== DIGEST * (relatives.length + stored.length)) throw new RangeError('it lacks oids')
  const oidAt = (n: number): Oid => oidOf(known.subarray(DIGEST * n, DIGEST * (n + 1)))
  for (const [n, row] of relatives.entries()) page.relatives.set(row, oidAt(n))
  for (const [n, i] of stored.entries()) page.setOid(i, oidAt(relatives.length + n))
  fillDigests(page, bytesIn(digests))
  return page
}

/** Fills a column from differences. */
function fill(column: NumberColumn, steps: readonly unknown[]): void {
  const most = column instanceof Uint8Array ? 255 : Number.MAX_SAFE_INTEGER
  let value = 0
  for (let i = 0; i < steps.length; i++) {
    value += steps[i] as number
    if (!(Number.isInteger(value) && value >= NO_ROW && value <= most))
      throw new RangeError('a number is too large')
    column[i] = value
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

function bytesIn(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new RangeError('bytes are missing')
  return value
}

function listOf(value: unknown, count?: number): readonly unknown[] {
  if (!Array.isArray(value) || (count !== undefined && value.length !== count))
    throw new RangeError('a list is missing or has a wrong length')
  return value
}
