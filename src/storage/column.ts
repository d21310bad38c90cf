import type { Stored } from './record.ts'

/** What a value of a column is. The numbers are part of the format. */
export const KIND = {
  /** There is no value: a record without a native id or a time. */
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
  /** The record's time as ISO 8601 in UTC with milliseconds. */
  time: 9,
  /** The record's native id. */
  native: 10,
  /** Another time so spelled. */
  iso: 11,
  /** A text that the table of ids holds. */
  id: 12,
  blob: 13,
  list: 14,
  object: 15,
} as const

/** How the objects of a column are kept: by their keys, each with a column of its own, or as keys and values. */
export const FIELDS = 0
export const PAIRS = 1

/** How the next text or id of a column is told: the one before it again, a new one, or one that was there (plus 2). */
export const AGAIN = 0
export const NEW = 1
export const KNOWN = 2

/** A value of a column; undefined where there is none. */
export type Cell = Stored | undefined

/**
 * The values that stand at one path of the records' values, and the columns of what they hold. Writer and reader
 * build the same tree in the same order: first what shapes name, in order of records, then what the parent holds.
 */
export class Column {
  readonly cells: Cell[] = []
  /** For each cell the position of its record in the segment. */
  readonly records: number[] = []
  readonly fields = new Map<string, Column>()
  /** The cells that shapes name come first; this tells which of them is read next. */
  named = 0
  /** And this which of those that the parent holds. */
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

/** Gives the columns to which the values of a record with this shape go: all to the root where the two do not match. */
export function columnsOf(root: Column, shape: string, count: number): Column[] {
  const columns: Column[] = []
  walk(tryParse(shape), root, columns)
  return columns.length === count ? columns : new Array<Column>(count).fill(root)
}

function walk(shape: unknown, column: Column, columns: Column[]): void {
  if (shape === 1) columns.push(column)
  else if (Array.isArray(shape)) for (const child of shape) walk(child, column.items, columns)
  else if (typeof shape === 'object' && shape !== null)
    for (const [key, child] of Object.entries(shape)) walk(child, column.field(key), columns)
}

/** How many values a shape has a place for; none where it is no shape. */
export function placesOf(shape: string): number {
  const columns: Column[] = []
  walk(tryParse(shape), new Column(), columns)
  return columns.length
}

function tryParse(shape: string): unknown {
  try {
    return JSON.parse(shape)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
