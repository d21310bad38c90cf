import type { Stored } from '../record.ts'
import { isFoldable } from './varint.ts'

/** What a value of a column is. The numbers are part of the format. */
export const KIND = {
  /** There is no value: a record without a time. */
  absent: 0,
  null: 1,
  false: 2,
  true: 3,
  /** An integer that `isFoldable` allows. */
  integer: 4,
  /** A number that few decimal digits spell. */
  decimal: 5,
  double: 6,
  text: 7,
  verbatim: 8,
  /** The record's time as `isosOf` spells it. */
  time: 9,
  /** The record's native id. */
  native: 10,
  /** Another time so spelled. */
  iso: 11,
  /** A text that is one of the segment's ids. */
  id: 12,
  blob: 13,
  list: 14,
  object: 15,
} as const

/** Gives the kinds that occur, in the order in which their cells are written. */
export function kindsOf(kinds: readonly number[]): number[] {
  const first = kinds[0] as number
  for (const kind of kinds) if (kind !== first) return [...new Set(kinds)].sort((a, b) => a - b)
  return [first]
}

/** How the objects of a column are kept: by their fields, each with a column of its own, or as keys and values. */
export const FIELDS = 0
export const PAIRS = 1

/** How the next text or id of a column is told: the one before it again, a new one, or from here on a known one. */
export const AGAIN = 0
export const NEW = 1
export const KNOWN = 2

/** A value of a column; undefined where there is none. */
export type Cell = Stored | undefined

/** What is known of the records before their values: cells that only repeat it cost next to nothing. */
export interface Facts {
  readonly times: readonly (number | undefined)[]
  /** The numbers from which the times and the numbers of a record are told. */
  readonly bases: readonly number[]
  readonly natives: readonly (string | undefined)[]
  /** The number of each record's native id, or of one near it. */
  readonly anchors: readonly number[]
}

/** The facts before any is known. */
export const NO_FACTS: Facts = { times: [], bases: [], natives: [], anchors: [] }

/** Gives a time as a number from which others can be told. */
export const baseOf = (time: number | undefined): number =>
  time !== undefined && isFoldable(time) ? time : 0

/**
 * The values that stand at one path in the records' values, and the columns of what is in them. Writer and reader
 * build the same tree in the same order: to each column first comes what shapes name, then what its parent holds.
 */
export class Column {
  cells: Cell[] = []
  /** For each cell the position of its record in the segment. */
  readonly records: number[] = []
  readonly fields = new Map<string, Column>()
  /** The index of the next cell to take of those that shapes name. */
  named = 0
  /** The index of the next cell to take of those that the parent holds. */
  held = 0
  #items: Column | undefined

  field(key: string): Column {
    let field = this.fields.get(key)
    if (!field) {
      field = new Column()
      this.fields.set(key, field)
    }
    return field
  }

  /** The elements of lists, and the values of objects that are kept as pairs. */
  get items(): Column {
    this.#items ??= new Column()
    return this.#items
  }

  /** The columns below it, in the order in which they are written. */
  below(): Column[] {
    return this.#items ? [...this.fields.values(), this.#items] : [...this.fields.values()]
  }
}

/** Gives the columns to which the values of records with a shape go, one for each place; none where it is no shape. */
export function columnsOf(root: Column, shape: string): Column[] {
  const columns: Column[] = []
  place(tryParse(shape), root, columns)
  return columns
}

function place(shape: unknown, column: Column, columns: Column[]): void {
  if (shape === 1) columns.push(column)
  else if (Array.isArray(shape)) for (const child of shape) place(child, column.items, columns)
  else if (typeof shape === 'object' && shape !== null)
    for (const [key, child] of Object.entries(shape)) place(child, column.field(key), columns)
}

function tryParse(shape: string): unknown {
  try {
    return JSON.parse(shape)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
