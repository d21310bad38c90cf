const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MONTH = 30 * DAY

/** How many milliseconds each unit of a duration has. */
export const UNITS = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY, y: 365 * DAY } as const

/** Returns the offset of local time to UTC in minutes, at a time. */
export type Zone = (time: number) => number

const AGO =
  /^(\d{1,9}(?:\.\d{1,9})?)[ .]?(s|m|h|d|w|y|sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?|days?|weeks?|mo(?:nths?)?|years?)(?:[ .]ago)?$/
const DATE =
  /^(\d{4}-\d\d(?:-\d\d)?)(?:(?<=-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/i

/** Days that have names, by how many days they are before today. */
const NAMED: ReadonlyMap<string, number> = new Map([
  ['today', 0],
  ['yesterday', 1],
])

/**
 * Parses a time as people type it. Returns milliseconds since 1970; undefined where the text is no time. It is a duration
 * before `now` (`90s` `30m` `12h` `3d` `2w` `1y`, in words too, `ago` may follow), or `now`, or the beginning of `today`, of
 * `yesterday`, of a day (`2026-04-01`) or a month (`2026-04`), or a time of ISO 8601 (`2026-04-01T12:00`). What names
 * no zone is local time, by default UTC.
 */
export function parseTime(text: string, now: number, zone: Zone = () => 0): number | undefined {
  const asked = text.trim()
  const lower = asked.toLowerCase()
  if (lower === 'now') return now
  const [, count, unit] = AGO.exec(lower) ?? []
  if (unit !== undefined) return now - Math.round(Number(count) * lengthOf(unit))
  const days = NAMED.get(lower)
  if (days !== undefined) {
    const local = now + zone(now) * MINUTE
    return inZone(local - (local % DAY) - days * DAY, zone)
  }
  return parseDate(asked, zone)
}

/** Returns how many milliseconds a unit has, by its letter or in words. */
const lengthOf = (unit: string): number =>
  unit.startsWith('mo') ? MONTH : UNITS[unit.charAt(0) as keyof typeof UNITS]

function parseDate(text: string, zone: Zone): number | undefined {
  const [match, day = '', clock = '00:00', offset = ''] = DATE.exec(text) ?? []
  if (match === undefined) return undefined
  const midnight = Date.parse(`${day}T00:00Z`)
  // A day that its month does not have would pass for one of the next month.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined
  if (offset === '') {
    const local = Date.parse(`${day.padEnd(10, '-01')}T${clock}Z`)
    return Number.isNaN(local) ? undefined : inZone(local, zone)
  }
  const time = Date.parse(`${day}T${clock}${offset.toUpperCase().replace(/^(.\d\d):?(\d\d)$/, '$1:$2')}`)
  return Number.isNaN(time) ? undefined : time
}

/** Returns the time at which clocks of a zone show a given local time. */
function inZone(local: number, zone: Zone): number {
  const near = local - zone(local) * MINUTE
  // Near a change of the clocks the zone at the local time is not the one that holds.
  return local - zone(near) * MINUTE
}

/** The largest time that a date can hold, in milliseconds from 1970. */
const LAST = 8.64e15

/** Returns a time in milliseconds since 1970 as ISO 8601 in UTC with milliseconds, or null if it is unknown. */
export const iso = (time: number | null | undefined): string | null =>
  typeof time === 'number' && Math.abs(time) <= LAST ? new Date(time).toISOString() : null
