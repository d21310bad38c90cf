import type { Span } from '../errors.ts'
import type { Pattern } from '../pattern/pattern.ts'
import { type EntryText, PLACES, type TextPlace } from './entrytext.ts'
import { folded } from './words.ts'

/** A searchable text of an entry: one of its texts, a label or a title. */
export interface MatchedPart extends Omit<EntryText, 'place'> {
  readonly place: TextPlace | 'label' | 'title'
  /** Its text in lower case, each unit in its place. */
  readonly folded: string
}

/** Returns the parts of the texts and the labels of an entry. */
export const partsOf = (texts: readonly EntryText[], labels: readonly string[] = []): MatchedPart[] => [
  ...labels.map((text) => ({ place: 'label' as const, text, folded: folded(text) })),
  ...texts.map((part) => ({ ...part, folded: folded(part.text) })),
]

/** The most matches of a pattern in one part. */
export const MAX_SPANS = 200

/** Words within this distance, in UTF-16 units, count as near each other. */
const NEAR = 200

/** How words are found: adjacent, near each other, or anywhere in the entry. */
const PHRASE = 0
const CLOSE = 1
const APART = 2

/** The rank of a match: lower is better. The distance of the words counts first, then the place. */
export type Rank = number

const BEST = PLACES.length

/** The lowest rank of words that no part has together. */
export const RANK_APART: Rank = APART * BEST

const placeRank = (place: MatchedPart['place']): number => Math.max(0, PLACES.indexOf(place as TextPlace))

/** Returns the rank of parts that contain all words, each of which has several patterns. */
export const rankOf = (words: readonly (readonly Pattern[])[], parts: readonly MatchedPart[]): Rank =>
  placeWords(words, parts).rank

/** How parts contain words: the rank, and the place of the best part that has all of them. */
export interface WordPlacement {
  readonly rank: Rank
  /** An index of PLACES; their number where no part has all words. */
  readonly place: number
}

/** Returns how parts contain words. */
export function placeWords(
  words: readonly (readonly Pattern[])[],
  parts: readonly MatchedPart[],
): WordPlacement {
  let best = Number.POSITIVE_INFINITY
  const nearest = words.map(() => Number.POSITIVE_INFINITY)
  for (const { place, folded: text } of parts) {
    const found = words.map((ways) =>
      ways.flatMap((way) => way.spans(text, MAX_SPANS)).sort((a, b) => a.from - b.from),
    )
    found.forEach((spans, i) => {
      if (spans.length > 0) nearest[i] = Math.min(nearest[i] as number, placeRank(place))
    })
    if (found.every((spans) => spans.length > 0))
      best = Math.min(best, togetherness(found, text) * BEST + placeRank(place))
  }
  // Where no part has all of them, the worst place of the best ones counts.
  const apart = RANK_APART + Math.max(0, ...nearest.filter(Number.isFinite))
  return { rank: Math.min(best, apart), place: Number.isFinite(best) ? best % BEST : BEST }
}

const BETWEEN = /^[^\p{L}\p{N}]{0,3}$/u

function togetherness(found: readonly (readonly Span[])[], text: string): number {
  if (found.length < 2) return PHRASE
  const inRow = (found[0] ?? []).some((first) => {
    let end = first.to
    return found.slice(1).every((spans) => {
      const next = spans.find(({ from }) => from >= end && BETWEEN.test(text.slice(end, from)))
      end = next?.to ?? end
      return next !== undefined
    })
  })
  if (inRow) return PHRASE
  return narrowest(found) <= NEAR ? CLOSE : APART
}

/** Returns the length of the shortest part of a text with a span of each list. */
function narrowest(found: readonly (readonly Span[])[]): number {
  const at = found.map(() => 0)
  for (let best = Number.POSITIVE_INFINITY; ; ) {
    let first = 0
    let [from, to] = [Number.POSITIVE_INFINITY, 0]
    for (const [i, spans] of found.entries()) {
      const span = spans[at[i] as number]
      if (!span) return best
      if (span.from < from) [from, first] = [span.from, i]
      to = Math.max(to, span.to)
    }
    best = Math.min(best, to - from)
    at[first] = (at[first] as number) + 1
  }
}
