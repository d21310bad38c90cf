import { BlobRef, decodeStored, encode, tagOf } from '../../model/encoding/canonical.ts'
import { CborWriter } from '../../model/encoding/cbor.ts'
import { Verbatim } from '../../model/encoding/verbatim.ts'
import { COUNTS } from '../../model/usage.ts'
import type { UsageCounts } from '../../model/view.ts'
import { NO_ROW, type Row } from './rows.ts'
import {
  EncodedContent,
  type Stored,
  type StoredBatch,
  type StoredContent,
  type StoredHeader,
  type StoredRecord,
  storedHeader,
} from './storedrecord.ts'

/** The number of the shape group of a record with raw bytes. */
const RAW = -1

/**
 * Encodes records as CBOR, field by field, so that equal values are adjacent and compress well. The contents are a byte
 * string after the headers, so that a reader of the headers alone does not decode them.
 */
export function encodeSegment(records: readonly StoredRecord[]): Uint8Array {
  let likely = NO_ROW
  const tips = records.map(({ row, tip }) => {
    const step = tip - (row === NO_ROW ? likely : row)
    likely = tip
    return step
  })
  const usage = usageColumns(records)
  return encode([
    deltas(records.map(({ row }) => (row === NO_ROW ? undefined : row))),
    tips,
    deltas(records.map(({ time }) => time)),
    records.map(({ native }) => (native === undefined ? null : encodable(native))),
    encodeContents(records),
    ...(usage ? [usage] : []),
  ])
}

/** The indexes of records that report usage, and a column for each kind of count: null in place of a count, or of all. */
type UsageColumns = readonly [indexes: readonly number[], ...columns: (readonly (number | null)[] | null)[]]

/** Returns the usage that records report; undefined where none does. */
function usageColumns(records: readonly StoredRecord[]): UsageColumns | undefined {
  const indexes: number[] = []
  const reported: UsageCounts[] = []
  for (const [i, { usage }] of records.entries()) {
    if (usage === undefined) continue
    indexes.push(i)
    reported.push(usage)
  }
  if (indexes.length === 0) return undefined
  const columns = COUNTS.map((name) => {
    const column = reported.map((usage) => usage[name] ?? null)
    return column.every((count) => count === null) ? null : column
  })
  return [indexes, ...columns]
}

/** Returns the reported usage by the indexes of records. */
function usageOf(part: unknown, count: number): ReadonlyMap<number, UsageCounts> | undefined {
  if (part === undefined) return undefined
  const [indexes, ...columns] = listOf(part, 1 + COUNTS.length)
  const places = listOf(indexes)
  const found = new Map<number, { -readonly [K in keyof UsageCounts]: UsageCounts[K] }>()
  for (const place of places) {
    if (
      !Number.isSafeInteger(place) ||
      (place as number) < 0 ||
      (place as number) >= count ||
      found.has(place as number)
    )
      throw new RangeError('an index of usage is out of range')
    found.set(place as number, {})
  }
  for (const [i, name] of COUNTS.entries()) {
    if (columns[i] === null) continue
    for (const [at, counted] of listOf(columns[i], places.length).entries())
      if (counted !== null)
        (found.get(places[at] as number) as Record<string, number>)[name] = countIn(counted)
  }
  return found
}

function countIn(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new RangeError('a count is no number')
  return value
}

const writer = new CborWriter(tagOf)

/** The contents of records with the same shape and number of values, in their order. */
interface ShapeGroup {
  readonly shape: string
  readonly count: number
  readonly contents: Exclude<StoredContent, { raw: unknown }>[]
}

