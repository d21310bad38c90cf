import { type StoredHeader, storedHeader } from './spine.ts'
import type { StoredRecord } from './storedrecord.ts'

/** Records that stand together in a log. */
export interface StoredBatch {
  /** The position of the first. */
  readonly start: number
  /** What is told of them without their content. */
  readonly headers: readonly StoredHeader[]
  /** Gives the records: many times dearer than their spine, where they are asked for first. */
  readonly records: () => readonly StoredRecord[]
}

/** Gives records that are at hand as a stretch. */
export const storedBatch = (start: number, records: readonly StoredRecord[]): StoredBatch => ({
  start,
  headers: records.map(storedHeader),
  records: () => records,
})

/** Gives what of a stretch lies between two positions; undefined where that is nothing. */
export function slicedBatch(stretch: StoredBatch, from: number, to: number): StoredBatch | undefined {
  const { start, headers: spine } = stretch
  const [first, end] = [Math.max(0, from - start), Math.min(spine.length, to - start)]
  if (first >= end) return undefined
  if (first === 0 && end === spine.length) return stretch
  const records = (): readonly StoredRecord[] => stretch.records().slice(first, end)
  return { start: start + first, headers: spine.slice(first, end), records }
}
