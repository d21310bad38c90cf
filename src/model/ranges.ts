/** Numbers from one up to and without another, in order and apart. */
export type Ranges = readonly (readonly [from: number, to: number])[]

/** Returns the union of two lists of ranges, with at most `most` ranges: the narrowest gaps are closed, equal ones together. */
export function united(a: Ranges, b: Ranges, most = Number.POSITIVE_INFINITY): Ranges {
  if (a.length + b.length === 1) return a.length === 1 ? a : b
  const appended = b.length === 1 && a.length <= most ? extended(a, b[0] as Ranges[number]) : undefined
  if (appended) return appended
  const joined = joinedAcross(
    [...a, ...b].sort((x, y) => x[0] - y[0]),
    0,
  )
  if (joined.length <= most) return joined
  const gaps = joined.slice(1).map(([from], i) => from - (joined[i]?.[1] as number))
  const widest = gaps.toSorted((x, y) => y - x)[most - 1] ?? Number.POSITIVE_INFINITY
  return joinedAcross(joined, widest)
}

/** Returns ranges, in order of their starts, without the gaps up to a width. */
function joinedAcross(ranges: Ranges, width: number): [number, number][] {
  const joined: [number, number][] = []
  for (const [from, to] of ranges) {
    const last = joined.at(-1)
    if (last && from - last[1] <= width) last[1] = Math.max(last[1], to)
    else joined.push([from, to])
  }
  return joined
}

/** Returns ranges with the last one extended by another; undefined if they are not adjacent. */
function extended(ranges: Ranges, [from, to]: Ranges[number]): Ranges | undefined {
  const last = ranges.at(-1)
  if (!last || from < last[0] || from > last[1]) return undefined
  return [...ranges.slice(0, -1), [last[0], Math.max(last[1], to)]]
}

/** Returns whether a number is in ranges, by binary search. */
export function holds(ranges: Ranges, number: number): boolean {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ranges[middle] as readonly [number, number])[1] <= number) low = middle + 1
    else high = middle
  }
  return (ranges[low]?.[0] ?? Number.POSITIVE_INFINITY) <= number
}
