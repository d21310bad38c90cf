import type { StoredRecord } from './storedrecord.ts'
import { type Spine, spineOf } from './spine.ts'

/** Records that stand together in a log. */
export interface Stretch {
  /** The position of the first. */
  readonly start: number
  /** What is told of them without their content. */
  readonly spine: readonly Spine[]
  /** Gives the records: many times dearer than their spine, where they are asked for first. */
  readonly records: () => readonly StoredRecord[]
}

/** Gives records that are at hand as a stretch. */
export const stretchOf = (start: number, records: readonly StoredRecord[]): Stretch => ({
  start,
  spine: records.map(spineOf),
  records: () => records,
})

/** Gives what of a stretch lies between two positions; undefined where that is nothing. */
export function within(stretch: Stretch, from: number, to: number): Stretch | undefined {
  const { start, spine } = stretch
  const [first, end] = [Math.max(0, from - start), Math.min(spine.length, to - start)]
  if (first >= end) return undefined
  if (first === 0 && end === spine.length) return stretch
  const records = (): readonly StoredRecord[] => stretch.records().slice(first, end)
  return { start: start + first, spine: spine.slice(first, end), records }
}
