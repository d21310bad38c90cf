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
} from './column.ts'
import { valueOf } from './decimal.ts'
import { type Base, readConstant, readInts, readNumbers } from './ints.ts'
import { isosOf } from './iso.ts'
import type { TextSource } from './texts.ts'
import { type ByteSource, unfold } from './varint.ts'

/** What a ColumnWriter wrote. */
export interface Written {
  readonly source: ByteSource
  readonly bytes: ByteSource
  readonly texts: TextSource
  readonly ids: readonly string[]
  /** How many of the ids were there before any column. */
  readonly natives: number
  /** Throws a RangeError where so many more values are absurd. */
  readonly spend: (count: number) => void
}

/** The cells of one kind, and what fills them with their parts once the columns below are read. */
interface Read {
  readonly cells: readonly Cell[]
  readonly fill?: () => void
}

/** Reads columns in the order in which they were written. */
export class ColumnReader {
  readonly #from: Written
  #facts = NO_FACTS
  #nextId: number

  constructor(from: Written) {
    this.#from = from
    this.#nextId = from.natives
  }

  /** Tells the facts to which the columns that follow may refer. */
  know(facts: Facts): void {
    this.#facts = facts
  }

  /** Fills the cells of a column whose records are known, and of all columns below it. */
  read(column: Column): void {
    const fills = column.records.length > 0 ? this.#readKinds(column) : []
    for (const child of column.below()) this.read(child)
    for (const fill of fills) fill()
  }

