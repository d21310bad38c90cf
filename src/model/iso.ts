/** The largest time that a date can hold, in milliseconds from 1970. */
const LAST = 8.64e15

/** Returns a time in milliseconds since 1970 as ISO 8601 in UTC with milliseconds, or null if it is unknown. */
export const iso = (time: number | null | undefined): string | null =>
  typeof time === 'number' && Math.abs(time) <= LAST ? new Date(time).toISOString() : null
