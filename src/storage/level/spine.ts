import type { StoredRecord } from './storedrecord.ts'

/** A record without its content. */
export type StoredHeader = Pick<StoredRecord, 'row' | 'tip' | 'time' | 'native'>

/** Returns a record without its content. */
export function storedHeader({ row, tip, time, native }: StoredHeader): StoredHeader {
  if (time === undefined) return native === undefined ? { row, tip } : { row, tip, native }
  return native === undefined ? { row, tip, time } : { row, tip, time, native }
}
