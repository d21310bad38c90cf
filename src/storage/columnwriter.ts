import { BlobRef } from '../model/canonical.ts'
import { type Json, Verbatim } from '../model/json.ts'
import { AGAIN, type Cell, type Column, FIELDS, KIND, KNOWN, NEW, PAIRS } from './column.ts'
import { IdSink, isIdForm } from './ids.ts'
import { writeInts, writeNumbers } from './ints.ts'
import { isIso, isoOf, LAST_TIME } from './iso.ts'
import type { Stored } from './record.ts'
import { TextSink } from './texts.ts'
import { ByteSink, fold, isFoldable } from './varint.ts'

/** With at least this many keys, and fewer than so many objects a key, objects are kept as pairs. */
const MANY_KEYS = 8
const FEW_OBJECTS = 3

/** What cells may be told by: facts of their records. */
export interface Facts {
  readonly times: readonly (number | undefined)[]
  readonly natives: readonly (string | undefined)[]
}

/** Writes columns one behind the other. */
export class ColumnWriter {
  readonly sink = new ByteSink()
  readonly bytes = new ByteSink()
  readonly texts = new TextSink()
  readonly ids = new IdSink()
  /** How many cells were written. */
  cells = 0
  #facts: Facts = { times: [], natives: [] }
  #isos: (string | undefined)[] = []
  #anchors: number[] = []

