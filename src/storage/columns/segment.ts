import { BlobRef } from '../../model/canonical.ts'
import type { Stored, StoredRecord } from '../record.ts'
import { type Cell, Column, columnsOf } from './column.ts'
import { ColumnReader, type Written } from './columnreader.ts'
import { ColumnWriter } from './columnwriter.ts'
import { readIds } from './ids.ts'
import { readInts, writeInts } from './ints.ts'
import { factsOf, readSpine, type Spine, writeSpine } from './spine.ts'
import type { Stretch } from './stretch.ts'
import { TextSink, TextSource } from './texts.ts'
import { ByteSink, ByteSource, fold, unfold } from './varint.ts'

/** The number of the codec, in the first byte. */
const VERSION = 1

/** How many values any segment may have, and how many more for each of its bytes: this bounds the reader's memory. */
const FREE_VALUES = 65_536
const VALUES_PER_BYTE = 16

/** How a piece of raw content is told: as its bytes or as the place of a blob. */
const BYTES = 0
const BLOB = 1

/**
 * Gives records as bytes, in columns: like stands beside like, and what follows from something else is not written.
 * They are meant to be compressed. Throws a RangeError where rows or places of blobs are no such numbers.
 */
export function encodeSegment(records: readonly StoredRecord[]): Uint8Array {
  const writer = new ColumnWriter()
  writeSpine(writer, records)
  const natives = writer.ids.size
  writer.know(factsOf(records, (native) => writer.ids.numberOf(native)))
  writeColumn(writer, records, ({ lead }) => textOf(lead))
  writeColumn(writer, records, ({ content }) => ('raw' in content ? undefined : content.spelling))
  writeColumn(writer, records, ({ content }) => ('raw' in content ? undefined : content.shape))
  writeRaws(writer, records)
  writeValues(writer, records)
  return joined(writer, records.length, natives)
}

/** Opens what `encodeSegment` wrote: records are decoded once they are asked for. Throws as `decodeSegment`. */
export function openSegment(start: number, bytes: Uint8Array): Stretch {
  const opened = open(bytes)
  let records: readonly StoredRecord[] | undefined
  return { start, spine: opened.spine, records: () => (records ??= recordsOf(opened)) }
}

/** Gives the records that `encodeSegment` wrote. Throws a RangeError on bytes that it does not write. */
export const decodeSegment = (bytes: Uint8Array): StoredRecord[] => recordsOf(open(bytes))

// Lists that many records share are filled one by one: what the engine makes of `map` where it was optimised is another
// kind of list than before, and all that read such lists would be compiled again.
function recordsOf({ from, count, reader, spine }: Opened): StoredRecord[] {
  const numbers = new Map<string, number>()
  for (let i = 0; i < from.natives; i++) numbers.set(from.ids[i] as string, i)
  reader.know(factsOf(spine, (native) => numbers.get(native)))
  const leads = bytesOf(readTexts(reader, count))
  const spellings = readTexts(reader, count)
  const shapes = readTexts(reader, count)
  const shaped = countShaped(shapes)
  const raws = readRaws(from, reader, count - shaped)
  const values = readValues(from, reader, shapes, shaped)
  const records: StoredRecord[] = []
  let nextRaw = 0
  for (let i = 0; i < count; i++) {
    const shape = shapes[i]
    const content =
      shape === undefined
        ? { raw: raws[nextRaw++] as (Uint8Array | BlobRef)[] }
        : { shape, values: values[i] as Stored[], spelling: spellings[i] ?? '' }
    records.push(recordWith(spine[i] as Spine, leads[i] as Uint8Array, content))
  }
  return records
}

function countShaped(shapes: readonly (string | undefined)[]): number {
  let count = 0
  for (const shape of shapes) if (shape !== undefined) count++
  return count
}