function encodeContents(records: readonly StoredRecord[]): Uint8Array {
  const leads = new Map<string, number>()
  const spellings = new Map<string, number>()
  const numbers = new Map<string, number>()
  /** One group for each shape and number of values. */
  const groups: ShapeGroup[] = []
  const raws: (readonly (Uint8Array | BlobRef)[])[] = []
  const leadNumbers: number[] = []
  const spellingNumbers: number[] = []
  const groupNumbers: number[] = []
  for (const { lead, content } of records) {
    leadNumbers.push(
      numberIn(leads, lead.length === 1 && lead[0] === 10 ? '\n' : Buffer.from(lead).toString('latin1')),
    )
    if ('raw' in content) {
      raws.push(content.raw)
      spellingNumbers.push(0)
      groupNumbers.push(RAW)
      continue
    }
    const { shape, spelling } = content
    const count = countOf(content)
    const known = numbers.get(shape)
    const number =
      known !== undefined && groups[known]?.count === count
        ? known
        : numberIn(numbers, `${count} ${shape}`, groups.length)
    if (number === groups.length) {
      if (known === undefined) numbers.set(shape, number)
      groups.push({ shape, count, contents: [] })
    }
    groups[number]?.contents.push(content)
    spellingNumbers.push(numberIn(spellings, spelling))
    groupNumbers.push(number)
  }
  writer.begin()
  writer.list(7)
  writer.value([...leads.keys()].map((lead) => Buffer.from(lead, 'latin1')))
  writer.value(leadNumbers)
  writer.value([...spellings.keys()].map(encodable))
  writer.value(spellingNumbers)
  writer.list(groups.length)
  for (const group of groups) writeGroup(group)
  writer.value(groupNumbers)
  writer.value(raws)
  return writer.end()
}

const countOf = (content: ShapeGroup['contents'][number]): number =>
  content instanceof EncodedContent ? content.ends.length : content.values.length

/** Writes a group: its shape, and a column of values for each place of the shape. */
function writeGroup({ shape, count, contents }: ShapeGroup): void {
  writer.list(2)
  writer.value(encodable(shape))
  writer.list(count)
  for (let place = 0; place < count; place++) {
    writer.list(contents.length)
    for (const content of contents)
      if (content instanceof EncodedContent)
        writer.encoded(content.bytes, content.ends[place - 1] ?? 0, content.ends[place] as number)
      else writer.value(content.values[place])
  }
}

function numberIn(numbers: Map<string, number>, text: string, next = numbers.size): number {
  const known = numbers.get(text)
  if (known !== undefined) return known
  numbers.set(text, next)
  return next
}

/** Returns the differences between consecutive numbers; a number that its difference does not restore is in a list. */
function deltas(values: readonly (number | undefined)[]): (number | null | [number])[] {
  let before = 0
  return values.map((value) => {
    if (value === undefined) return null
    const step = value - before
    if (before + step !== value) return [value]
    before = value
    return step
  })
}

/** Returns a text as CBOR holds it, whose texts are well-formed. */
const encodable = (text: string): string | Verbatim =>
  text.isWellFormed() ? text : new Verbatim(JSON.stringify(text))

/** Decodes the headers of a segment; `records` decodes the contents when first called. Throws as `decodeSegment`. */
export function openSegment(start: number, bytes: Uint8Array): StoredBatch {
  const parts = listOf(decodeStored(bytes))
  const headers = decodeHeaders(parts)
  let records: readonly StoredRecord[] | undefined
  return {
    start,
    headers: headers,
    records: () => (records ??= recordsOf(headers, decodeContents(parts[4], headers.length))),
  }
}

/** Decodes the records that `encodeSegment` encoded. Throws an Error on any other bytes. */
export const decodeSegment = (bytes: Uint8Array): readonly StoredRecord[] => openSegment(0, bytes).records()

function decodeHeaders([rows, tips, times, natives, , usages]: readonly unknown[]): StoredHeader[] {
  const rowSteps = listOf(rows)
  const count = rowSteps.length
  const tipSteps = listOf(tips, count)
  const nativeTexts = listOf(natives, count)
  const allRows = undelta(rowSteps)
  const allTimes = undelta(listOf(times, count))
  const usage = usageOf(usages, count)
  const headers: StoredHeader[] = []
  let tip = NO_ROW
  for (let i = 0; i < count; i++) {
    const row = rowOf(allRows[i] ?? NO_ROW)
    tip = rowOf((row === NO_ROW ? tip : row) + (tipSteps[i] as number))
    const native = nativeTexts[i]
    headers.push(
      storedHeader({
        row,
        tip,
        time: allTimes[i],
        native: native === null ? undefined : textOf(native),
        usage: usage?.get(i),
      }),
    )
  }
  return headers
}

function recordsOf(
  headers: readonly StoredHeader[],
  contents: readonly (readonly [Uint8Array, StoredContent])[],
): StoredRecord[] {
  return contents.map(([lead, content], i) => recordOf(headers[i] as StoredHeader, lead, content))
}

