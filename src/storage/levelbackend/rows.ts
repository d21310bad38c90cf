import type { EntryHandle } from '../../model/node.ts'
import { numberAt } from './keys.ts'

/**
 * The number under which a backend keeps an entry: local to one store, in no hash, shown to nobody. The parents of
 * an entry have smaller rows than the entry.
 */
export type Row = number

/** The absence of a row. */
export const NO_ROW: Row = -1

/** Returns the handle of the entry with a row: above storage, a row is opaque. */
export const handleOf = (row: Row): EntryHandle => row as EntryHandle

/** Returns the handle of the entry with a row, or undefined for NO_ROW. */
export const optionalHandle = (row: Row): EntryHandle | undefined =>
  row === NO_ROW ? undefined : handleOf(row)

export const rowOf = (entry: EntryHandle): Row => entry as Row

/** Returns the row of a handle, or NO_ROW for none. */
export const optionalRow = (entry: EntryHandle | undefined): Row =>
  entry === undefined ? NO_ROW : rowOf(entry)

export const handlesOf = (rows: readonly Row[]): readonly EntryHandle[] => rows as readonly EntryHandle[]

export const rowsOf = (entries: readonly EntryHandle[]): readonly Row[] => entries as readonly Row[]

/**
 * Bytes of a row in the index of oids where a key has several rows. A single row takes only the bytes that it needs.
 */
const ROW_BYTES = 6

/** Decodes a value of the index of oids. */
export function decodeRows(value: Uint8Array): Row[] {
  if (value.length > 0 && value.length < ROW_BYTES) return [numberAt(value, 0, value.length)]
  const rows: Row[] = []
  for (let at = 0; at + ROW_BYTES <= value.length; at += ROW_BYTES) rows.push(numberAt(value, at, ROW_BYTES))
  return rows
}

/** Returns a value of the index of oids with one more row: entries whose oids begin alike share a key. */
export function addRow(value: Uint8Array | undefined, row: Row): Uint8Array {
  const before = value ? decodeRows(value) : []
  const width = before.length === 0 ? widthOf(row) : ROW_BYTES
  // From the pool: passing a small array of its own to LevelDB would make the engine allocate a buffer for it.
  const next = Buffer.allocUnsafe(width * (before.length + 1))
  for (let i = 0; i < before.length; i++) writeRow(next, i * width, width, before[i] as Row)
  writeRow(next, before.length * width, width, row)
  return next
}

function widthOf(row: Row): number {
  let width = 1
  for (let end = 256; row >= end; end *= 256) width++
  return width
}

function writeRow(into: Uint8Array, from: number, width: number, row: Row): void {
  let rest = row
  for (let at = from + width - 1; at >= from; at--) {
    into[at] = rest % 256
    rest = Math.floor(rest / 256)
  }
}

/** Links as rows. */
export interface RowLinks {
  readonly firstKept?: Row
  readonly kept?: readonly Row[]
  readonly target?: Row
}
