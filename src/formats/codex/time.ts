import type { Json } from '../../model/json.ts'

const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/
/** The largest time that a JavaScript date holds. */
const LATEST = 8.64e15
/** Numbers below are seconds, above milliseconds: in seconds it is the year 5138, in milliseconds 1973. */
const SECONDS_END = 1e11

/**
 * Gives a time in milliseconds since 1970: of an ISO 8601 text (UTC where it names no zone), or of a number
 * in seconds or milliseconds. Undefined where the value is neither.
 */
export function timeOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number') {
    const time = Math.round(value < SECONDS_END ? value * 1000 : value)
    return time >= 0 && time <= LATEST ? time : undefined
  }
  if (typeof value !== 'string') return undefined
  const match = ISO.exec(value)
  if (!match) return undefined
  const time = Date.parse(match[1] ? value : `${value}Z`)
  return Number.isNaN(time) ? undefined : time
}