  /** Tells the facts that further columns may refer to. */
  know(facts: Facts): void {
    this.#facts = facts
    this.#isos = facts.times.map((time) =>
      time !== undefined && Number.isInteger(time) && Math.abs(time) <= LAST_TIME ? isoOf(time) : undefined,
    )
    let anchor = 0
    this.#anchors = facts.natives.map((native) => {
      anchor = (native === undefined ? undefined : this.ids.numberOf(native)) ?? anchor
      return anchor
    })
  }

  write(column: Column): void {
    const { cells, records } = column
    this.cells += cells.length
    if (cells.length > 0) {
      const kinds = cells.map((cell, i) => this.#kindOf(cell, records[i] as number))
      writeInts(this.sink, kinds)
      for (const kind of [...new Set(kinds)].sort((a, b) => a - b)) {
        const chosen: number[] = []
        for (let i = 0; i < kinds.length; i++) if (kinds[i] === kind) chosen.push(i)
        this.#writeKind(kind, column, chosen)
      }
    }
    for (const child of column.below()) this.write(child)
  }

  #kindOf(cell: Cell, record: number): number {
    if (typeof cell === 'string') {
      if (cell === this.#facts.natives[record]) return KIND.native
      if (cell === this.#isos[record]) return KIND.time
      if (this.ids.numberOf(cell) !== undefined || isIdForm(cell)) return KIND.id
      return isIso(cell) ? KIND.iso : KIND.text
    }
    if (typeof cell === 'number')
      return isFoldable(cell) ? KIND.integer : decimal(cell) ? KIND.decimal : KIND.double
    if (typeof cell === 'boolean') return cell ? KIND.true : KIND.false
    if (cell === undefined) return KIND.absent
    if (cell === null) return KIND.null
    if (cell instanceof BlobRef) return KIND.blob
    if (cell instanceof Verbatim) return KIND.verbatim
    return Array.isArray(cell) ? KIND.list : KIND.object
  }

  #writeKind(kind: number, column: Column, chosen: readonly number[]): void {
    const cells = chosen.map((i) => column.cells[i])
    const record = (i: number): number => column.records[chosen[i] as number] as number
    const time = (i: number): number => baseOf(this.#facts.times[record(i)])
    const { sink } = this
    if (kind === KIND.integer) writeNumbers(sink, cells as number[], time)
    else if (kind === KIND.decimal) this.#writeDecimals(cells as number[])
    else if (kind === KIND.double)
      this.bytes.bytes(new Uint8Array(Float64Array.from(cells as number[]).buffer))
    else if (kind === KIND.text) this.#writeTexts(cells as string[])
    else if (kind === KIND.verbatim) this.#writeTexts((cells as Verbatim[]).map((cell) => cell.text))
    else if (kind === KIND.iso) writeNumbers(sink, (cells as string[]).map(Date.parse), time)
    else if (kind === KIND.id) this.#writeIds(cells as string[], record)
    else if (kind === KIND.blob) {
      writeNumbers(
        sink,
        (cells as BlobRef[]).map((cell) => cell.block),
        () => 0,
      )
      writeNumbers(
        sink,
        (cells as BlobRef[]).map((cell) => cell.index),
        () => 0,
      )
    } else if (kind === KIND.list) this.#writeLists(column, cells as (readonly Stored[])[], record)
    else if (kind === KIND.object) this.#writeObjects(column, cells as Record<string, Stored>[], record)
  }

  #writeDecimals(values: readonly number[]): void {
    const parts = values.map((value) => decimal(value) as Decimal)
    writeInts(
      this.sink,
      parts.map(({ places }) => places),
    )
    writeNumbers(
      this.sink,
      parts.map(({ digits }) => digits),
      () => 0,
    )
  }

  #writeTexts(texts: readonly string[]): void {
    const known = new Map<string, number>()
    const steps = texts.map((text, i) => {
      if (text === texts[i - 1]) return AGAIN
      const number = known.get(text)
      if (number !== undefined) return KNOWN + number
      known.set(text, known.size)
      return NEW
    })
    writeInts(this.sink, steps.slice(1))
    this.texts.add(this.sink, [...known.keys()])
  }

  #writeIds(ids: readonly string[], record: (i: number) => number): void {
    const steps = ids.map((id, i) => {
      if (i > 0 && id === ids[i - 1]) return AGAIN
      const number = this.ids.numberOf(id)
      if (number !== undefined) return KNOWN + fold((this.#anchors[record(i)] ?? 0) - number)
      this.ids.add(id)
      return NEW
    })
    writeInts(this.sink, steps)
  }

  #writeLists(column: Column, lists: readonly (readonly Stored[])[], record: (i: number) => number): void {
    writeInts(
      this.sink,
      lists.map((list) => list.length),
    )
    for (const [i, list] of lists.entries())
      for (const cell of list) {
        column.items.cells.push(cell)
        column.items.records.push(record(i))
      }
  }

  #writeObjects(
    column: Column,
    objects: readonly Record<string, Stored>[],
    record: (i: number) => number,
  ): void {
    const lists = objects.map((object) => Object.keys(object))
    const keys = [...new Set(lists.flat())]
    const total = lists.reduce((sum, list) => sum + list.length, 0)
    const pairs = keys.length >= MANY_KEYS && total < keys.length * FEW_OBJECTS
    this.sink.byte(pairs ? PAIRS : FIELDS)
    if (pairs) {
      writeInts(
        this.sink,
        lists.map((list) => list.length),
      )
      this.#writeTexts(lists.flat())
    } else this.#writeForms(keys, lists)
    for (const [i, list] of lists.entries())
      for (const key of list) {
        const child = pairs ? column.items : column.field(key)
        child.cells.push((objects[i] as Record<string, Stored>)[key])
        child.records.push(record(i))
      }
  }

  /** Writes the keys, the lists of them that occur, and which of the lists each object has. */
  #writeForms(keys: readonly string[], lists: readonly (readonly string[])[]): void {
    const numbers = new Map(keys.map((key, i) => [key, i]))
    const forms = new Map<string, { readonly number: number; readonly keys: readonly number[] }>()
    const formOf = (list: readonly string[]): number => {
      const form = list.map((key) => numbers.get(key) as number)
      const name = form.join()
      const known = forms.get(name)?.number ?? forms.size
      forms.set(name, { number: known, keys: form })
      return known
    }
    const chosen = lists.map(formOf)
    this.sink.varint(keys.length)
    this.texts.add(this.sink, keys)
    this.sink.varint(forms.size)
    for (const form of forms.values()) {
      this.sink.varint(form.keys.length)
      for (const [i, number] of form.keys.entries())
        this.sink.varint(fold(number - (i === 0 ? 0 : (form.keys[i - 1] as number) + 1)))
    }
    writeInts(this.sink, chosen)
  }
}

interface Decimal {
  readonly digits: number
  readonly places: number
}

/** Gives a number as an integer divided by a power of ten, where that gives exactly the number. */
function decimal(value: number): Decimal | undefined {
  const [, whole, fraction] = /^(-?\d+)\.(\d{1,22})$/.exec(String(value)) ?? []
  if (whole === undefined || fraction === undefined) return undefined
  const digits = Number(whole + fraction)
  return isFoldable(digits) && digits / 10 ** fraction.length === value
    ? { digits, places: fraction.length }
    : undefined
}

/** The number from which times of a record are told. */
export const baseOf = (time: number | undefined): number =>
  time !== undefined && isFoldable(time) ? time : 0
