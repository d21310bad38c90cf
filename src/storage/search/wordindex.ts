import { SessError } from '../../model/errors.ts'
import { type EntryText, PLACES } from '../../model/search/entrytext.ts'
import type { WantedPieces } from '../../model/search/searchindex.ts'
import { type Pieces, WORDLESS } from '../../model/search/words.ts'
import { addChecksum, removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { undefinedIfCorrupt } from '../levelbackend/blockreader.ts'
import { compress, decompress } from '../levelbackend/compression.ts'
import type { Counters } from '../levelbackend/counters.ts'
import { numberAt, SPACE, wordsKey } from '../levelbackend/keys.ts'
import type { Put } from '../levelbackend/keyvalue.ts'
import type { KeyValueStore } from '../levelbackend/keyvaluestore.ts'
import type { Objects } from '../levelbackend/objects.ts'
import type { Row } from '../levelbackend/rows.ts'
import { encodeWords, MAX_GROUPS, WordSegment } from './wordsegment.ts'
import { GROUP, groupStart, type Units, WordCollector } from './wordtable.ts'

/** Brotli's quality for segments: 9 saves 1 % and takes five times as long. */
const QUALITY = 5

const ALL = Uint8Array.of(SPACE.words)

function decode(key: Uint8Array, value: Uint8Array): WordSegment {
  const from = numberAt(key, 1, 6)
  const what = `the word index at ${from}`
  return wellFormed(what, () => new WordSegment(from, decompress(removeChecksum(key, value, what))))
}

/** Yields the segments of the index, in the order of rows. */
export async function* readWords(store: KeyValueStore): AsyncGenerator<WordSegment> {
  for await (const [key, value] of store.scan(ALL)) yield decode(key, value)
}

/** Returns the last segment that begins before a row; undefined where there is none, and where it is damaged. */
export async function segmentBefore(store: KeyValueStore, row: Row): Promise<WordSegment | undefined> {
  for await (const [key, value] of store.range(ALL, wordsKey(row), true))
    return undefinedIfCorrupt(() => decode(key, value))
  return undefined
}

/** Yields the problems of the index, which should cover all entries in the rows up to `indexed`. */
export async function* wordProblems(
  store: KeyValueStore,
  objects: Objects,
  indexed: Row,
): AsyncGenerator<string> {
  let end = 0
  const hasEntries = async (from: Row, to: Row): Promise<boolean> =>
    (await objects.firstRow(from, to)) !== undefined
  for await (const [key, value] of store.scan(ALL)) {
    try {
      const { from, to } = decode(key, value)
      if (from < end || (await hasEntries(end, from))) yield `the word index has a gap before ${from}`
      end = to
    } catch (error) {
      if (!(error instanceof SessError)) throw error
      yield error.message
    }
  }
  if (end > indexed || (await hasEntries(end, indexed)))
    yield `the word index ends at ${end}, not at ${indexed}`
}

/** Writes the word index, with the last puts of a transaction. */
export class WordIndexWriter {
  readonly #store: KeyValueStore
  readonly #counters: Counters
  readonly #collector = new WordCollector()
  /** The words of entries whose groups are indexed, and these groups. */
  readonly #late = new WordCollector()
  readonly #lateGroups = new Set<Row>()
  /** The stored segments to which words were added, by their first rows. */
  readonly #amended = new Map<Row, WordSegment>()
  #puts: Put[] = []
  /** The newest segment, pending puts included. */
  #newest: WordSegment | undefined
  #indexed: Row | undefined

  constructor(store: KeyValueStore, counters: Counters) {
    this.#store = store
    this.#counters = counters
  }

  /** The row up to which the index goes. */
  get indexed(): Row {
    return this.#indexed ?? this.#counters.indexed
  }

  /** Adds texts of an entry, to which more may be added later. */
  add(row: Row, texts: readonly EntryText[]): void {
    if (row >= this.indexed) {
      this.#collector.add(row, texts)
      return
    }
    this.#late.add(row, texts)
    this.#lateGroups.add(groupStart(row))
  }

  /** Adds words to the groups that are indexed. */
  async amend(): Promise<void> {
    const groups = [...this.#lateGroups].sort((a, b) => a - b)
    this.#lateGroups.clear()
    let end = 0
    for (const group of groups) {
      const segment = group < end ? undefined : await this.#holding(group)
      if (!segment) continue
      end = segment.to
      const units = segment.units()
      for (const [word, at] of this.#late.take(segment.from, segment.to))
        units.set(word, [...(units.get(word) ?? []), ...at])
      const amended = await this.#put(segment.from, segment.to, units)
      this.#amended.set(segment.from, amended)
      if (this.#newest?.from === segment.from) this.#newest = amended
    }
  }

  /** Returns the segment of a group, pending puts included. */
  async #holding(group: Row): Promise<WordSegment | undefined> {
    const holds = (one: WordSegment | undefined): boolean =>
      one !== undefined && one.from <= group && group < one.to
    const pending = new Map(this.#puts.map((put) => [numberAt(put.key, 1, 6), put]))
    for (const [from, { key, value }] of pending) {
      const segment = from <= group && value !== undefined ? decode(key, value) : undefined
      if (holds(segment)) return segment
    }
    const stored = await this.#before(group + GROUP)
    return holds(stored) ? stored : undefined
  }

  /** Goes on at the group of a row. There are no entries before it that are not indexed. */
  skipTo(row: Row): void {
    if (groupStart(row) > this.indexed) this.#indexed = groupStart(row)
  }

  /** Indexes the complete groups up to a row. */
  async index(to: Row): Promise<void> {
    const end = groupStart(to)
    this.#newest ??= await this.#last()
    while (this.indexed < end) {
      const from = this.indexed
      const upTo = Math.min(end, from + MAX_GROUPS * GROUP)
      await this.#add(from, upTo)
      this.#indexed = upTo
    }
  }

  /**
   * Adds a segment. It is merged with the previous one as long as that is not larger, so that the number of segments,
   * and the times that a word is rewritten, grow with the logarithm of the index.
   */
  async #add(from: Row, to: Row): Promise<void> {
    const units = this.#collector.take(from, to)
    let start = from
    for (let last = this.#newest; last?.to === start; last = await this.#before(start)) {
      if (last.groups > (to - start) / GROUP || (to - last.from) / GROUP > MAX_GROUPS) break
      for (const [word, at] of last.units()) {
        at.push(...(units.get(word) ?? []))
        units.set(word, at)
      }
      this.#puts.push({ key: wordsKey(start), value: undefined })
      start = last.from
    }
    this.#newest = await this.#put(start, to, units)
  }

  async #put(from: Row, to: Row, units: Units): Promise<WordSegment> {
    const bytes = encodeWords(from, to, units)
    const key = wordsKey(from)
    this.#puts.push({ key, value: addChecksum(key, await compress(bytes, QUALITY)) })
    return new WordSegment(from, bytes)
  }

  async #last(): Promise<WordSegment | undefined> {
    return this.#indexed === undefined ? this.#before(this.indexed) : undefined
  }

  /** Returns the last stored segment that begins before a row. */
  async #before(row: Row): Promise<WordSegment | undefined> {
    for await (const [key, value] of this.#store.range(ALL, wordsKey(row), true))
      return this.#amended.get(numberAt(key, 1, 6)) ?? decode(key, value)
    return undefined
  }

  /** Removes the whole index, so that it can be rebuilt. */
  async clear(): Promise<void> {
    for await (const key of this.#store.keys(ALL, Uint8Array.of(SPACE.words + 1)))
      this.#puts.push({ key, value: undefined })
    this.#newest = undefined
    this.#indexed = 0
  }

  /** Returns the puts of the changed index. */
  puts(): readonly Put[] {
    if (this.#indexed !== undefined) this.#counters.indexed = this.#indexed
    return this.#puts
  }
}

/** The bit of groups that may contain all words, in one kind of text or spread over several. */
const ANYWHERE = 1 << PLACES.length

/** The bits of a group that is not indexed. */
export const EVERYWHERE = 2 * ANYWHERE - 1

/**
 * Maps each group of rows to the kinds of text that may contain all words. Groups that the index does not cover,
 * because they were added recently or a part of the index is missing, are not in the result.
 */
export async function findWords(
  store: KeyValueStore,
  wanted: WantedPieces,
): Promise<ReadonlyMap<Row, number>> {
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

/**
 * Returns, for each group, the kinds of text that may contain all words of a text. Each word is a list of its pieces.
 */
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
