import { endOfValue, skipBlank } from './jsonscan.ts'

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Where a child of an object or list stands. */
export interface Place {
  readonly key?: string
  readonly from: number
  readonly to: number
}

/** A key twice counts by its last value, as `JSON.parse` has it. */
export const lastOf = (places: readonly Place[], key: string): Place =>
  places.findLast((place) => place.key === key) as Place

/** Returns where the children of an object or array stand, of valid JSON. */
export function childrenOf(bytes: Uint8Array, open: number): Place[] {
  const places: Place[] = []
  const isList = bytes[open] === 0x5b
  let at = skipBlank(bytes, open + 1)
  while (bytes[at] !== 0x5d && bytes[at] !== 0x7d) {
    let key: string | undefined
    if (!isList) {
      const end = endOfScalar(bytes, at)
      key = JSON.parse(utf8.decode(bytes.subarray(at, end))) as string
      at = skipBlank(bytes, skipBlank(bytes, end) + 1)
    }
    const closed = endOfValue(bytes, at, bytes.length)
    const to = closed > at ? closed : endOfScalar(bytes, at)
    places.push(key === undefined ? { from: at, to } : { key, from: at, to })
    at = skipBlank(bytes, to)
    if (bytes[at] === 0x2c) at = skipBlank(bytes, at + 1)
  }
  return places
}

/** Returns where a string, number or word ends. */
export function endOfScalar(bytes: Uint8Array, from: number): number {
  let at = from + 1
  if (bytes[from] === 0x22) {
    for (; at < bytes.length && bytes[at] !== 0x22; at++) if (bytes[at] === 0x5c) at++
    return at + 1
  }
  while (!ENDS.has(bytes[at] as number) && at < bytes.length) at++
  return at
}

/** What ends a number or word: white space, a comma, a closing bracket. */
const ENDS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c, 0x5d, 0x7d])
