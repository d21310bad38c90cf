import { PLACES } from '../../model/said.ts'
import type { WantedPieces } from '../../model/searchindex.ts'
import { type Pieces, WORDLESS } from '../../model/words.ts'
import type { KeyValueStore } from '../level/keyvaluestore.ts'
import type { Row } from '../level/storedrecord.ts'
import { GROUP } from './wordcollector.ts'
import { readWords } from './wordindex.ts'
import type { WordSegment } from './wordsegment.ts'

/** The bit of groups in which all words may be said, be it in several places. */
const ANYWHERE = 1 << PLACES.length

/** The bits of a group that is not indexed. */
export const EVERYWHERE = 2 * ANYWHERE - 1

/**
 * Returns by group of rows the places where all wanted words may be said. Groups that the index does not cover, because
 * they were added lately or a part of the index is missing, are not in the result.
 */
export async function lookUp(store: KeyValueStore, wanted: WantedPieces): Promise<ReadonlyMap<Row, number>> {
  const places = new Map<Row, number>()
  if (wanted.length === 0) return places
  for await (const segment of readWords(store)) {
    const found = findAll(segment, wanted)
    for (let group = 0; group < segment.groups; group++)
      places.set(segment.from + group * GROUP, found[group] as number)
  }
  return places
}

function findAll(segment: WordSegment, wanted: WantedPieces): Uint8Array {
  const known = new Map<string, Uint8Array>()
  const find = (piece: string): Uint8Array => {
    const found = known.get(piece) ?? segment.find(piece)
    known.set(piece, found)
    return found
  }
  const marks = new Uint8Array(segment.groups).fill(EVERYWHERE)
  for (const ways of wanted) {
    const found = either(
      segment,
      ways.map((words) => foundBy(segment, words, find)),
    )
    for (const [group, mark] of found.entries())
      marks[group] = (marks[group] as number) & (mark === 0 ? 0 : mark | ANYWHERE)
  }
  return marks
}

/** Returns where a text may be whose words are given by their pieces: they are in one place. */
function foundBy(
  segment: WordSegment,
  words: readonly (readonly Pieces[])[],
  find: (piece: string) => Uint8Array,
): Uint8Array {
  const wild = find(WORDLESS)
  const all = new Uint8Array(segment.groups).fill(ANYWHERE - 1)
  for (const ways of words) {
    const found = either(
      segment,
      ways.map((pieces) => both(segment, pieces.map(find))),
    )
    for (const [group, mark] of found.entries())
      all[group] = (all[group] as number) & (mark | (wild[group] as number))
  }
  return all
}

function either({ groups }: WordSegment, lists: readonly Uint8Array[]): Uint8Array {
  const marks = new Uint8Array(groups)
  for (const list of lists)
    for (let group = 0; group < groups; group++)
      marks[group] = (marks[group] as number) | (list[group] as number)
  return marks
}

function both({ groups }: WordSegment, lists: readonly Uint8Array[]): Uint8Array {
  const marks = new Uint8Array(groups).fill(ANYWHERE - 1)
  for (const list of lists)
    for (let group = 0; group < groups; group++)
      marks[group] = (marks[group] as number) & (list[group] as number)
  return marks
}
