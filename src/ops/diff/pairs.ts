import { alignLists, type IndexPair, matchByScore, matchKeys } from '../../graph/align.ts'
import { saidIn } from '../../model/said.ts'
import type { Block } from '../../model/view.ts'
import type { LogEntry } from '../log.ts'

/** An entry of one side, of the other, or two that correspond. */
export interface Pair {
  readonly left?: LogEntry
  readonly right?: LogEntry
  /** Whether they say the same. */
  readonly same: boolean
}

/** An entry and the digest of its body. */
export interface Digested {
  readonly entry: LogEntry
  readonly digest: string
}

/**
 * Returns what two sides said, in order, those beside each other that correspond: what has the same body; between these
 * what says the same, then what is most alike. Of sides that are `related` entries of a kind correspond however they
 * differ, of others only where they are alike.
 */
export function pairsOf(left: readonly Digested[], right: readonly Digested[], related: boolean): Pair[] {
  const [l, r] = [left.map(traced), right.map(traced)]
  const bodies = matchKeys(
    left.map(({ digest }) => digest),
    right.map(({ digest }) => digest),
  )
  const words = between(bodies, [l, r])
  const matches = matchByScore(words, [l.length, r.length], (i, j) =>
    likeness(l[i] as Traced, r[j] as Traced, related),
  )
  return alignLists(l, r, matches).map((pair) => ({
    ...(pair.left && { left: pair.left.entry }),
    ...(pair.right && { right: pair.right.entry }),
    same: pair.left !== undefined && pair.right !== undefined && isSame(pair.left, pair.right),
  }))
}

interface Traced extends Digested {
  /** Of messages the role and whether they have words; of others the type. */
  readonly kind: string
  readonly said: string
  /** Its words, once they were asked for. */
  words?: ReadonlySet<string>
}

const traced = ({ entry, digest }: Digested): Traced => ({
  entry,
  digest,
  kind: kindOf(entry),
  said: saidBy(entry),
})

const kindOf = ({ role, type, text }: LogEntry): string =>
  role === null ? type : `${role}${text === null ? '' : ' text'}`

/** All that is said but for thinking, which agents leave out where they copy. */
const saidBy = ({ view }: LogEntry): string =>
  saidIn({ ...view, blocks: view.blocks.filter(({ kind }: Block) => kind !== 'thinking') })
    .map(({ text }) => text)
    .join('\0')

const isSame = (left: Traced, right: Traced): boolean =>
  left.digest === right.digest || (left.kind === right.kind && left.said === right.said && left.said !== '')

/** Adds to matches what says the same between them. */
function between(
  matches: readonly IndexPair[],
  [left, right]: readonly [readonly Traced[], readonly Traced[]],
): IndexPair[] {
  const found: IndexPair[] = []
  let [l, r] = [0, 0]
  // What says nothing is like nothing else.
  const key = (one: Traced, i: number): string => (one.said === '' ? `\0${i}` : `${one.kind}\0${one.said}`)
  for (const [toLeft, toRight] of [...matches, [left.length, right.length] as const]) {
    const [ls, rs] = [left.slice(l, toLeft), right.slice(r, toRight)]
    const here = matchKeys(
      ls.map(key),
      rs.map((one, i) => key(one, -1 - i)),
    )
    for (const [i, j] of here) found.push([l + i, r + j])
    if (toLeft < left.length) found.push([toLeft, toRight])
    ;[l, r] = [toLeft + 1, toRight + 1]
  }
  return found
}

/** Of a text so many characters are looked at. */
const FAR = 4000

/** Likeness is told in so many parts; unrelated entries correspond from half of their words on. */
const PARTS = 16
const ALIKE = PARTS / 2

/** Returns how alike two entries are, from 1 to 17 where all words are the same; 0 where they do not correspond. */
function likeness(left: Traced, right: Traced, related: boolean): number {
  if (left.kind !== right.kind) return 0
  const [a, b] = [wordsOf(left), wordsOf(right)]
  let common = 0
  for (const word of a) if (b.has(word)) common++
  const share = a.size + b.size === 0 ? 0 : Math.round((2 * PARTS * common) / (a.size + b.size))
  return related || share >= ALIKE ? 1 + share : 0
}

const wordsOf = (one: Traced): ReadonlySet<string> =>
  (one.words ??= new Set(
    one.said
      .slice(0, FAR)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  ))