/** Not by spreading the header: that makes an export of 100,000 entries take 1.2 times as long. */
function recordOf(
  { row, tip, time, native, usage }: StoredHeader,
  lead: Uint8Array,
  content: StoredContent,
): StoredRecord {
  if (usage !== undefined) return { ...recordOf({ row, tip, time, native }, lead, content), usage }
  if (time === undefined)
    return native === undefined ? { row, tip, lead, content } : { row, tip, native, lead, content }
  return native === undefined ? { row, tip, time, lead, content } : { row, tip, time, native, lead, content }
}

function decodeContents(part: unknown, count: number): (readonly [Uint8Array, StoredContent])[] {
  if (!(part instanceof Uint8Array)) throw new RangeError('the segment has no contents')
  const parts = listOf(decodeStored(part), 7)
  const leads = listOf(parts[0]).map((lead) => new Uint8Array(bytesOf(lead)))
  const leadOf = listOf(parts[1], count)
  const spellings = listOf(parts[2]).map(textOf)
  const spellingOf = listOf(parts[3], count)
  const groups = listOf(parts[4]).map(groupOf)
  const numbers = listOf(parts[5], count)
  const raws = listOf(parts[6]).map((chunks) => listOf(chunks).map(chunkOf))
  const used = new Array<number>(groups.length).fill(0)
  let nextRaw = 0
  return numbers.map((number, i) => {
    const lead = itemOf(leads, leadOf[i])
    if (number === RAW) return [lead, { raw: itemOf(raws, nextRaw++) }]
    const { shape, columns } = itemOf(groups, number)
    const at = used[number as number] as number
    used[number as number] = at + 1
    const values: Stored[] = []
    for (const column of columns) values.push(itemOf(column, at))
    return [lead, { shape, values, spelling: itemOf(spellings, spellingOf[i]) }]
  })
}

function groupOf(group: unknown): {
  readonly shape: string
  readonly columns: readonly (readonly Stored[])[]
} {
  const [shape, columns] = listOf(group, 2)
  const all = listOf(columns).map((column) => listOf(column))
  for (const column of all) for (const value of column) checkStored(value)
  return { shape: textOf(shape), columns: all as Stored[][] }
}

/** Throws where CBOR held a value that no record has, as an undefined or a date. */
function checkStored(value: unknown): asserts value is Stored {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null)
    return
  if (value instanceof Verbatim || isPlace(value)) return
  if (Array.isArray(value)) for (let i = 0; i < value.length; i++) checkStored(value[i])
  else if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype)
    for (const key in value) checkStored((value as Record<string, unknown>)[key])
  else throw new RangeError('a value is of no known kind')
}

function undelta(steps: readonly unknown[]): (number | undefined)[] {
  let before = 0
  return steps.map((step) => {
    if (step === null) return undefined
    if (Array.isArray(step)) return numberOf(step[0])
    before += numberOf(step)
    return before
  })
}

function listOf(value: unknown, count?: number): readonly unknown[] {
  if (!Array.isArray(value) || (count !== undefined && value.length !== count))
    throw new RangeError('a list is missing or has a wrong length')
  return value
}

function itemOf<T>(list: readonly T[], number: unknown): T {
  const item = list[number as number]
  if (item === undefined) throw new RangeError('an index is out of range')
  return item
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number') throw new RangeError('a number is missing')
  return value
}

function rowOf(row: number): Row {
  if (!Number.isSafeInteger(row) || row < NO_ROW) throw new RangeError(`${row} is no row`)
  return row
}

function textOf(value: unknown): string {
  if (value instanceof Verbatim) return textOf(JSON.parse(value.text))
  if (typeof value !== 'string') throw new RangeError('a text is missing')
  return value
}

function bytesOf(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new RangeError('bytes are missing')
  return value
}

const isPlace = (value: unknown): value is BlobRef =>
  value instanceof BlobRef && Number.isSafeInteger(value.block) && Number.isSafeInteger(value.index)

const chunkOf = (chunk: unknown): Uint8Array | BlobRef =>
  isPlace(chunk) ? chunk : new Uint8Array(bytesOf(chunk))
