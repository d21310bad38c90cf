import { SessError } from '../../model/errors.ts'
import { PLACES } from '../../model/search/entrytext.ts'
import type { Row } from '../level/rows.ts'
import { ByteReader, ByteWriter } from '../varint.ts'
import { GROUP, type Units } from './wordtable.ts'

/** The number of the codec, in the first byte. */
const VERSION = 1

/**
 * A segment tells of at most so many groups: a byte holds their number, and the step from one to another. More of them
 * would be told in fewer bytes, as the same words come again, and be written again more often.
 */
export const MAX_GROUPS = 240

const END = 0x0a

/**
 * Gives the words of some groups as bytes: the words in the order of their UTF-8, each as how many bytes it shares with
 * the one before and the rest; then for each place how many groups each word is said in, and the steps between these.
 * They are meant to be compressed.
 */
export function encodeWords(from: Row, to: Row, units: Units): Uint8Array {
  // They hold no halves of surrogate pairs, so that their UTF-16 has the order of their UTF-8.
  const words = Array.from(units.keys()).sort()
  const bytes = Buffer.from(`\n${words.join('\n')}\n`)
  const first = from / GROUP
  const shared = new ByteWriter()
  const rests = new ByteWriter()
  const counts = PLACES.map(() => new ByteWriter())
  const steps = PLACES.map(() => new ByteWriter())
  let [before, start] = [0, 1]
  for (const word of words) {
    let common = 0
    // Two words never end at once.
    while (common < 255 && bytes[start + common] === bytes[before + common]) common++
    shared.byte(common)
    const end = bytes.indexOf(END, start + common) + 1
    rests.bytes(bytes.subarray(start + common, end))
    ;[before, start] = [start, end]
    const at = units.get(word) as readonly number[]
    const sorted = at.length > 1 ? [...at].sort((a, b) => a - b) : at
    for (const place of PLACES.keys()) {
      let [count, last] = [0, -1]
      for (const unit of sorted) {
        if (unit % PLACES.length !== place) continue
        const group = Math.floor(unit / PLACES.length) - first
        if (group === last) continue
        steps[place]?.byte(group - last - 1)
        last = group
        count++
      }
      counts[place]?.byte(count)
    }
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

/** Which words are said in the groups of rows from one row up to another. */
export class WordSegment {
  readonly from: Row
  readonly to: Row
  /** The words, a newline before and behind each. */
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
   * Gives in which groups words are said that contain a piece: for each group a bit for each of PLACES, the first the
   * lowest.
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

  /** Gives the numbers of the words that contain some bytes. */
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

  /** Gives the groups in which a word is said in a place, whose steps begin at an offset. */
  #groupsOf(place: number, offset: number, word: number): number[] {
    const groups: number[] = []
    let group = -1
    const end = offset + (this.#counts[place]?.[word] as number)
    for (let i = offset; i < end; i++) {
      group += 1 + (this.#steps[place]?.[i] as number)
      groups.push(group)
    }
    if (!(group < this.groups))
      throw new SessError('corrupt', `the index of words at ${this.from} has a word behind its end`)
    return groups
  }

  /** Gives all words with the units in which they are said: what the segment was made of. */
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

/** Writes words out that were told by what they share with the one before. */
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
