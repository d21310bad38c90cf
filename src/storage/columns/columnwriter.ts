import { BlobRef } from '../../model/canonical.ts'
import { Verbatim } from '../../model/json.ts'
import type { Stored } from '../record.ts'
import {
  AGAIN,
  type Cell,
  type Column,
  type Facts,
  FIELDS,
  KIND,
  KNOWN,
  kindsOf,
  NEW,
  NO_FACTS,
  PAIRS,
} from './column.ts'
import { type Decimal, decimalOf } from './decimal.ts'
import { IdSink, isIdForm } from './ids.ts'
import { type Base, writeInts, writeNumbers } from './ints.ts'
import { isosOf, isSpellable, mayBeIso, parseIso } from './iso.ts'
import { TextSink } from './texts.ts'
import { ByteSink, fold, isFoldable } from './varint.ts'

/** Objects with at least so many keys, of which each has fewer than so many values, are kept as pairs. */
const MANY_KEYS = 8
const FEW_VALUES = 3

type StoredObject = Readonly<Record<string, Stored>>

/** Writes columns one behind the other. */
export class ColumnWriter {
  /** Everything but the following. */
  readonly sink = new ByteSink()
  /** Doubles and raw bytes. */
  readonly bytes = new ByteSink()
  readonly texts = new TextSink()
  readonly ids = new IdSink()
  /** How many cells and keys were written. */
  size = 0
  #facts = NO_FACTS
  /** The texts of the records' times, once a text may be one. */
  #isos: readonly (string | undefined)[] | undefined

  /** Tells the facts to which the columns that follow may refer. */
  know(facts: Facts): void {
    this.#facts = facts
    this.#isos = undefined
  }

  /** Writes a column and all columns below it. */
  write(column: Column): void {
    const { cells, records } = column
    this.size += cells.length
    if (cells.length > 0) {
      const kinds = cells.map((cell, i) => this.#kindOf(cell, records[i] as number))
      writeInts(this.sink, kinds)
      const distinct = kindsOf(kinds)
      if (distinct.length === 1) this.#writeCells(distinct[0] as number, column, cells, records)
      else
        for (const kind of distinct)
          this.#writeCells(
            kind,
            column,
            cells.filter((_, i) => kinds[i] === kind),
            records.filter((_, i) => kinds[i] === kind),
          )
    }
    for (const child of column.below()) this.write(child)
  }

  #kindOf(cell: Cell, record: number): number {
    if (typeof cell === 'string') {
      if (cell === this.#facts.natives[record]) return KIND.native
      if (mayBeIso(cell) && cell === this.#isoOf(record)) return KIND.time
      if (this.ids.numberOf(cell) !== undefined || isIdForm(cell)) return KIND.id
      return parseIso(cell) === undefined ? KIND.text : KIND.iso
    }
    if (typeof cell === 'number')
      return isFoldable(cell) ? KIND.integer : decimalOf(cell) ? KIND.decimal : KIND.double
    if (typeof cell === 'boolean') return cell ? KIND.true : KIND.false
    if (cell === undefined) return KIND.absent
    if (cell === null) return KIND.null
    if (cell instanceof BlobRef) return KIND.blob
    if (cell instanceof Verbatim) return KIND.verbatim
    return Array.isArray(cell) ? KIND.list : KIND.object
  }

  #isoOf(record: number): string | undefined {
    this.#isos ??= spelled(this.#facts.times)
    return this.#isos[record]
  }

