import { UNITS, type Zone } from '../model/time.ts'
import { counted } from './text.ts'

/** Returns a local time to the minute; a dash if it is unknown. */
export function minute(iso: string | null, zone: Zone): string {
  if (iso === null) return '-'.padEnd(16)
  return local(Date.parse(iso), zone).slice(0, 16).replace('T', ' ')
}

const local = (time: number, zone: Zone): string => new Date(time + zone(time) * UNITS.m).toISOString()

/** Returns the age of a time in its largest unit; after a week, and for times to come, the local day. */
export const age = (iso: string | null, now: number, zone: Zone): string =>
  iso === null ? '-' : ageOf(Date.parse(iso), now, zone)

/** Returns the same of a time in milliseconds since 1970. */
export function ageOf(time: number, now: number, zone: Zone): string {
  if (!isRecent(time, now)) return dayOf(time, zone)
  const ago = now - time
  for (const unit of ['d', 'h', 'm'] as const)
    if (ago >= UNITS[unit]) return `${Math.floor(ago / UNITS[unit])}${unit}`
  return 'now'
}

/** Returns the age of a time in at most four columns, in its largest unit: `5m`, `3d`, `7w`, `2y`. */
export function shortAgeOf(time: number, now: number): string {
  const ago = now - time
  for (const unit of ['y', 'w', 'd', 'h', 'm'] as const)
    if (ago >= UNITS[unit]) return `${Math.min(999, Math.floor(ago / UNITS[unit]))}${unit}`
  return 'now'
}

/** Returns whether a time is less than a week ago. */
export const isRecent = (time: number, now: number): boolean => now >= time && now - time < UNITS.w

/** Returns the local day of a time. */
const dayOf = (time: number, zone: Zone): string => local(time, zone).slice(0, 10)

const WORDS = { d: 'day', h: 'hour', m: 'minute' } as const

/** Returns an age in words, in its largest unit: `5 minutes ago`. */
export function longAgo(milliseconds: number): string {
  for (const unit of ['d', 'h', 'm'] as const)
    if (milliseconds >= UNITS[unit])
      return `${counted(Math.floor(milliseconds / UNITS[unit]), WORDS[unit])} ago`
  return 'just now'
}

/** Returns a duration in its two largest units: `2h 5m`, `12.3s`. */
export function lasting(milliseconds: number): string {
  if (milliseconds < UNITS.m) return `${(milliseconds / 1000).toFixed(1)}s`
  const parts = [
    [Math.floor(milliseconds / UNITS.d), 'd'],
    [Math.floor((milliseconds % UNITS.d) / UNITS.h), 'h'],
    [Math.floor((milliseconds % UNITS.h) / UNITS.m), 'm'],
    [Math.floor((milliseconds % UNITS.m) / 1000), 's'],
  ] as const
  const from = parts.findIndex(([count]) => count > 0)
  return parts
    .slice(from, from + 2)
    .flatMap(([count, unit]) => (count > 0 ? [`${count}${unit}`] : []))
    .join(' ')
}
