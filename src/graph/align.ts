/** The indexes of two corresponding items, one of each list. */
export type IndexPair = readonly [left: number, right: number]

/** Ranges are compared item by item where that is at most this number of pairs. */
const MAX_CELLS = 100_000

/** The maximum number of nested searches for anchors. */
const MAX_DEPTH = 64

interface Range {
  readonly left: number
  readonly right: number
  readonly leftEnd: number
  readonly rightEnd: number
  readonly depth: number
}

/**
 * Returns the index pairs of equal keys in two lists, in order. First matches the common start and end. The rest is
 * matched by longest common subsequence where it is small, else as patience diff does it: keys that are unique in both
 * lists become anchors, and the ranges between them are matched in turn. Nearly linear for any input.
 */
export function matchKeys(left: readonly string[], right: readonly string[]): IndexPair[] {
  const found: IndexPair[] = []
  const open: Range[] = [{ left: 0, right: 0, leftEnd: left.length, rightEnd: right.length, depth: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    let { left: l, right: r, leftEnd, rightEnd } = next
    const { depth } = next
    while (l < leftEnd && r < rightEnd && left[l] === right[r]) found.push([l++, r++])
    while (l < leftEnd && r < rightEnd && left[leftEnd - 1] === right[rightEnd - 1])
      found.push([--leftEnd, --rightEnd])
    if (l === leftEnd || r === rightEnd) continue
    const rest: Range = { left: l, right: r, leftEnd, rightEnd, depth: depth + 1 }
    if ((leftEnd - l) * (rightEnd - r) <= MAX_CELLS) {
      found.push(...common(left, right, rest))
      continue
    }
    const anchors = depth < MAX_DEPTH ? inOrder(onceInBoth(left, right, rest)) : []
    if (anchors.length === 0) continue
    for (const [toLeft, toRight] of [...anchors, [leftEnd, rightEnd] as const]) {
      if (l < toLeft && r < toRight)
        open.push({ left: l, right: r, leftEnd: toLeft, rightEnd: toRight, depth: depth + 1 })
      if (toLeft < leftEnd) found.push([toLeft, toRight])
      ;[l, r] = [toLeft + 1, toRight + 1]
    }
  }
  return found.sort(([a], [b]) => a - b)
}

/** Returns the index pairs of keys that are unique in both sides of a range, in the order of the left side. */
function onceInBoth(left: readonly string[], right: readonly string[], range: Range): IndexPair[] {
  const uniqueKeys = (keys: readonly string[], from: number, to: number): Map<string, number> => {
    const once = new Map<string, number>()
    for (let i = from; i < to; i++) {
      const key = keys[i] as string
      once.set(key, once.has(key) ? -1 : i)
    }
    return once
  }
  const others = uniqueKeys(right, range.right, range.rightEnd)
  const found: IndexPair[] = []
  for (const [key, l] of uniqueKeys(left, range.left, range.leftEnd)) {
    const r = others.get(key) ?? -1
    if (l >= 0 && r >= 0) found.push([l, r])
  }
  return found.sort(([a], [b]) => a - b)
}

/** Returns the largest subset of some pairs that is in the same order on both sides: their longest increasing subsequence. */
function inOrder(matches: readonly IndexPair[]): IndexPair[] {
  const ends: number[] = []
  const before: number[] = []
  for (const [i, [, right]] of matches.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((matches[ends[middle] as number] as IndexPair)[1] < right) low = middle + 1
      else high = middle
    }
    before.push(ends[low - 1] ?? -1)
    ends[low] = i
  }
  const chosen: IndexPair[] = []
  for (let i = ends.at(-1) ?? -1; i >= 0; i = before[i] as number) chosen.push(matches[i] as IndexPair)
  return chosen.reverse()
}

function common(left: readonly string[], right: readonly string[], range: Range): IndexPair[] {
  const [l, r] = [range.left, range.right]
  const [n, m] = [range.leftEnd - l, range.rightEnd - r]
  return best(n, m, (i, j) => (left[l + i] === right[r + j] ? 1 : 0)).map(([i, j]) => [l + i, r + j])
}

/**
 * Returns the index pairs with the largest sum of scores, in order. Scores are integers; pairs with score 0 do not match.
 * Takes time and memory proportional to the product of the lengths.
 */
function best(n: number, m: number, score: (left: number, right: number) => number): IndexPair[] {
  const width = m + 1
  const most = new Int32Array((n + 1) * width)
  const at = (i: number, j: number): number => most[i * width + j] as number
  for (let i = n - 1; i >= 0; i--)
    for (let j = m - 1; j >= 0; j--) {
      const alone = Math.max(at(i + 1, j), at(i, j + 1))
      const gain = score(i, j)
      most[i * width + j] = gain > 0 ? Math.max(alone, gain + at(i + 1, j + 1)) : alone
    }
  const found: IndexPair[] = []
  for (let i = 0, j = 0; i < n && j < m; ) {
    const gain = score(i, j)
    if (gain > 0 && at(i, j) === gain + at(i + 1, j + 1)) found.push([i++, j++])
    else if (at(i + 1, j) >= at(i, j + 1)) i++
    else j++
  }
  return found
}

/** The length of the chunks in which long ranges are scored. */
const CHUNK = Math.floor(Math.sqrt(MAX_CELLS))

/**
 * Adds to some index pairs further ones between them, those with the largest sum of scores. Long ranges are compared in
 * chunks at the same offset.
 */
export function matchByScore(
  matches: readonly IndexPair[],
  lengths: IndexPair,
  score: (left: number, right: number) => number,
): IndexPair[] {
  const found: IndexPair[] = []
  let [l, r] = [0, 0]
  for (const match of [...matches, lengths]) {
    for (; l < match[0] && r < match[1]; l += CHUNK, r += CHUNK) {
      const [from, to] = [l, r]
      const [n, m] = [Math.min(CHUNK, match[0] - l), Math.min(CHUNK, match[1] - r)]
      for (const [i, j] of best(n, m, (x, y) => score(from + x, to + y))) found.push([from + i, to + j])
    }
    if (match !== lengths) found.push(match)
    ;[l, r] = [match[0] + 1, match[1] + 1]
  }
  return found
}

/** An item of one list or of the other, or two that correspond. */
export interface AlignedPair<T> {
  readonly left?: T
  readonly right?: T
}

/** Returns two lists side by side. Items without a counterpart come before the next pair, those of the left list first. */
export function alignLists<T>(
  left: readonly T[],
  right: readonly T[],
  matches: readonly IndexPair[],
): AlignedPair<T>[] {
  const all: AlignedPair<T>[] = []
  let [l, r] = [0, 0]
  for (const [toLeft, toRight] of [...matches, [left.length, right.length] as const]) {
    while (l < toLeft) all.push({ left: left[l++] as T })
    while (r < toRight) all.push({ right: right[r++] as T })
    if (toLeft < left.length) all.push({ left: left[l++] as T, right: right[r++] as T })
  }
  return all
}
