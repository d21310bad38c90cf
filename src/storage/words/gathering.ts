import type { Awaitable } from '../../model/awaitable.ts'
import type { Said } from '../../model/said.ts'
import type { Row } from '../record.ts'
import { type Told, type Units, unitOf, WordGatherer } from './words.ts'
import { encodeWords, WordSegment } from './wordsegment.ts'
import { type WordThread, wordThread } from './wordthread.ts'

/** So many UTF-16 units of text are worth a thread: to start one takes as long as their words do. */
const MANY = 2 << 20
/** A thread is told so many at a time. */
const TOGETHER = 64 << 10

const nothing = (): Told => ({ units: [], texts: [], size: 0 })

/** Gathers the words of what entries say: of little once they are asked for, of much on a thread meanwhile. */
export class Gathering {
  #told = nothing()
  /** One of the two, from when the first words are looked for. */
  #gatherer: WordGatherer | undefined
  #thread: WordThread | undefined
  readonly #sparing: boolean

  /** `sparing` has all of it gathered in place, for a thread takes some 60 MB. */
  constructor(sparing = false) {
    this.#sparing = sparing
  }

  tell(row: Row, said: readonly Said[]): void {
    const told = this.#told
    for (const { place, text } of said) {
      told.units.push(unitOf(row, place))
      told.texts.push(text)
      told.size += text.length
    }
    if (told.size >= (this.#thread ? TOGETHER : MANY)) this.#pass()
  }

  #pass(): void {
    const told = this.#told
    this.#told = nothing()
    if (!this.#gatherer && !this.#sparing && told.size >= MANY) this.#thread ??= wordThread()
    if (this.#thread) this.#thread.tell(told)
    else (this.#gatherer ??= new WordGatherer()).tellAll(told)
  }

  /** Gives the words from a row up to another as a segment, joined with segments before it. These are forgotten here. */
  async encode(from: Row, to: Row, joined: readonly WordSegment[]): Promise<Uint8Array> {
    this.#pass()
    const start = joined.at(-1)?.from ?? from
    if (!this.#thread) return encodeWords(start, to, withJoined(this.#take(from, to), joined))
    const bytes = await this.#thread.encode(from, to)
    if (joined.length === 0) return bytes
    return encodeWords(start, to, withJoined(new WordSegment(from, bytes).units(), joined))
  }

  #take(from: Row, to: Row): Units {
    return this.#gatherer?.take(from, to) ?? new Map()
  }

  /** Waits until few texts are on their way, so that memory stays bounded. */
  relax(): Awaitable<void> {
    return this.#thread?.relax()
  }

  /** Forgets what was told. Nothing is told or asked behind it. */
  close(): void {
    this.#told = nothing()
    this.#thread?.close()
  }
}

function withJoined(units: Units, joined: readonly WordSegment[]): Units {
  if (joined.length === 0) return units
  const all = new Map(units)
  for (const segment of joined)
    for (const [word, at] of segment.units()) {
      at.push(...(all.get(word) ?? []))
      all.set(word, at)
    }
  return all
}
