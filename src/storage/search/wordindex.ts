import { SessError } from '../../model/errors.ts'
import type { SaidText } from '../../model/said.ts'
import { addChecksum, removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { compress, decompress } from '../level/block.ts'
import type { Counters } from '../level/counters.ts'
import { numberAt, SPACE, wordsKey } from '../level/keys.ts'
import type { KeyValueStore } from '../level/keyvaluestore.ts'
import type { Put } from '../level/put.ts'
import type { Row } from '../level/storedrecord.ts'
import { GROUP, groupStart, WordCollector } from './wordcollector.ts'
import { encodeWords, MAX_GROUPS, WordSegment } from './wordsegment.ts'

/** Brotli's quality for segments: 9 gains one in a hundred and takes five times as long. */
const QUALITY = 5

const ALL = Uint8Array.of(SPACE.words)

function decode(key: Uint8Array, value: Uint8Array): WordSegment {
  const from = numberAt(key, 1, 6)
  const what = `the index of words at ${from}`
  return wellFormed(what, () => new WordSegment(from, decompress(removeChecksum(key, value, what))))
}

/** Gives the segments of the index, in the order of rows. */
export async function* readWords(store: KeyValueStore): AsyncGenerator<WordSegment> {
  for await (const [key, value] of store.scan(ALL)) yield decode(key, value)
}

/** Gives what is wrong with the index, which goes up to a row. */
export async function* wordProblems(store: KeyValueStore, indexed: Row): AsyncGenerator<string> {
  let end = 0
  for await (const [key, value] of store.scan(ALL)) {
    try {
      const { from, to } = decode(key, value)
      if (from !== end) yield `the index of words has a gap before ${from}`
      end = to
    } catch (error) {
      if (!(error instanceof SessError)) throw error
      yield error.message
    }
  }
  if (end !== indexed) yield `the index of words ends at ${end}, not at ${indexed}`
}

/** Writes the index of words: what was told waits for the end of its transaction. */
export class WordIndexWriter {
  readonly #store: KeyValueStore
  readonly #counters: Counters
  readonly #collector = new WordCollector()
  #puts: Put[] = []
  /** The newest segment, as it is when all this is put. */
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

  add(row: Row, said: readonly SaidText[]): void {
    if (row >= this.indexed) this.#collector.add(row, said)
  }

  /** Takes whole groups of what was told into the index, those that begin below a row. */
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
   * Adds a segment. As long as the one before it is not larger the two become one, so that their number grows with the
   * logarithm of what is appended bit by bit, and no word is written more often.
   */
  async #add(from: Row, to: Row): Promise<void> {
    const units = new Map(this.#collector.take(from, to))
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
    const bytes = encodeWords(start, to, units)
    const key = wordsKey(start)
    this.#puts.push({ key, value: addChecksum(key, await compress(bytes, QUALITY)) })
    this.#newest = new WordSegment(start, bytes)
  }

  async #last(): Promise<WordSegment | undefined> {
    return this.#indexed === undefined ? this.#before(this.indexed) : undefined
  }

  /** Gives the segment that begins before a row, of those that are in the table. */
  async #before(row: Row): Promise<WordSegment | undefined> {
    for await (const [key, value] of this.#store.range(ALL, wordsKey(row), true)) return decode(key, value)
    return undefined
  }

  /** Lets go of the whole index, to make it again. */
  async clear(): Promise<void> {
    for await (const key of this.#store.keys(ALL, Uint8Array.of(SPACE.words + 1)))
      this.#puts.push({ key, value: undefined })
    this.#newest = undefined
    this.#indexed = 0
  }

  /** Gives what makes the index what it is now. */
  puts(): readonly Put[] {
    if (this.#indexed !== undefined) this.#counters.indexed = this.#indexed
    return this.#puts
  }
}
