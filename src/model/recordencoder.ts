import { decode, tagOf } from './encoding/canonical.ts'
import { CborWriter, endOfHeader, endOfItem } from './encoding/cbor.ts'
import type { Digest } from './encoding/entry.ts'
import { sha256Oid } from './encoding/sha256.ts'
import { MAX_PARSED_DEPTH } from './encoding/verbatim.ts'
import type { Envelope } from './envelope.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import type { Spelling } from './spelling/jsonspelling.ts'
import { matchText, type TextMatch } from './spelling/matchbytes.ts'

/** Canonical bytes in a buffer that is reused, and the places of the large texts in them. */
export interface Encoded {
  readonly bytes: Buffer
  /** Where the UTF-8 of each text of LARGE_TEXT or more UTF-16 units begins and ends: two numbers for each. */
  readonly large: readonly number[]
}

/** The canonical bytes of a body, and their hash. */
export interface EncodedBody extends Encoded {
  readonly digest: Digest
}

/** An envelope whose values are parts of encoded bytes, valid as long as these are. */
export class EncodedEnvelope implements Envelope, Encoded {
  readonly shape: string
  readonly spelling: Spelling
  readonly bytes: Buffer
  readonly large: readonly number[]
  /** Where each value begins and ends: two numbers for each. */
  readonly places: readonly number[]

  constructor(shape: string, spelling: Spelling, { bytes, large }: Encoded, places: readonly number[]) {
    this.shape = shape
    this.spelling = spelling
    this.bytes = bytes
    this.large = large
    this.places = places
  }

  get values(): readonly Json[] {
    const values: Json[] = []
    for (let i = 0; i < this.places.length; i += 2)
      values.push(decode(this.bytes.subarray(this.places[i], this.places[i + 1])))
    return values
  }
}

const PREFIX = Buffer.from('body\0')
const ROOM = 64 << 10
const MOST_SHAPES = 4096

/** Writes a body that is no selection of its value, to be copied at once. */
const bodyWriter = new CborWriter(tagOf)

/**
 * Encodes each record of a source once: the canonical bytes of its value prove how it is spelled, and the bytes of its
 * body and of its envelope are parts of them. All that it returns is valid until the next value is encoded.
 */
export class RecordEncoder {
  readonly #writer = new CborWriter(tagOf)
  #value: Json = null
  #encoded: Encoded = { bytes: Buffer.alloc(0), large: [] }
  /** The parts that it was divided into: the body behind its prefix, and what the body lacks. */
  #body = Buffer.allocUnsafeSlow(ROOM)
  #length = 0
  #large: number[] = []
  #shape = ''
  readonly #shapes = new Map<string, string>()
  #places: number[] = []
  /** The depth of the body in the value, and whether the body is selected from the value there. */
  #depth = 0
  #isSelected = false
  /** The first large text of the value that is after all parts taken so far. */
  #nextLarge = 0

