import { asString, field, type Json } from '../../model/json.ts'

/**
 * Gives when a record was written, in milliseconds since 1970: by its own time, else by that of its message.
 * Undefined where neither holds one.
 */
export const timeOf = (record: Json): number | undefined =>
  millis(field(record, 'timestamp')) ?? millis(field(field(record, 'message'), 'timestamp'))

/** Gives the milliseconds since 1970 that a number or an ISO date holds, or undefined where it holds none. */
export function millis(time: Json | undefined): number | undefined {
  const value = typeof time === 'number' ? time : Date.parse(asString(time) ?? '')
  return Number.isFinite(value) ? value : undefined
}
