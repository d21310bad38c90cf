import type { EntryHandle } from '../../model/node.ts'
import type { EntryText } from '../../model/search/entrytext.ts'
import type { SearchIndexCheck } from '../../model/search/searchindex.ts'
import type { KeyValueStore } from '../levelbackend/keyvaluestore.ts'
import { type Row, rowOf } from '../levelbackend/rows.ts'
import { segmentBefore } from './wordindex.ts'
import type { WordSegment } from './wordsegment.ts'
import { GROUP, groupStart, type Units, WordCollector } from './wordtable.ts'

/** Compares the segments of the word index with the words of the entries in their rows. */
export class WordCheck implements SearchIndexCheck {
  readonly #store: KeyValueStore
  /** The row up to which the index goes. */
  readonly #indexed: Row
  readonly #problems: string[] = []
  #collector = new WordCollector()
  #segment: WordSegment | undefined
  /** The group that is looked at. */
  #group: Row = -1

  constructor(store: KeyValueStore, indexed: Row) {
    this.#store = store
    this.#indexed = indexed
  }

  async add(entry: EntryHandle, texts: readonly EntryText[]): Promise<void> {
    const row = rowOf(entry)
    if (row >= this.#indexed) return
    if (groupStart(row) !== this.#group) await this.#moveTo(groupStart(row))
    if (this.#segment) this.#collector.add(row, texts)
  }

  /** Moves to a group. A segment that is missing or damaged is reported elsewhere. */
  async #moveTo(group: Row): Promise<void> {
    this.#group = group
    if (this.#segment && group < this.#segment.to) return
    this.#finish()
    const segment = await segmentBefore(this.#store, group + GROUP)
    this.#segment = segment && group < segment.to ? segment : undefined
  }

  #finish(): void {
    if (!this.#segment) return
    const { from, to } = this.#segment
    const lacking = countMissing(this.#collector.take(from, to), this.#segment.units())
    if (lacking > 0) this.#problems.push(`the word index at ${from} lacks ${lacking} words of its entries`)
    this.#collector = new WordCollector()
    this.#segment = undefined
  }

  end(): readonly string[] {
    this.#finish()
    return this.#problems
  }
}

/** Returns how many words are in units in which an index lacks them. */
function countMissing(words: Units, index: Units): number {
  let missing = 0
  for (const [word, units] of words) {
    const known = new Set(index.get(word))
    if (units.some((unit) => !known.has(unit))) missing++
  }
  return missing
}
