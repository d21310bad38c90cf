/** Two places that correspond: one of a list, one of another. */
export type IndexPair = readonly [left: number, right: number]

/** Stretches are compared each item with each where that is not more pairs than this. */
const CELLS = 100_000

/** Between anchors further anchors are looked for so often. */
const DEEPEST = 64

interface Stretch {
  readonly left: number
  readonly right: number
  readonly leftEnd: number
  readonly rightEnd: number
  readonly depth: number
}

/**
 * Gives the places of two lists that have the same key, in order: what both begin and end with; of what is left the
 * longest common subsequence where that is small, else, as patience diff has it, what stands once on both sides, as much
 * of it as is in the same order, and so on between these. Nearly linear, whatever the lists hold.
 */
export function matchKeys(left: readonly string[], right: readonly string[]): IndexPair[] {
  const found: IndexPair[] = []
  const open: Stretch[] = [{ left: 0, right: 0, leftEnd: left.length, rightEnd: right.length, depth: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    let { left: l, right: r, leftEnd, rightEnd } = next
    const { depth } = next
    while (l < leftEnd && r < rightEnd && left[l] === right[r]) found.push([l++, r++])
    while (l < leftEnd && r < rightEnd && left[leftEnd - 1] === right[rightEnd - 1])
      found.push([--leftEnd, --rightEnd])
    if (l === leftEnd || r === rightEnd) continue
    const rest: Stretch = { left: l, right: r, leftEnd, rightEnd, depth: depth + 1 }
    if ((leftEnd - l) * (rightEnd - r) <= CELLS) {
      found.push(...common(left, right, rest))
      continue
    }
    const anchors = depth < DEEPEST ? inOrder(onceInBoth(left, right, rest)) : []
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

/** Gives where keys stand that each side has once within a stretch, in the order of the left side. */
function onceInBoth(left: readonly string[], right: readonly string[], stretch: Stretch): IndexPair[] {
  const places = (keys: readonly string[], from: number, to: number): Map<string, number> => {
    const once = new Map<string, number>()
    for (let i = from; i < to; i++) {
      const key = keys[i] as string
      once.set(key, once.has(key) ? -1 : i)
    }
    return once
  }
  const others = places(right, stretch.right, stretch.rightEnd)
  const found: IndexPair[] = []
  for (const [key, l] of places(left, stretch.left, stretch.leftEnd)) {
    const r = others.get(key) ?? -1
    if (l >= 0 && r >= 0) found.push([l, r])
  }
  return found.sort(([a], [b]) => a - b)
}

/** Gives as many of some matches as stand in the same order on both sides: their longest increasing subsequence. */
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

function common(left: readonly string[], right: readonly string[], stretch: Stretch): IndexPair[] {
  const [l, r] = [stretch.left, stretch.right]
  const [n, m] = [stretch.leftEnd - l, stretch.rightEnd - r]
  return best(n, m, (i, j) => (left[l + i] === right[r + j] ? 1 : 0)).map(([i, j]) => [l + i, r + j])
}

/**
 * Gives the matches of two lists, in order, whose scores come to most: whole numbers, 0 for what must not match. Takes
 * time and memory by the product of their lengths.
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

/** Long stretches are scored by pieces of so many. */
const PIECE = Math.floor(Math.sqrt(CELLS))

/**
 * Gives further matches between those that are given: those whose scores come to most. Of long stretches pieces are
 * compared that stand at the same place.
 */
export function matchByScore(
  matches: readonly IndexPair[],
  lengths: IndexPair,
  score: (left: number, right: number) => number,
): IndexPair[] {
  const found: IndexPair[] = []
  let [l, r] = [0, 0]
  for (const match of [...matches, lengths]) {
    for (; l < match[0] && r < match[1]; l += PIECE, r += PIECE) {
      const [from, to] = [l, r]
      const [n, m] = [Math.min(PIECE, match[0] - l), Math.min(PIECE, match[1] - r)]
      for (const [i, j] of best(n, m, (x, y) => score(from + x, to + y))) found.push([from + i, to + j])
    }
    if (match !== lengths) found.push(match)
    ;[l, r] = [match[0] + 1, match[1] + 1]
  }
  return found
}

/** An item of one list, of the other, or two that correspond. */
export interface AlignedPair<T> {
  readonly left?: T
  readonly right?: T
}

/** Gives two lists beside each other by matches in order, what only one has before the next match, the left first. */
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