function recordWith(
  { row, tip, time, native }: Spine,
  lead: Uint8Array,
  content: StoredRecord['content'],
): StoredRecord {
  if (time === undefined)
    return native === undefined ? { row, tip, lead, content } : { row, tip, native, lead, content }
  return native === undefined ? { row, tip, time, lead, content } : { row, tip, time, native, lead, content }
}

/** Gives only the rows, tips, times and native ids of the records that `encodeSegment` wrote: many times cheaper. */
export const decodeSpine = (bytes: Uint8Array): Spine[] => open(bytes).spine

function writeColumn(
  writer: ColumnWriter,
  records: readonly StoredRecord[],
  cellOf: (record: StoredRecord) => Cell,
): void {
  const column = new Column()
  for (let i = 0; i < records.length; i++) {
    column.cells.push(cellOf(records[i] as StoredRecord))
    column.records.push(i)
  }
  writer.write(column)
}

function readTexts(reader: ColumnReader, count: number): (string | undefined)[] {
  const column = new Column()
  for (let i = 0; i < count; i++) column.records.push(i)
  reader.read(column)
  for (const cell of column.cells)
    if (cell !== undefined && typeof cell !== 'string') throw new RangeError('a text is none')
  return column.cells as (string | undefined)[]
}

/** Gives bytes as a text of one character for each, and back; equal texts give the same bytes. */
function textOf(bytes: Uint8Array): string {
  const { length } = bytes
  // Before most values stands a newline or nothing.
  if (length < 2) return length === 0 ? '' : String.fromCharCode(bytes[0] as number)
  return Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1')
}

function bytesOf(texts: readonly (string | undefined)[]): Uint8Array[] {
  const known = new Map<string, Uint8Array>()
  const all: Uint8Array[] = []
  for (const text of texts) {
    let bytes = known.get(text ?? '')
    if (!bytes) {
      bytes = new Uint8Array(Buffer.from(text ?? '', 'latin1'))
      known.set(text ?? '', bytes)
    }
    all.push(bytes)
  }
  return all
}

function writeRaws(writer: ColumnWriter, records: readonly StoredRecord[]): void {
  const raws = records.flatMap(({ content }) => ('raw' in content ? [content.raw] : []))
  const pieces = raws.flat()
  if (raws.length === 0) return
  const blobs = new Column()
  const lengths: number[] = []
  const kinds = pieces.map((piece) => {
    if (piece instanceof BlobRef) {
      blobs.cells.push(piece)
      blobs.records.push(0)
      return BLOB
    }
    lengths.push(piece.length)
    writer.bytes.bytes(piece)
    return BYTES
  })
  const sizes = raws.map((raw) => raw.length)
  for (const numbers of [sizes, kinds, lengths]) writeInts(writer.sink, numbers)
  writer.write(blobs)
  writer.size += pieces.length
}

function readRaws(
  { source, bytes, spend }: Written,
  reader: ColumnReader,
  count: number,
): (Uint8Array | BlobRef)[][] {
  if (count === 0) return []
  const sizes = readInts(source, count)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  spend(total)
  const kinds = readInts(source, total)
  const blobs = new Column()
  for (const kind of kinds) if (kind === BLOB) blobs.records.push(0)
  const lengths = readInts(source, total - blobs.records.length)
  reader.read(blobs)
  let blob = 0
  let length = 0
  const pieces = kinds.map((kind) =>
    kind === BLOB ? (blobs.cells[blob++] as BlobRef) : bytes.bytes(lengths[length++] as number).slice(),
  )
  let at = 0
  return sizes.map((size) => pieces.slice(at, (at += size)))
}

