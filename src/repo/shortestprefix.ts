import type { Oid } from '../model/oid.ts'
import type { Reader } from './reader.ts'

/** Returns the length of the shortest unique prefix of an oid, at least 4; the full length where prefixes are not supported. */
export async function shortestPrefix(
  reader: Pick<Reader, 'capabilities' | 'findByPrefix'>,
  oid: Oid,
): Promise<number> {
  if (!reader.capabilities.prefixes) return oid.length
  for (let digits = SHORTEST; digits < oid.length; digits += STEP) {
    const found = await reader.findByPrefix(oid.slice(0, digits), MANY)
    if (found.length === MANY) continue
    return found.reduce(
      (most, other) => (other === oid ? most : Math.max(most, 1 + shared(oid, other))),
      digits,
    )
  }
  return oid.length
}

const SHORTEST = 4
const STEP = 2
const MANY = 64

function shared(a: Oid, b: Oid): number {
  let at = 0
  while (a[at] === b[at]) at++
  return at
}