  constructor() {
    PREFIX.copy(this.#body)
  }

  /**
   * Encodes a value and returns how a part of some UTF-8, of which `JSON.parse` has made it, says it; undefined where
   * JavaScript has changed it.
   */
  match(value: Json, utf8: Uint8Array, from: number, to: number): TextMatch | undefined {
    this.encode(value)
    return this.#writer.isPlain ? matchText(this.#encoded.bytes, utf8, from, to) : undefined
  }

  /** Encodes a value. */
  encode(value: Json): void {
    this.#value = value
    const bytes = this.#writer.layOut(value, MAX_PARSED_DEPTH)
    this.#encoded = { bytes, large: this.#writer.large }
  }

  /**
   * Divides the value that was encoded into a body, which most often is selected from the value below some keys, and what
   * the body lacks.
   */
  divide(body: Json | undefined, at: readonly string[] = []): void {
    this.#length = PREFIX.length
    this.#large = []
    this.#shape = ''
    this.#places = []
    this.#depth = at.length
    this.#isSelected = true
    this.#nextLarge = 0
    this.#divide(this.#value, nested(body, at), 0, 0)
    if (at.length > 0) this.#shape = `@[${JSON.stringify(at)},${this.#shape}]`
    if (body !== undefined && !this.#isSelected) this.#writeBody(body)
  }

  /** Returns the canonical bytes of the body. */
  body(): EncodedBody {
    const digest = sha256Oid(this.#body.subarray(0, this.#length)) as string as Digest
    return { bytes: this.#body.subarray(PREFIX.length, this.#length), large: this.#large, digest }
  }

  /** Returns what `subtract` returns of value and body, with the same shape, and how the value is spelled. */
  envelope(spelling: Spelling = ''): EncodedEnvelope {
    return new EncodedEnvelope(this.#known(this.#shape), spelling, this.#encoded, this.#places)
  }

  /** Returns the same text for equal shapes, in one piece: that of a new one is in as many as it was made of. */
  #known(shape: string): string {
    const known = this.#shapes.get(shape)
    if (known !== undefined) return known
    if (this.#shapes.size >= MOST_SHAPES) this.#shapes.clear()
    this.#shapes.set(shape, shape)
    return shape
  }

  /**
   * Adds the value at a place to the body where the body has it, else its place. Returns where the value ends.
   */
  #divide(value: Json, body: Json | undefined, from: number, depth: number): number {
    if (body !== undefined) {
      if (value === body) {
        this.#shape += '0'
        return this.#take(from)
      }
      if (isObject(value) && isObject(body)) return this.#divideMap(value, body, from, depth)
      if (Array.isArray(value) && Array.isArray(body) && value.length === body.length)
        return this.#divideList(value, body, from, depth)
      this.#isSelected = false
    }
    this.#shape += '1'
    const end = endOfItem(this.#encoded.bytes, from)
    this.#places.push(from, end)
    return end
  }

  #divideMap(value: JsonObject, body: JsonObject, from: number, depth: number): number {
    const { bytes } = this.#encoded
    const isInside = depth >= this.#depth
    const keys = Object.keys(value)
    const wanted = Object.keys(body)
    if (isInside) this.#mapHeader(wanted.length)
    let next = 0
    let at = endOfHeader(bytes, from)
    this.#shape += '{'
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string
      this.#shape += i === 0 ? quoted(key) : `,${quoted(key)}`
      const start = at
      at = endOfItem(bytes, start)
      const part = Object.hasOwn(body, key) ? body[key] : undefined
      if (part !== undefined) {
        if (wanted[next++] !== key) this.#isSelected = false
        if (isInside) this.#copy(bytes, start, at)
      }
      at = this.#divide(value[key] as Json, part, at, depth + 1)
    }
    if (next !== wanted.length) this.#isSelected = false
    this.#shape += '}'
    return at
  }

  #divideList(value: readonly Json[], body: readonly Json[], from: number, depth: number): number {
    const { bytes } = this.#encoded
    let at = endOfHeader(bytes, from)
    this.#copy(bytes, from, at)
    this.#shape += '['
    for (let i = 0; i < value.length; i++) {
      if (i > 0) this.#shape += ','
      at = this.#divide(value[i] as Json, body[i], at, depth + 1)
    }
    this.#shape += ']'
    return at
  }

  /** Adds a part of the encoded value to the body, with the places of its large texts. Returns where it ends. */
  #take(from: number): number {
    const { bytes, large } = this.#encoded
    const to = endOfItem(bytes, from)
    const step = this.#length - PREFIX.length - from
    let next = this.#nextLarge
    for (; next < large.length && (large[next] as number) < to; next += 2)
      if ((large[next] as number) >= from)
        this.#large.push((large[next] as number) + step, (large[next + 1] as number) + step)
    this.#nextLarge = next
    this.#copy(bytes, from, to)
    return to
  }

  /** Writes a body that is no selection of the value. */
  #writeBody(body: Json): void {
    this.#length = PREFIX.length
    const bytes = bodyWriter.layOut(body)
    this.#large = [...bodyWriter.large]
    this.#copy(bytes, 0, bytes.length)
  }

  #copy(bytes: Buffer, from: number, to: number): void {
    const length = this.#length + to - from
    if (length > this.#body.length) this.#grow(length)
    bytes.copy(this.#body, this.#length, from, to)
    this.#length = length
  }

  #mapHeader(count: number): void {
    if (this.#length + 5 > this.#body.length) this.#grow(this.#length + 5)
    const body = this.#body
    if (count < 24) body[this.#length++] = MAP | count
    else if (count < 0x100) {
      body[this.#length++] = MAP | 24
      body[this.#length++] = count
    } else if (count < 0x10000) {
      body[this.#length++] = MAP | 25
      this.#length = body.writeUInt16BE(count, this.#length)
    } else {
      body[this.#length++] = MAP | 26
      this.#length = body.writeUInt32BE(count, this.#length)
    }
  }

  #grow(length: number): void {
    const written = this.#body
    this.#body = Buffer.allocUnsafeSlow(2 * length)
    written.copy(this.#body, 0, 0, this.#length)
  }
}

let shared: RecordEncoder | undefined

/**
 * Returns the encoder that all sources share: the buffers of one for each source would make up a fifth of what an
 * import allocates. The caller uses what it returns before anything is awaited.
 */
export const sharedEncoder = (): RecordEncoder => (shared ??= new RecordEncoder())

const MAP = 0xa0

const nested = (body: Json | undefined, at: readonly string[]): Json | undefined =>
  body === undefined || at.length === 0
    ? body
    : at.reduceRight<Json>((inner, key) => ({ [key]: inner }), body)

/** Keys as a shape writes them, with a colon. */
const quotedKeys = new Map<string, string>()
const MOST_KEYS = 4096

function quoted(key: string): string {
  const known = quotedKeys.get(key)
  if (known !== undefined) return known
  if (quotedKeys.size >= MOST_KEYS) quotedKeys.clear()
  const text = `${JSON.stringify(key)}:`
  quotedKeys.set(key, text)
  return text
}
