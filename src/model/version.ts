/** A version of a program: numbers with dots, and what is added to them. */
const VERSION = /^v?(\d{1,15}(?:\.\d{1,15})*)(?!\d)([-+.]?[\w.+-]*)$/

const MAX_VERSION_UNITS = 64

/** The numbers of a version, and whether it is one that was made before the release of these. */
interface ParsedVersion {
  readonly numbers: readonly number[]
  readonly isEarly: boolean
}

function parseVersion(text: string): ParsedVersion | undefined {
  const [, numbers, rest] = (text.length <= MAX_VERSION_UNITS && VERSION.exec(text)) || []
  return numbers === undefined
    ? undefined
    : { numbers: numbers.split('.').map(Number), isEarly: rest?.startsWith('-') ?? false }
}

/** Returns whether a text is a version. */
export const isVersion = (text: string): boolean => parseVersion(text) !== undefined

/** Returns whether a version is newer than another; false if either is none. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [parseVersion(version), parseVersion(than)]
  if (!a || !b) return false
  for (let i = 0; i < Math.max(a.numbers.length, b.numbers.length); i++) {
    const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return b.isEarly && !a.isEarly
}

/** Returns the newest of some versions; undefined if none is one. */
export function newestOf(versions: Iterable<string | undefined>): string | undefined {
  let newest: string | undefined
  for (const version of versions)
    if (version !== undefined && isVersion(version) && (newest === undefined || isNewer(version, newest)))
      newest = version
  return newest
}

/** Finds the newest of the versions that records carry. */
export class NewestVersion {
  private last: unknown
  /** Undefined if none was met. */
  newest: string | undefined

  /** Takes the version of a record, if it is one. Mostly it is that of the record before. */
  add(version: unknown): void {
    if (version === this.last) return
    this.last = version
    if (typeof version === 'string') this.newest = newestOf([this.newest, version])
  }
}