  #writeCells(kind: number, column: Column, cells: readonly Cell[], records: readonly number[]): void {
    const time: Base = (i) => this.#facts.bases[records[i] as number] ?? 0
    switch (kind) {
      case KIND.integer:
        return writeNumbers(this.sink, cells as number[], time)
      case KIND.decimal:
        return this.#writeDecimals(cells as number[])
      case KIND.double:
        return this.#writeDoubles(cells as number[])
      case KIND.text:
        return this.#writeTexts(cells as string[])
      case KIND.verbatim:
        return this.#writeTexts((cells as Verbatim[]).map(({ text }) => text))
      case KIND.iso:
        return writeNumbers(this.sink, (cells as string[]).map(Date.parse), time)
      case KIND.id:
        return this.#writeIds(cells as string[], records)
      case KIND.blob:
        return this.#writeBlobs(cells as BlobRef[])
      case KIND.list:
        return this.#writeLists(column.items, cells as (readonly Stored[])[], records)
      case KIND.object:
        return this.#writeObjects(column, cells as StoredObject[], records)
    }
  }

  #writeDecimals(values: readonly number[]): void {
    const decimals = values.map((value) => decimalOf(value) as Decimal)
    const places = decimals.map((decimal) => decimal.places)
    const digits = decimals.map((decimal) => decimal.digits)
    writeInts(this.sink, places)
    writeNumbers(this.sink, digits)
  }

  #writeDoubles(values: readonly number[]): void {
    const bytes = new DataView(new ArrayBuffer(8 * values.length))
    for (const [i, value] of values.entries()) bytes.setFloat64(8 * i, value, true)
    this.bytes.bytes(new Uint8Array(bytes.buffer))
  }

  #writeBlobs(blobs: readonly BlobRef[]): void {
    const blocks = blobs.map(({ block }) => block)
    const indexes = blobs.map(({ index }) => index)
    if (![...blocks, ...indexes].every(isFoldable)) throw new RangeError('a place of a blob is no integer')
    writeNumbers(this.sink, blocks)
    writeNumbers(this.sink, indexes)
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

  #writeIds(ids: readonly string[], records: readonly number[]): void {
    const steps = ids.map((id, i) => {
      if (id === ids[i - 1]) return AGAIN
      const number = this.ids.numberOf(id)
      if (number !== undefined) return KNOWN + fold((this.#facts.anchors[records[i] as number] ?? 0) - number)
      this.ids.add(id)
      return NEW
    })
    writeInts(this.sink, steps)
  }

  #writeLists(items: Column, lists: readonly (readonly Stored[])[], records: readonly number[]): void {
    const lengths = lists.map((list) => list.length)
    writeInts(this.sink, lengths)
    for (const [i, list] of lists.entries()) for (const cell of list) hold(items, cell, records[i] as number)
  }

  #writeObjects(column: Column, objects: readonly StoredObject[], records: readonly number[]): void {
    const forms = objects.map((object) => Object.keys(object))
    const { distinct, chosen } = numbered(forms)
    const keys = [...new Set(distinct.flat())]
    if (keys.includes('__proto__')) throw new RangeError('an object has the key __proto__')
    const total = forms.reduce((sum, form) => sum + form.length, 0)
    const pairs = keys.length >= MANY_KEYS && total < keys.length * FEW_VALUES
    this.sink.byte(pairs ? PAIRS : FIELDS)
    if (pairs) {
      const sizes = forms.map((form) => form.length)
      writeInts(this.sink, sizes)
      this.#writeTexts(forms.flat())
    } else {
      this.#writeForms(keys, distinct)
      writeInts(this.sink, chosen)
    }
    for (let i = 0; i < forms.length; i++)
      for (const key of forms[i] as string[])
        hold(pairs ? column.items : column.field(key), objects[i]?.[key], records[i] as number)
  }

  /** Writes keys, and lists of them as steps from the key after the one before. */
  #writeForms(keys: readonly string[], forms: readonly (readonly string[])[]): void {
    const numbers = new Map(keys.map((key, i) => [key, i]))
    this.size += keys.length
    this.sink.varint(keys.length)
    this.texts.add(this.sink, keys)
    this.sink.varint(forms.length)
    for (const form of forms) {
      this.sink.varint(form.length)
      let next = 0
      for (const key of form) {
        const number = numbers.get(key) as number
        this.sink.varint(fold(number - next))
        next = number + 1
      }
    }
  }
}

/** Gives the distinct lists of keys, and for each list which of them it is. */
function numbered(forms: readonly (readonly string[])[]): {
  distinct: (readonly string[])[]
  chosen: number[]
} {
  const distinct: (readonly string[])[] = []
  const numbers = new Map<string, number>()
  let last: readonly string[] | undefined
  let number = -1
  const chosen = forms.map((form) => {
    if (last?.length !== form.length || form.some((key, i) => key !== last?.[i])) {
      const name = JSON.stringify(form)
      number = numbers.get(name) ?? numbers.size
      if (number === numbers.size) {
        numbers.set(name, number)
        distinct.push(form)
      }
      last = form
    }
    return number
  })
  return { distinct, chosen }
}

function hold(column: Column, cell: Cell, record: number): void {
  column.cells.push(cell)
  column.records.push(record)
}

/** Gives times as `isosOf` spells them; undefined for those that it does not spell. */
function spelled(times: Facts['times']): (string | undefined)[] {
  const isos = isosOf(times.filter((time) => isSpellable(time)))
  let next = 0
  return times.map((time) => (isSpellable(time) ? isos[next++] : undefined))
}
