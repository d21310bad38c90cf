import { SessError } from '../../model/errors.ts'
import { PLACES } from '../../model/search/entrytext.ts'
import type { Row } from '../levelbackend/rows.ts'
import { ByteReader, ByteWriter } from '../varint.ts'
import { GROUP, type Units } from './wordtable.ts'

/** The number of the codec, in the first byte. */
const VERSION = 1

/**
 * The maximum number of groups in a segment, so that a byte holds their number and the step between two. Larger
 * segments would be smaller in all, because words recur, but would be rewritten more often.
 */
export const MAX_GROUPS = 240

const END = 0x0a

/**
 * Encodes the words of some groups: the words in the order of their UTF-8, each as the number of bytes that it shares
 * with the previous one and the rest; then for each place the number of groups of each word, and the steps between
 * them. The bytes are to be compressed.
 */
export function encodeWords(from: Row, to: Row, units: Units): Uint8Array {
  // Words contain no surrogates, so that their order in UTF-16 is that in UTF-8.
  const words = Array.from(units.keys()).sort()
  const bytes = Buffer.from(`\n${words.join('\n')}\n`)
  const first = from / GROUP
  const shared = new ByteWriter()
  const rests = new ByteWriter()
  const counts = PLACES.map(() => new ByteWriter())
  const steps = PLACES.map(() => new ByteWriter())
  /** Of the present word by place: in how many groups it is, and the last of them. */
  const lengths = new Int32Array(PLACES.length)
  const latest = new Int32Array(PLACES.length)
  let [before, start] = [0, 1]
  for (const word of words) {
    let common = 0
    // Two words never end at once.
    while (common < 255 && bytes[start + common] === bytes[before + common]) common++
    shared.byte(common)
    const end = bytes.indexOf(END, start + common) + 1
    rests.bytes(bytes.subarray(start + common, end))
    ;[before, start] = [start, end]
    const ordered = inOrder(units.get(word) as readonly number[])
    lengths.fill(0)
    latest.fill(-1)
    for (const unit of ordered) {
      const place = unit % PLACES.length
      const group = (unit - place) / PLACES.length - first
      const last = latest[place] as number
      if (group === last) continue
      steps[place]?.byte(group - last - 1)
      latest[place] = group
      lengths[place] = (lengths[place] as number) + 1
    }
    for (let place = 0; place < PLACES.length; place++) counts[place]?.byte(lengths[place] as number)
  }
  const sink = new ByteWriter()
  sink.byte(VERSION)
  sink.varint((to - from) / GROUP)
  sink.varint(words.length)
  const parts = [shared, rests, ...counts, ...steps].map((part) => part.view())
  for (const part of parts) sink.varint(part.length)
  for (const part of parts) sink.bytes(part)
  return sink.view().slice()
}

/** Returns numbers in ascending order: most often they are. */
function inOrder(numbers: readonly number[]): readonly number[] {
  for (let i = 1; i < numbers.length; i++)
    if ((numbers[i] as number) < (numbers[i - 1] as number)) return numbers.toSorted((a, b) => a - b)
  return numbers
}

/** The words in the groups of a range of rows. */
export class WordSegment {
  readonly from: Row
  readonly to: Row
  /** The words, separated, preceded and followed by newlines. */
  readonly #words: Buffer
  readonly #counts: readonly Uint8Array[]
  readonly #steps: readonly Uint8Array[]

  /** Reads what `encodeWords` wrote. Throws a RangeError on bytes that it does not write. */
  constructor(from: Row, bytes: Uint8Array) {
    const source = new ByteReader(bytes)
    if (source.byte() !== VERSION) throw new RangeError('the words are of no known version')
    this.from = from
    const groups = source.varint()
    if (groups > MAX_GROUPS) throw new RangeError('the words are of too many groups')
    this.to = from + GROUP * groups
    const count = source.varint()
    const lengths = Array.from({ length: 2 + 2 * PLACES.length }, () => source.varint())
    const [shared, rests, ...lists] = lengths.map((length) => source.bytes(length))
    this.#counts = lists.slice(0, PLACES.length)
    this.#steps = lists.slice(PLACES.length)
    if (shared?.length !== count || this.#counts.some((list) => list.length !== count))
      throw new RangeError('the words are cut short')
    this.#words = decodeWords(shared, rests as Uint8Array)
  }

  get groups(): number {
    return (this.to - this.from) / GROUP
  }

  /**
   * Returns for each group the places of words that contain a piece, with one bit for each of PLACES, the lowest for
   * the first.
   */
  find(piece: string): Uint8Array {
    const found = new Uint8Array(this.groups)
    const words = this.#wordsWith(Buffer.from(piece))
    for (const [place, counts] of this.#counts.entries()) {
      let [offset, word] = [0, 0]
      for (const wanted of words) {
        for (; word < wanted; word++) offset += counts[word] as number
        for (const group of this.#groupsOf(place, offset, word))
          found[group] = (found[group] as number) | (1 << place)
      }
    }
    return found
  }

  /** Returns the numbers of the words that contain some bytes. */
  #wordsWith(needle: Buffer): number[] {
    const words = this.#words
    const found: number[] = []
    let [word, start] = [0, 1]
    for (let at = words.indexOf(needle, 1); at >= 0; at = words.indexOf(needle, start)) {
      for (; start < at; start++) if (words[start] === END) word++
      found.push(word++)
      start = words.indexOf(END, at) + 1
    }
    return found
  }

  /** Returns the groups that contain a word in a place; `offset` is that of its first step. */
  #groupsOf(place: number, offset: number, word: number): number[] {
    const groups: number[] = []
    let group = -1
    const end = offset + (this.#counts[place]?.[word] as number)
    for (let i = offset; i < end; i++) {
      group += 1 + (this.#steps[place]?.[i] as number)
      groups.push(group)
    }
    if (!(group < this.groups))
      throw new SessError('corrupt', `the word index at ${this.from} has a word after its end`)
    return groups
  }

  /** Returns all words with their units: the input of `encodeWords`. */
  units(): Map<string, number[]> {
    const units = new Map<string, number[]>()
    const offsets = PLACES.map(() => 0)
    const first = this.from / GROUP
    let start = 1
    for (let word = 0; start < this.#words.length; word++) {
      const end = this.#words.indexOf(END, start)
      const at: number[] = []
      for (const place of PLACES.keys()) {
        const offset = offsets[place] as number
        for (const group of this.#groupsOf(place, offset, word))
          at.push((first + group) * PLACES.length + place)
        offsets[place] = offset + (this.#counts[place]?.[word] as number)
      }
      units.set(this.#words.toString('utf8', start, end), at)
      start = end + 1
    }
    return units
  }
}

/** Decodes words that are encoded relative to the previous one. */
function decodeWords(shared: Uint8Array, rests: Uint8Array): Buffer {
  let size = 1 + rests.length
  for (let word = 0; word < shared.length; word++) size += shared[word] as number
  const words = Buffer.allocUnsafe(size)
  words[0] = END
  let [before, at, from] = [1, 1, 0]
  for (let word = 0; word < shared.length; word++) {
    const start = at
    const same = start + (shared[word] as number)
    while (at < same) words[at++] = words[before++] as number
    for (let byte = rests[from++]; byte !== END; byte = rests[from++]) {
      if (byte === undefined) throw new RangeError('the words are cut short')
      words[at++] = byte
    }
    words[at++] = END
    before = start
  }
  return words
}
