/** A few digits identify a UUID; names are clearer with more characters. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/
const LEAST = { uuid: 8, name: 16 }

/** Returns the shortest unique prefix of each id: at least 8 characters of a UUID, 16 of other ids. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = Array.from(ids.keys()).sort((a, b) => ((ids[a] as string) < (ids[b] as string) ? -1 : 1))
  const lengths = shortLengths(ids, sorted)
  return new Map(ids.map((id, i) => [id, id.slice(0, lengths[i])]))
}

/** Returns the lengths of these prefixes, given the sorted order of the ids. */
export function shortLengths(ids: readonly string[], sorted: readonly number[]): Uint32Array {
  const lengths = new Uint32Array(ids.length)
  let before = 0
  for (let place = 0; place < sorted.length; place++) {
    const index = sorted[place] as number
    const id = ids[index] as string
    const after = common(id, ids[sorted[place + 1] ?? -1] ?? '')
    const length = Math.max(UUID.test(id) ? LEAST.uuid : LEAST.name, before + 1, after + 1)
    before = after
    // Half a surrogate pair would be no text.
    const isHalf = (id.charCodeAt(length - 1) & 0xfc00) === 0xd800
    lengths[index] = isHalf ? length + 1 : length
  }
  return lengths
}

/** Returns the length of the common prefix of two texts. */
function common(a: string, b: string): number {
  let n = 0
  while (n < b.length && a.charCodeAt(n) === b.charCodeAt(n)) n++
  return n
}
