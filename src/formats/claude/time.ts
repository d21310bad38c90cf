import type { JsonObject } from '../../model/json.ts'
import { millis } from '../hints.ts'
import { textAt } from './look.ts'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/**
 * Gives when a record says that it was written, in milliseconds since 1970; undefined where it does not say.
 */
export function timeOf(record: JsonObject): number | undefined {
  if (typeof record.timestamp === 'number') return millis(record.timestamp)
  const text = textAt(record, 'timestamp')
  if (text === undefined || !ISO.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}
