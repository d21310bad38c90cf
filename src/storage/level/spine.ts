import type { StoredRecord } from './storedrecord.ts'

/** A record without its content. */
export type Spine = Pick<StoredRecord, 'row' | 'tip' | 'time' | 'native'>

/** Returns a record without its content. */
export function spineOf({ row, tip, time, native }: Spine): Spine {
  if (time === undefined) return native === undefined ? { row, tip } : { row, tip, native }
  return native === undefined ? { row, tip, time } : { row, tip, time, native }
}
