/** UUIDs are told apart by few digits; a name says more the more of it is shown. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/
const LEAST = { uuid: 8, name: 16 }

/** Gives for each id the shortest beginning that no other shares: 8 characters or more of a UUID, 16 of other ids. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...ids].sort()
  const short = new Map<string, string>()
  let before = 0
  for (const [i, id] of sorted.entries()) {
    const behind = common(id, sorted[i + 1] ?? '')
    const length = Math.max(UUID.test(id) ? LEAST.uuid : LEAST.name, before + 1, behind + 1)
    before = behind
    // Half a surrogate pair would be no text.
    const isHalf = (id.charCodeAt(length - 1) & 0xfc00) === 0xd800
    short.set(id, id.slice(0, isHalf ? length + 1 : length))
  }
  return short
}

/** Gives how many characters two texts begin with alike. */
function common(a: string, b: string): number {
  let n = 0
  while (n < b.length && a.charCodeAt(n) === b.charCodeAt(n)) n++
  return n
}
