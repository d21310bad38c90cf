import { NO_ROW, type Row, type StoredRecord } from '../record.ts'
import { baseOf, Column, type Facts } from './column.ts'
import type { ColumnReader, Written } from './columnreader.ts'
import type { ColumnWriter } from './columnwriter.ts'
import { readInts, writeInts } from './ints.ts'
import { fold, isFoldable, unfold } from './varint.ts'

/** A record without its content. */
export type Spine = Pick<StoredRecord, 'row' | 'tip' | 'time' | 'native'>

/** How a row is told: there is none, or this much more than the steps from the row after the one before. */
const NONE = 0
const ROW = 1

/** How a tip is told: it is the record's own row, or without one the tip before; none; or the steps from that. */
const LIKELY = 0
const NO_TIP = 1
const TIP = 2

/** How a native id is told: there is none, it is the next id, or the number of one that came before. */
const ABSENT = 0
const NEXT = 1
const FORMER = 2

/** Writes all of the records but their content. Throws a RangeError on a row that is none. */
export function writeSpine(writer: ColumnWriter, records: readonly Spine[]): void {
  const times = new Column()
  const rows: number[] = []
  const tips: number[] = []
  const natives: number[] = []
  let next = 0
  let likely = NO_ROW
  for (const [i, { row, tip, time, native }] of records.entries()) {
    checkRow(row)
    checkRow(tip)
    times.cells.push(time)
    times.records.push(i)
    rows.push(row === NO_ROW ? NONE : ROW + fold(row - next))
    if (row !== NO_ROW) {
      next = row + 1
      likely = row
    }
    tips.push(tip === likely ? LIKELY : tip === NO_ROW ? NO_TIP : TIP + fold(tip - Math.max(likely, 0)))
    likely = tip
    natives.push(nativeStep(writer, native))
  }
  writeInts(writer.sink, rows)
  writeInts(writer.sink, tips)
  writer.write(times)
  writeInts(writer.sink, natives)
}

function checkRow(row: Row): void {
  if (row !== NO_ROW && (!isFoldable(row) || row < 0)) throw new RangeError(`${row} is no row`)
}

function nativeStep({ ids }: ColumnWriter, native: string | undefined): number {
  if (native === undefined) return ABSENT
  const known = ids.numberOf(native)
  if (known !== undefined) return FORMER + known
  ids.add(native)
  return NEXT
}

/** Reads what `writeSpine` wrote. */
export function readSpine(from: Written, reader: ColumnReader, count: number): Spine[] {
  const rows = readInts(from.source, count)
  const tips = readInts(from.source, count)
  const times = new Column()
  for (let i = 0; i < count; i++) times.records.push(i)
  reader.read(times)
  const natives = readInts(from.source, count)
  const spine: Spine[] = []
  let next = 0
  let tip = NO_ROW
  let nextId = 0
  for (let i = 0; i < count; i++) {
    const step = rows[i] as number
    const row = step === NONE ? NO_ROW : next + unfold(step - ROW)
    if (row !== NO_ROW) {
      next = row + 1
      tip = row
    }
    const tipStep = tips[i] as number
    if (tipStep !== LIKELY) tip = tipStep === NO_TIP ? NO_ROW : Math.max(tip, 0) + unfold(tipStep - TIP)
    const time = times.cells[i]
    if (time !== undefined && typeof time !== 'number') throw new RangeError('a time is no number')
    const how = natives[i] as number
    const native = how === ABSENT ? undefined : from.ids[how === NEXT ? nextId++ : how - FORMER]
    if (how !== ABSENT && native === undefined) throw new RangeError('a native id is not there')
    spine.push(spineWith(row, tip, time, native))
  }
  return spine
}

/** Gives a record without its content. */
export const spineOf = ({ row, tip, time, native }: Spine): Spine => spineWith(row, tip, time, native)

function spineWith(row: Row, tip: Row, time: number | undefined, native: string | undefined): Spine {
  if (time === undefined) return native === undefined ? { row, tip } : { row, tip, native }
  return native === undefined ? { row, tip, time } : { row, tip, time, native }
}

/** Gives what is known of records before their values. `numberOf` gives the number of a native id. */
export function factsOf(spine: readonly Spine[], numberOf: (native: string) => number | undefined): Facts {
  const times: (number | undefined)[] = []
  const bases: number[] = []
  const natives: (string | undefined)[] = []
  const anchors: number[] = []
  let anchor = 0
  for (const { time, native } of spine) {
    if (native !== undefined) anchor = numberOf(native) ?? anchor
    times.push(time)
    bases.push(baseOf(time))
    natives.push(native)
    anchors.push(anchor)
  }
  return { times, bases, natives, anchors }
}
