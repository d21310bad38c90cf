import { readInts, writeInts } from './ints.ts'
import { type ByteSink, ByteSource } from './varint.ts'

const UTF8 = 0
const UTF16 = 1
/** With fewer texts than this a common prefix is not worth its length. */
const MANY = 3
/** The first half of a surrogate pair. */
const HIGH = /[\ud800-\udbff]/

/** Texts that are kept one behind the other. Their lengths, in UTF-16 units, go to the sink that `add` is given. */
export class TextSink {
  readonly #texts: string[] = []

  /** Adds texts that are likely to begin alike. */
  add(sink: ByteSink, texts: readonly string[]): void {
    if (texts.length === 0) return
    const prefix = texts.length < MANY ? 0 : commonPrefix(texts)
    sink.varint(prefix)
    if (prefix > 0) this.#texts.push((texts[0] as string).slice(0, prefix))
    writeInts(
      sink,
      texts.map((text) => text.length - prefix),
    )
    for (const text of texts) this.#texts.push(prefix === 0 ? text : text.slice(prefix))
  }

  /** Gives all texts as bytes. Half surrogate pairs, which UTF-8 cannot carry, survive. */
  finish(): Uint8Array {
    const text = this.#texts.join('')
    if (text === '') return new Uint8Array(0)
    const wellFormed = text.isWellFormed()
    const bytes = Buffer.from(text, wellFormed ? 'utf8' : 'utf16le')
    const all = new Uint8Array(bytes.length + 1)
    all[0] = wellFormed ? UTF8 : UTF16
    all.set(bytes, 1)
    return all
  }
}

/** Texts that a TextSink kept, taken in the same order. They share memory: one that is kept keeps all of them. */
export class TextSource {
  readonly #bytes: ByteSource
  #text: string | undefined
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = new ByteSource(bytes)
  }

  take(source: ByteSource, count: number): string[] {
    if (count === 0) return []
    const prefix = this.#slice(source.varint())
    const texts: string[] = []
    for (const length of readInts(source, count)) {
      const rest = this.#slice(length)
      texts.push(prefix === '' ? rest : prefix + rest)
    }
    return texts
  }

  #slice(length: number): string {
    this.#text ??= this.#decode()
    const from = this.#at
    this.#at += length
    if (this.#at > this.#text.length) throw new RangeError('a text ends too early')
    return this.#text.slice(from, this.#at)
  }

  #decode(): string {
    if (this.#bytes.left === 0) return ''
    const encoding = this.#bytes.byte() === UTF16 ? 'utf16le' : 'utf8'
    const bytes = this.#bytes.bytes(this.#bytes.left)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(encoding)
  }
}

/** How many characters all texts begin with. */
function commonPrefix(texts: readonly string[]): number {
  const first = texts[0] as string
  let length = first.length
  for (const text of texts) {
    length = Math.min(length, text.length)
    let i = 0
    while (i < length && text.charCodeAt(i) === first.charCodeAt(i)) i++
    length = i
  }
  // Half a surrogate pair would force all texts into UTF-16.
  return HIGH.test(first.charAt(length - 1)) ? length - 1 : length
}
