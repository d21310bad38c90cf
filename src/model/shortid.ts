/** UUIDs are told apart by few digits; a name says more the more of it is shown. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/
const LEAST = { uuid: 8, name: 16 }

/** Gives for each id the shortest beginning that no other shares: 8 characters or more of a UUID, 16 of other ids. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...ids].sort()
  const common = (a: string, b = ''): number => {
    let n = 0
    while (n < b.length && a[n] === b[n]) n++
    return n
  }
  return new Map(
    sorted.map((id, i) => {
      const least = UUID.test(id) ? LEAST.uuid : LEAST.name
      const length = Math.max(least, common(id, sorted[i - 1]) + 1, common(id, sorted[i + 1]) + 1)
      // Half a surrogate pair would be no text.
      const isHalf = (id.charCodeAt(length - 1) & 0xfc00) === 0xd800
      return [id, id.slice(0, isHalf ? length + 1 : length)]
    }),
  )
}
