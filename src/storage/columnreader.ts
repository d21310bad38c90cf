import { BlobRef } from '../model/canonical.ts'
import { Verbatim } from '../model/json.ts'
import { AGAIN, type Cell, type Column, FIELDS, KIND, KNOWN, NEW } from './column.ts'
import { readInts, readNumbers } from './ints.ts'
import { isoOf } from './iso.ts'
import type { Stored } from './record.ts'
import type { TextSource } from './texts.ts'
import { type ByteSource, unfold } from './varint.ts'

/** What a ColumnWriter wrote, and the facts that it knew. */
export interface Written {
  readonly source: ByteSource
  readonly bytes: ByteSource
  readonly texts: TextSource
  readonly ids: readonly string[]
  /** How many of the ids were written before any column. */
  readonly fresh: number
  /** Throws a RangeError where so many more cells are absurd. */
  readonly spend: (count: number) => void
  readonly times: readonly (number | undefined)[]
  readonly natives: readonly (string | undefined)[]
  readonly anchors: readonly number[]
}

/** Reads columns in the order in which they were written. */
export class ColumnReader {
  readonly #from: Written
  #fresh: number

  constructor(from: Written) {
    this.#from = from
    this.#fresh = from.fresh
  }

  /** Fills the cells of a column whose records are known, and all columns below it. */
  read(column: Column): void {
    const count = column.records.length
    const lists: (() => void)[] = []
    if (count > 0) {
      this.#from.spend(count)
      const kinds = readInts(this.#from.source, count)
      for (let i = 0; i < count; i++) column.cells.push(undefined)
      for (const kind of [...new Set(kinds)].sort((a, b) => a - b)) {
        const chosen: number[] = []
        for (let i = 0; i < count; i++) if (kinds[i] === kind) chosen.push(i)
        const later = this.#readKind(kind, column, chosen)
        if (later) lists.push(later)
      }
    }
    for (const child of column.below()) this.read(child)
    for (const later of lists) later()
  }

  #readKind(kind: number, column: Column, chosen: readonly number[]): undefined | (() => void) {
    const { source } = this.#from
    const count = chosen.length
    const { cells, records } = column
    const put = (values: readonly Cell[]): void => {
      for (let i = 0; i < count; i++) cells[chosen[i] as number] = values[i]
    }
    const record = (i: number): number => records[chosen[i] as number] as number
    const time = (i: number): number => this.#from.times[record(i)] ?? 0
    const zero = (): number => 0
    switch (kind) {
      case KIND.absent:
        return
      case KIND.null:
      case KIND.false:
      case KIND.true: {
        const value = kind === KIND.null ? null : kind === KIND.true
        for (const i of chosen) cells[i] = value
        return
      }
      case KIND.integer:
        put(readNumbers(source, count, time))
        return
      case KIND.decimal: {
        const places = readInts(source, count)
        const digits = readNumbers(source, count, zero)
        for (let i = 0; i < count; i++)
          cells[chosen[i] as number] = (digits[i] as number) / 10 ** (places[i] as number)
        return
      }
      case KIND.double: {
        const bytes = this.#from.bytes.bytes(8 * count)
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
        for (let i = 0; i < count; i++) cells[chosen[i] as number] = view.getFloat64(8 * i, true)
        return
      }
      case KIND.text:
        put(this.#readTexts(count))
        return
      case KIND.verbatim: {
        const texts = this.#readTexts(count)
        for (let i = 0; i < count; i++) cells[chosen[i] as number] = new Verbatim(texts[i] as string)
        return
      }
      case KIND.time:
        for (const i of chosen) cells[i] = isoOf(this.#from.times[records[i] as number] ?? 0)
        return
      case KIND.native:
        for (const i of chosen) cells[i] = this.#from.natives[records[i] as number]
        return
      case KIND.iso:
        put(readNumbers(source, count, time).map(isoOf))
        return
      case KIND.id:
        put(this.#readIds(count, record))
        return
      case KIND.blob: {
        const blocks = readNumbers(source, count, zero)
        const indexes = readNumbers(source, count, zero)
        for (let i = 0; i < count; i++)
          cells[chosen[i] as number] = new BlobRef(blocks[i] as number, indexes[i] as number)
        return
      }
      case KIND.list:
        return this.#readLists(column, chosen)
      case KIND.object:
        return this.#readObjects(column, chosen)
      default:
        throw new RangeError('a value has no known kind')
    }
  }

  #readTexts(count: number): string[] {
    const steps = readInts(this.#from.source, count - 1)
    let size = 1
    for (const step of steps) if (step === NEW) size++
    const known = this.#from.texts.take(this.#from.source, size)
    let text = known[0] as string
    const texts = [text]
    let next = 1
    for (const step of steps) {
      if (step !== AGAIN) text = (step === NEW ? known[next++] : known[step - KNOWN]) as string
      texts.push(text)
    }
    return texts
  }

  #readIds(count: number, record: (i: number) => number): string[] {
    const { ids, anchors } = this.#from
    const found: string[] = []
    let id: string | undefined
    for (const [i, step] of readInts(this.#from.source, count).entries()) {
      if (step === NEW) id = ids[this.#fresh++]
      else if (step !== AGAIN) id = ids[(anchors[record(i)] ?? 0) - unfold(step - KNOWN)]
      if (id === undefined) throw new RangeError('an id is not there')
      found.push(id)
    }
    return found
  }

  #readLists(column: Column, chosen: readonly number[]): () => void {
    const lengths = readInts(this.#from.source, chosen.length)
    const { items } = column
    for (const [i, length] of lengths.entries())
      this.#hold(items, length, column.records[chosen[i] as number] as number)
    return () => {
      for (const [i, length] of lengths.entries()) {
        column.cells[chosen[i] as number] = items.cells.slice(items.held, items.held + length) as Stored[]
        items.held += length
      }
    }
  }

  #hold(column: Column, count: number, record: number): void {
    this.#from.spend(count)
    for (let i = 0; i < count; i++) column.records.push(record)
  }

  #readObjects(column: Column, chosen: readonly number[]): () => void {
    return this.#from.source.byte() === FIELDS
      ? this.#readFields(column, chosen)
      : this.#readPairs(column, chosen)
  }

  #readFields(column: Column, chosen: readonly number[]): () => void {
    const { source, texts, spend } = this.#from
    const size = source.varint()
    spend(size)
    const keys = texts.take(source, size)
    const columns = keys.map((key) => column.field(key))
    const forms: number[][] = []
    for (let left = source.varint(); left > 0; left--) {
      const form: number[] = []
      for (let length = source.varint(); length > 0; length--) {
        const number = (form.length === 0 ? 0 : (form.at(-1) as number) + 1) + unfold(source.varint())
        if (keys[number] === undefined) throw new RangeError('a key is not there')
        form.push(number)
      }
      forms.push(form)
    }
    const used = readInts(source, chosen.length).map((number) => {
      const form = forms[number]
      if (!form) throw new RangeError('a list of keys is not there')
      return form
    })
    for (const [i, form] of used.entries()) {
      const record = column.records[chosen[i] as number] as number
      for (const number of form) (columns[number] as Column).records.push(record)
    }
    return () => {
      for (const [i, form] of used.entries()) {
        const object: Record<string, Stored> = {}
        for (const number of form) {
          const child = columns[number] as Column
          object[keys[number] as string] = child.cells[child.held++] as Stored
        }
        column.cells[chosen[i] as number] = object
      }
    }
  }

  #readPairs(column: Column, chosen: readonly number[]): () => void {
    const lengths = readInts(this.#from.source, chosen.length)
    const { items } = column
    let total = 0
    for (const [i, length] of lengths.entries()) {
      this.#hold(items, length, column.records[chosen[i] as number] as number)
      total += length
    }
    const keys = this.#readTexts(total)
    let next = 0
    return () => {
      for (const [i, length] of lengths.entries()) {
        const object: Record<string, Stored> = {}
        for (let n = 0; n < length; n++) object[keys[next++] as string] = items.cells[items.held++] as Stored
        column.cells[chosen[i] as number] = object
      }
    }
  }
}