/** Writes how many values each record has beyond the places of its shape (none), then the values in columns. */
function writeValues(writer: ColumnWriter, records: readonly StoredRecord[]): void {
  const root = new Column()
  const known = new Map<string, readonly Column[]>()
  const surplus: number[] = []
  for (let i = 0; i < records.length; i++) {
    const { content } = records[i] as StoredRecord
    if ('raw' in content) continue
    const { shape, values } = content
    const columns = known.get(shape) ?? columnsOf(root, shape)
    known.set(shape, columns)
    surplus.push(fold(values.length - columns.length))
    for (let n = 0; n < values.length; n++) {
      const column = values.length === columns.length ? (columns[n] as Column) : root
      column.cells.push(values[n])
      column.records.push(i)
    }
  }
  writeInts(writer.sink, surplus)
  writer.write(root)
}

const NO_COLUMNS: readonly Column[] = []

function readValues(
  from: Written,
  reader: ColumnReader,
  shapes: readonly (string | undefined)[],
  shaped: number,
): Stored[][] {
  const root = new Column()
  const known = new Map<string, readonly Column[]>()
  const surplus = readInts(from.source, shaped)
  let next = 0
  const places: (readonly Column[])[] = []
  for (let i = 0; i < shapes.length; i++) {
    const shape = shapes[i]
    if (shape === undefined) {
      places.push(NO_COLUMNS)
      continue
    }
    let columns = known.get(shape) ?? columnsOf(root, shape)
    known.set(shape, columns)
    const more = unfold(surplus[next++] as number)
    from.spend(columns.length + Math.max(more, 0))
    if (more !== 0) columns = Array.from({ length: columns.length + more }, () => root)
    for (const column of columns) {
      column.records.push(i)
      column.held++
    }
    places.push(columns)
  }
  reader.read(root)
  const all: Stored[][] = []
  for (const columns of places) {
    const values: Stored[] = []
    for (const column of columns) values.push(column.cells[column.named++] as Stored)
    all.push(values)
  }
  return all
}

/** Puts the parts of a segment behind their lengths. */
function joined(writer: ColumnWriter, count: number, natives: number): Uint8Array {
  const head = new ByteSink()
  const idBytes = new ByteSink()
  const idTexts = new TextSink()
  head.varint(natives)
  writer.ids.finish(head, idBytes, idTexts)
  const parts = [
    head.view(),
    idBytes.view(),
    idTexts.finish(),
    writer.sink.view(),
    writer.bytes.view(),
    writer.texts.finish(),
  ]
  const all = new ByteSink()
  all.byte(VERSION)
  all.varint(count)
  for (const part of parts) all.varint(part.length)
  for (const part of parts) all.bytes(part)
  const short = (count + writer.ids.size + writer.size - FREE_VALUES) / VALUES_PER_BYTE - all.length
  // Where a few bytes stand for very many values, zeros make up for them: compressed they are nothing.
  if (short > 0) all.bytes(new Uint8Array(Math.ceil(short)))
  return all.view().slice()
}

interface Opened {
  readonly from: Written
  readonly reader: ColumnReader
  readonly count: number
  readonly spine: Spine[]
}

function open(bytes: Uint8Array): Opened {
  const all = new ByteSource(bytes)
  if (all.byte() !== VERSION) throw new RangeError('the segment is of no known version')
  let left = FREE_VALUES + VALUES_PER_BYTE * bytes.length
  const spend = (count: number): void => {
    left -= count
    if (left < 0) throw new RangeError('the segment has absurdly many values')
  }
  const count = all.varint()
  spend(count)
  const lengths = Array.from({ length: 6 }, () => all.varint())
  const part = (i: number): Uint8Array => all.bytes(lengths[i] as number)
  const head = new ByteSource(part(0))
  const natives = head.varint()
  const ids = readIds(head, new ByteSource(part(1)), new TextSource(part(2)), spend)
  if (natives > ids.length) throw new RangeError('the segment lacks ids')
  const source = new ByteSource(part(3))
  const from = { source, bytes: new ByteSource(part(4)), texts: new TextSource(part(5)), ids, natives, spend }
  const reader = new ColumnReader(from)
  return { from, reader, count, spine: readSpine(from, reader, count) }
}
