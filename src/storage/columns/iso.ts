const DAY = 86_400_000
const LENGTH = 24

/** The first and the last time of the years 0 to 9999, the ones that ISO 8601 spells in 24 characters. */
const FIRST = -62_167_219_200_000
const LAST = 253_402_300_799_999

/** Tells whether there is a time and `isosOf` spells it. */
export const isSpellable = (time: number | undefined): time is number =>
  time !== undefined && Number.isInteger(time) && time >= FIRST && time <= LAST

/** Tells whether a text may spell a time as `Date.toISOString` does, by its length and a few of its characters. */
export const mayBeIso = (text: string): boolean =>
  text.length === LENGTH && text.charCodeAt(10) === 84 && text.charCodeAt(23) === 90

/** Gives the time that a text spells so, or undefined where it spells none so. */
export function parseIso(text: string): number | undefined {
  if (!mayBeIso(text)) return undefined
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString() === text ? time : undefined
}

/** Gives what `Date.toISOString` gives for each time, several times faster. Throws a RangeError on other years. */
export function isosOf(times: readonly (number | undefined)[]): string[] {
  const bytes = Buffer.allocUnsafe(LENGTH * times.length)
  let at = 0
  let day = Number.NaN
  for (const time of times) {
    if (!isSpellable(time)) throw new RangeError('a time is in no year')
    const today = Math.floor(time / DAY)
    if (today === day) for (let i = at; i < at + LENGTH; i++) bytes[i] = bytes[i - LENGTH] as number
    else bytes.write(new Date(time).toISOString(), at, 'latin1')
    day = today
    const ms = time - today * DAY
    const seconds = Math.floor(ms / 1000)
    const minutes = Math.floor(seconds / 60)
    two(bytes, at + 11, Math.floor(minutes / 60))
    two(bytes, at + 14, minutes % 60)
    two(bytes, at + 17, seconds % 60)
    bytes[at + 20] = 48 + Math.floor((ms % 1000) / 100)
    two(bytes, at + 21, ms % 100)
    at += LENGTH
  }
  const all = bytes.toString('latin1')
  const isos: string[] = []
  for (let from = 0; from < at; from += LENGTH) isos.push(all.slice(from, from + LENGTH))
  return isos
}

function two(bytes: Uint8Array, at: number, value: number): void {
  const tens = Math.floor(value / 10)
  bytes[at] = 48 + tens
  bytes[at + 1] = 48 + value - 10 * tens
}
