import type { BlobRef } from '../model/canonical.ts'
import { type Cell, Column, columnsOf, placesOf } from './column.ts'
import { ColumnReader } from './columnreader.ts'
import { ColumnWriter } from './columnwriter.ts'
import { readIds } from './ids.ts'
import { readInts, writeInts } from './ints.ts'
import { NO_ROW, type Row, type Stored, type StoredRecord } from './record.ts'
import { TextSink, TextSource } from './texts.ts'
import { ByteSink, ByteSource, fold, isFoldable, unfold } from './varint.ts'

const VERSION = 1

/** The cells that any segment may have, and how many more for each of its bytes: what bounds the reader's memory. */
const FREE_CELLS = 65_536
const CELLS_PER_BYTE = 16

/** A record without its content. */
export type Spine = Pick<StoredRecord, 'row' | 'tip' | 'time' | 'native'>

/**
 * Gives records as bytes in columns, so that like stands beside like and a compressor finds it. Meant to be
 * compressed; most of what can be said once is said once already.
 */
export function encodeSegment(records: readonly StoredRecord[]): Uint8Array {
  const writer = new ColumnWriter()
  const { sink } = writer
  writeInts(sink, rowSteps(records))
  writeInts(sink, tipSteps(records))
  writer.write(cellsOf(records, (record) => record.time))
  writeInts(sink, nativeSteps(records, writer))
  const fresh = writer.ids.size
  writer.know({
    times: records.map((record) => record.time),
    natives: records.map((record) => record.native),
  })
  writer.write(cellsOf(records, (record) => textOf(record.lead)))
  writer.write(cellsOf(records, ({ content }) => ('raw' in content ? undefined : content.spelling)))
  writer.write(cellsOf(records, ({ content }) => ('raw' in content ? undefined : content.shape)))
  writeRaw(records, writer)
  writer.write(valuesOf(records, sink))
  return join(records.length, fresh, writer)
}

function cellsOf(records: readonly StoredRecord[], cell: (record: StoredRecord) => Cell): Column {
  const column = new Column()
  for (const [i, record] of records.entries()) {
    column.cells.push(cell(record))
    column.records.push(i)
  }
  return column
}

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')

function checkRow(row: Row): void {
  if (row !== NO_ROW && !(isFoldable(row) && row >= 0)) throw new RangeError(`${row} is no row`)
}

function rowSteps(records: readonly StoredRecord[]): number[] {
  let next = 0
  return records.map(({ row }) => {
    checkRow(row)
    if (row === NO_ROW) return 0
    const step = 1 + fold(row - next)
    next = row + 1
    return step
  })
}

function tipSteps(records: readonly StoredRecord[]): number[] {
  let before = NO_ROW
  return records.map(({ row, tip }) => {
    checkRow(tip)
    const likely = row === NO_ROW ? before : row
    before = tip
    if (tip === likely) return 0
    return tip === NO_ROW ? 1 : 2 + fold(tip - Math.max(likely, 0))
  })
}

function nativeSteps(records: readonly StoredRecord[], writer: ColumnWriter): number[] {
  return records.map(({ native }) => {
    if (native === undefined) return 0
    const known = writer.ids.numberOf(native)
    if (known !== undefined) return 2 + known
    writer.ids.add(native)
    return 1
  })
}

function writeRaw(records: readonly StoredRecord[], writer: ColumnWriter): void {
  const raws = records.flatMap(({ content }) => ('raw' in content ? [content.raw] : []))
  if (raws.length === 0) return
  const pieces = raws.flat()
  const blobs = new Column()
  const lengths: number[] = []
  for (const piece of pieces)
    if (piece instanceof Uint8Array) {
      lengths.push(piece.length)
      writer.bytes.bytes(piece)
    } else {
      blobs.cells.push(piece)
      blobs.records.push(0)
    }
  writeInts(
    writer.sink,
    raws.map((raw) => raw.length),
  )
  writeInts(
    writer.sink,
    pieces.map((piece) => (piece instanceof Uint8Array ? 0 : 1)),
  )
  writeInts(writer.sink, lengths)
  writer.write(blobs)
}