  #readKinds(column: Column): (() => void)[] {
    const { records } = column
    const only = readConstant(this.#from.source)
    if (only !== undefined) {
      const { cells, fill } = this.#readCells(only, column, records)
      column.cells = cells as Cell[]
      return fill ? [fill] : []
    }
    const kinds = readInts(this.#from.source, records.length)
    const distinct = kindsOf(kinds)
    const fills: (() => void)[] = []
    if (distinct.length > 1) column.cells = times(records.length, undefined)
    for (const kind of distinct) {
      const mine = distinct.length === 1 ? records : records.filter((_, i) => kinds[i] === kind)
      const { cells, fill } = this.#readCells(kind, column, mine)
      if (fill) fills.push(fill)
      if (distinct.length === 1) column.cells = cells as Cell[]
      else
        for (let i = 0, next = 0; i < kinds.length; i++)
          if (kinds[i] === kind) column.cells[i] = cells[next++]
    }
    return fills
  }

  #readCells(kind: number, column: Column, records: readonly number[]): Read {
    const { source } = this.#from
    const { bases, natives, times: known } = this.#facts
    const count = records.length
    const time: Base = (i) => bases[records[i] as number] ?? 0
    switch (kind) {
      case KIND.absent:
        return { cells: times(count, undefined) }
      case KIND.null:
        return { cells: times(count, null) }
      case KIND.false:
      case KIND.true:
        return { cells: times(count, kind === KIND.true) }
      case KIND.integer:
        return { cells: readNumbers(source, count, time) }
      case KIND.decimal:
        return { cells: this.#readDecimals(count) }
      case KIND.double:
        return { cells: this.#readDoubles(count) }
      case KIND.text:
        return { cells: this.#readTexts(count) }
      case KIND.verbatim:
        return { cells: this.#readTexts(count).map((text) => new Verbatim(text)) }
      case KIND.time:
        return { cells: isosOf(at(known, records)) }
      case KIND.native:
        return { cells: at(natives, records) }
      case KIND.iso:
        return { cells: isosOf(readNumbers(source, count, time)) }
      case KIND.id:
        return { cells: this.#readIds(records) }
      case KIND.blob:
        return { cells: this.#readBlobs(count) }
      case KIND.list:
        return this.#readLists(column.items, records)
      case KIND.object:
        return source.byte() === FIELDS
          ? this.#readFields(column, records)
          : this.#readPairs(column.items, records)
      default:
        throw new RangeError('a value is of no known kind')
    }
  }

  #readDecimals(count: number): number[] {
    const places = readInts(this.#from.source, count)
    const digits = readNumbers(this.#from.source, count)
    return digits.map((number, i) => valueOf({ digits: number, places: places[i] as number }))
  }

  #readDoubles(count: number): number[] {
    const bytes = this.#from.bytes.bytes(8 * count)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    return Array.from({ length: count }, (_, i) => view.getFloat64(8 * i, true))
  }

  #readBlobs(count: number): BlobRef[] {
    const blocks = readNumbers(this.#from.source, count)
    const indexes = readNumbers(this.#from.source, count)
    return blocks.map((block, i) => new BlobRef(block, indexes[i] as number))
  }

  #readTexts(count: number): string[] {
    const steps = readInts(this.#from.source, count - 1)
    let size = 1
    for (const step of steps) if (step === NEW) size++
    const known = this.#from.texts.take(this.#from.source, size)
    let text = known[0]
    let next = 1
    const texts = [text as string]
    for (const step of steps) {
      if (step !== AGAIN) text = step === NEW ? known[next++] : known[step - KNOWN]
      if (text === undefined) throw new RangeError('a text is not there')
      texts.push(text)
    }
    return texts
  }

  #readIds(records: readonly number[]): string[] {
    const { ids, source } = this.#from
    const { anchors } = this.#facts
    const steps = readInts(source, records.length)
    const told: string[] = []
    let id: string | undefined
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i] as number
      if (step === NEW) id = ids[this.#nextId++]
      else if (step !== AGAIN) id = ids[(anchors[records[i] as number] ?? 0) - unfold(step - KNOWN)]
      if (id === undefined) throw new RangeError('an id is not there')
      told.push(id)
    }
    return told
  }

  #readLists(items: Column, records: readonly number[]): Read {
    const lengths = readInts(this.#from.source, records.length)
    this.#hold(items, lengths, records)
    const lists: Stored[][] = []
    while (lists.length < lengths.length) lists.push([])
    const fill = (): void => {
      for (let i = 0; i < lists.length; i++)
        for (let left = lengths[i] as number; left > 0; left--)
          lists[i]?.push(items.cells[items.held++] as Stored)
    }
    return { cells: lists, fill }
  }

  /** Tells a column how many cells the records hold in it. */
  #hold(column: Column, sizes: readonly number[], records: readonly number[]): number {
    let total = 0
    for (const size of sizes) total += size
    this.#from.spend(total)
    for (let i = 0; i < sizes.length; i++)
      for (let left = sizes[i] as number; left > 0; left--) column.records.push(records[i] as number)
    return total
  }

  #readFields(column: Column, records: readonly number[]): Read {
    const { source, texts, spend } = this.#from
    const size = source.varint()
    spend(size)
    const keys = texts.take(source, size)
    if (keys.includes('__proto__')) throw new RangeError('an object has the key __proto__')
    const columns = keys.map((key) => column.field(key))
    const forms = this.#readForms(size)
    const chosen: (readonly number[])[] = []
    let total = 0
    for (const number of readInts(source, records.length)) {
      const form = forms[number]
      if (!form) throw new RangeError('a list of keys is not there')
      chosen.push(form)
      total += form.length
    }
    spend(total)
    for (let i = 0; i < chosen.length; i++)
      for (const number of chosen[i] as readonly number[]) columns[number]?.records.push(records[i] as number)
    const objects = emptyObjects(chosen.length)
    const fill = (): void => {
      for (let i = 0; i < objects.length; i++) {
        const object = objects[i] as Record<string, Stored>
        for (const number of chosen[i] as readonly number[]) {
          const from = columns[number] as Column
          object[keys[number] as string] = from.cells[from.held++] as Stored
        }
      }
    }
    return { cells: objects, fill }
  }

  /** Reads lists of the numbers of keys. */
  #readForms(size: number): number[][] {
    const { source } = this.#from
    const forms: number[][] = []
    for (let left = source.varint(); left > 0; left--) {
      const form: number[] = []
      let next = 0
      for (let more = source.varint(); more > 0; more--) {
        const number = next + unfold(source.varint())
        if (number < 0 || number >= size) throw new RangeError('a key is not there')
        form.push(number)
        next = number + 1
      }
      forms.push(form)
    }
    return forms
  }

  #readPairs(items: Column, records: readonly number[]): Read {
    const sizes = readInts(this.#from.source, records.length)
    const total = this.#hold(items, sizes, records)
    const keys = this.#readTexts(total)
    if (keys.includes('__proto__')) throw new RangeError('an object has the key __proto__')
    const objects = emptyObjects(sizes.length)
    const fill = (): void => {
      let next = 0
      for (let i = 0; i < objects.length; i++)
        for (let left = sizes[i] as number; left > 0; left--)
          (objects[i] as Record<string, Stored>)[keys[next++] as string] = items.cells[items.held++] as Stored
    }
    return { cells: objects, fill }
  }
}

/** Gives a list of so many times a value. */
function times<T>(count: number, value: T): T[] {
  const list: T[] = []
  while (list.length < count) list.push(value)
  return list
}

function emptyObjects(count: number): Record<string, Stored>[] {
  const objects: Record<string, Stored>[] = []
  while (objects.length < count) objects.push({})
  return objects
}

/** Gives what stands at some places of a list. */
function at<T>(list: readonly T[], places: readonly number[]): T[] {
  const found: T[] = []
  for (const place of places) found.push(list[place] as T)
  return found
}