/** Sorts all values into columns, and writes how many values a record has beyond the places of its shape. */
function valuesOf(records: readonly StoredRecord[], sink: ByteSink): Column {
  const root = new Column()
  const known = new Map<string, { readonly places: number; readonly columns: readonly Column[] }>()
  const extra: number[] = []
  for (const [i, { content }] of records.entries()) {
    if ('raw' in content) continue
    const { shape, values } = content
    let plan = known.get(shape)
    if (!plan) {
      const places = placesOf(shape)
      plan = { places, columns: columnsOf(root, shape, places) }
      known.set(shape, plan)
    }
    extra.push(fold(values.length - plan.places))
    for (const [n, value] of values.entries()) {
      const column = values.length === plan.places ? (plan.columns[n] as Column) : root
      column.cells.push(value)
      column.records.push(i)
    }
  }
  writeInts(sink, extra)
  return root
}

function join(count: number, fresh: number, writer: ColumnWriter): Uint8Array {
  const head = new ByteSink()
  const idBytes = new ByteSink()
  const idTexts = new TextSink()
  writer.ids.finish(head, idBytes, idTexts)
  head.varint(fresh)
  const sections = [
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
  for (const section of sections) all.varint(section.length)
  for (const section of sections) all.bytes(section)
  const cells = count + writer.ids.size + writer.cells
  const room = FREE_CELLS + CELLS_PER_BYTE * all.length
  // Zeros vanish when compressed: they make room where a few bytes stand for very many values.
  if (cells > room) all.bytes(new Uint8Array(Math.ceil((cells - room) / CELLS_PER_BYTE)))
  return all.view().slice()
}

interface Opened {
  readonly spine: Spine[]
  readonly source: ByteSource
  readonly bytes: ByteSource
  readonly texts: TextSource
  readonly ids: readonly string[]
  readonly fresh: number
  readonly anchors: readonly number[]
  readonly spend: (count: number) => void
}

function open(bytes: Uint8Array): Opened {
  const all = new ByteSource(bytes)
  if (all.byte() !== VERSION) throw new RangeError('the segment is of an unknown version')
  let room = FREE_CELLS + CELLS_PER_BYTE * bytes.length
  const spend = (count: number): void => {
    room -= count
    if (room < 0) throw new RangeError('the segment has absurdly many values')
  }
  const count = all.varint()
  spend(count)
  const lengths = Array.from({ length: 6 }, () => all.varint())
  const [head, idBytes, idTexts, source, rest, texts] = lengths.map((length) => all.bytes(length)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ]
  const headSource = new ByteSource(head)
  const ids = readIds(headSource, new ByteSource(idBytes), new TextSource(idTexts), spend)
  const opened = {
    source: new ByteSource(source),
    bytes: new ByteSource(rest),
    texts: new TextSource(texts),
    ids,
    fresh: headSource.varint(),
    spend,
  }
  return { ...opened, ...readSpine(count, opened) }
}

function readSpine(
  count: number,
  opened: Omit<Opened, 'spine' | 'anchors'>,
): Pick<Opened, 'spine' | 'anchors'> {
  const rowSteps = readInts(opened.source, count)
  const tipSteps = readInts(opened.source, count)
  const times = new Column()
  for (let i = 0; i < count; i++) times.records.push(i)
  new ColumnReader({ ...opened, times: [], natives: [], anchors: [] }).read(times)
  const nativeSteps = readInts(opened.source, count)
  const spine: Spine[] = []
  const anchors: number[] = []
  let next = 0
  let tip = NO_ROW
  let fresh = 0
  let anchor = 0
  for (let i = 0; i < count; i++) {
    const rowStep = rowSteps[i] as number
    const row = rowStep === 0 ? NO_ROW : next + unfold(rowStep - 1)
    if (row !== NO_ROW) {
      next = row + 1
      tip = row
    }
    const tipStep = tipSteps[i] as number
    if (tipStep > 0) tip = tipStep === 1 ? NO_ROW : Math.max(tip, 0) + unfold(tipStep - 2)
    const time = times.cells[i] as number | undefined
    const nativeStep = nativeSteps[i] as number
    let native: string | undefined
    if (nativeStep > 0) {
      anchor = nativeStep === 1 ? fresh++ : nativeStep - 2
      native = opened.ids[anchor]
      if (native === undefined) throw new RangeError('a native id is not there')
    }
    anchors.push(anchor)
    spine.push(
      time === undefined
        ? native === undefined
          ? { row, tip }
          : { row, tip, native }
        : native === undefined
          ? { row, tip, time }
          : { row, tip, time, native },
    )
  }
  return { spine, anchors }
}

/** Gives the rows, tips, times and native ids of the records that `encodeSegment` wrote, much cheaper than all of them. */
export const decodeSpine = (bytes: Uint8Array): Spine[] => open(bytes).spine

/** Gives the records that `encodeSegment` wrote. Throws a RangeError where the bytes are none of its. */
export function decodeSegment(bytes: Uint8Array): StoredRecord[] {
  const opened = open(bytes)
  const { spine, source, spend } = opened
  const count = spine.length
  const reader = new ColumnReader({
    ...opened,
    times: spine.map(({ time }) => time),
    natives: spine.map(({ native }) => native),
  })
  const column = (): Cell[] => {
    const made = new Column()
    for (let i = 0; i < count; i++) made.records.push(i)
    reader.read(made)
    return made.cells
  }
  const leads = column()
  const spellings = column()
  const shapes = column()
  const raws = readRaw(opened, reader, shapes.filter((shape) => shape === undefined).length)
  const extra = readInts(source, count - raws.length)
  const root = new Column()
  const known = new Map<string, { readonly places: number; readonly columns: readonly Column[] }>()
  const plans: (readonly Column[])[] = []
  let n = 0
  for (let i = 0; i < count; i++) {
    const shape = shapes[i]
    if (shape === undefined) {
      plans.push([])
      continue
    }
    if (typeof shape !== 'string') throw new RangeError('a shape is no text')
    let plan = known.get(shape)
    if (!plan) {
      const places = placesOf(shape)
      plan = { places, columns: columnsOf(root, shape, places) }
      known.set(shape, plan)
    }
    const more = unfold(extra[n++] as number)
    spend(Math.max(0, plan.places + more))
    const columns = more === 0 ? plan.columns : new Array<Column>(plan.places + more).fill(root)
    for (const c of columns) {
      c.records.push(i)
      c.held++
    }
    plans.push(columns)
  }
  reader.read(root)
  const leadBytes = new Map<string, Uint8Array>()
  let r = 0
  const out: StoredRecord[] = []
  for (let i = 0; i < count; i++) {
    const leadText = leads[i] as string
    let lead = leadBytes.get(leadText)
    if (!lead) {
      lead = new Uint8Array(Buffer.from(leadText, 'latin1'))
      leadBytes.set(leadText, lead)
    }
    const shape = shapes[i] as string | undefined
    const content =
      shape === undefined
        ? { raw: raws[r++] as (Uint8Array | BlobRef)[] }
        : {
            shape,
            values: (plans[i] as Column[]).map((c) => c.cells[c.named++] as Stored),
            spelling: spellings[i] as string,
          }
    out.push({ ...(spine[i] as Spine), lead, content })
  }
  return out
}

function readRaw(opened: Opened, reader: ColumnReader, count: number): (Uint8Array | BlobRef)[][] {
  if (count === 0) return []
  const { source, spend } = opened
  const sizes = readInts(source, count)
  let total = 0
  for (const size of sizes) total += size
  spend(total)
  const kinds = readInts(source, total)
  const blobs = new Column()
  for (const kind of kinds) if (kind === 1) blobs.records.push(0)
  const lengths = readInts(source, total - blobs.records.length)
  reader.read(blobs)
  let k = 0,
    b = 0,
    l = 0
  return sizes.map((size) =>
    Array.from({ length: size }, () =>
      kinds[k++] === 1 ? (blobs.cells[b++] as BlobRef) : opened.bytes.bytes(lengths[l++] as number).slice(),
    ),
  )
}
