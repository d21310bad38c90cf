import { decode, tagOf } from './canonical.ts'
import { CborWriter } from './cbor.ts'
import type { Spelling } from './encoding/jsonspelling.ts'
import { matchText, type TextMatch } from './encoding/matchbytes.ts'
import type { Digest } from './entry.ts'
import type { Envelope } from './envelope.ts'
import { isObject, type Json, type JsonObject, MAX_PARSED_DEPTH } from './json.ts'
import { sha256Oid } from './sha256.ts'

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

/**
 * Encodes each record of a source once: the canonical bytes of its value prove how it is spelled, and the bytes of its
 * body and of its envelope are parts of them. All that it returns is valid until the next value is encoded.
 */
export class RecordEncoder {
  readonly #writer = new CborWriter(tagOf)
  /** For a body that is no selection of its value. */
  readonly #bodyWriter = new CborWriter(tagOf)
  #value: Json = null
  #encoded: Encoded = { bytes: Buffer.alloc(0), large: [] }
  #body = Buffer.allocUnsafeSlow(ROOM)
  #length = 0
  #large: number[] = []
  #shape = ''
  readonly #shapes = new Map<string, string>()
  #places: number[] = []

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

  /** Returns what `subtract` returns of the value that was encoded, with the same shape, and how it is spelled. */
  envelope(body: Json | undefined, at: readonly string[] = [], spelling: Spelling = ''): EncodedEnvelope {
    this.#shape = ''
    this.#places = []
    this.#subtract(this.#value, nested(body, at), 0)
    const shape = at.length === 0 ? this.#shape : `@[${JSON.stringify(at)},${this.#shape}]`
    return new EncodedEnvelope(this.#known(shape), spelling, this.#encoded, this.#places)
  }

  /** Returns the same text for equal shapes, in one piece: that of a new one is in as many as it was made of. */
  #known(shape: string): string {
    const known = this.#shapes.get(shape)
    if (known !== undefined) return known
    if (this.#shapes.size >= MOST_SHAPES) this.#shapes.clear()
    this.#shapes.set(shape, shape)
    return shape
  }

  /** Adds the shape of the value at a place, and the places of what its body lacks. Returns where the value ends. */
  #subtract(value: Json, body: Json | undefined, from: number): number {
    const { bytes } = this.#encoded
    if (body !== undefined && value === body) {
      this.#shape += '0'
      return endOfItem(bytes, from)
    }
    if (isObject(value) && isObject(body)) {
      let at = endOfHeader(bytes, from)
      const keys = Object.keys(value)
      this.#shape += '{'
      for (let i = 0; i < keys.length; i++) {
        const key = keys[i] as string
        this.#shape += i === 0 ? quoted(key) : `,${quoted(key)}`
        const part = Object.hasOwn(body, key) ? body[key] : undefined
        at = this.#subtract(value[key] as Json, part, endOfItem(bytes, at))
      }
      this.#shape += '}'
      return at
    }
    if (Array.isArray(value) && Array.isArray(body) && value.length === body.length) {
      let at = endOfHeader(bytes, from)
      this.#shape += '['
      for (let i = 0; i < value.length; i++) {
        if (i > 0) this.#shape += ','
        at = this.#subtract(value[i] as Json, body[i] as Json, at)
      }
      this.#shape += ']'
      return at
    }
    this.#shape += '1'
    const end = endOfItem(bytes, from)
    this.#places.push(from, end)
    return end
  }

  /** Returns the canonical bytes of a body that was selected from the value that was encoded. */
  body(body: Json, at: readonly string[] = []): EncodedBody {
    this.#length = PREFIX.length
    this.#large = []
    if (!this.#selectAt(body, at)) {
      this.#length = PREFIX.length
      const bytes = this.#bodyWriter.layOut(body)
      this.#large = this.#bodyWriter.large.map((place) => place + PREFIX.length)
      this.#copy(bytes, 0, bytes.length)
    }
    const digest = sha256Oid(this.#body.subarray(0, this.#length)) as string as Digest
    const bytes = this.#body.subarray(PREFIX.length, this.#length)
    return { bytes, large: this.#large.map((place) => place - PREFIX.length), digest }
  }

  #selectAt(body: Json, path: readonly string[]): boolean {
    const { bytes } = this.#encoded
    let [value, from]: [Json, number] = [this.#value, 0]
    for (const key of path) {
      if (!isObject(value) || !Object.hasOwn(value, key)) return false
      from = placesOfParts(bytes, from, Object.keys(value).length)[
        2 * Object.keys(value).indexOf(key) + 1
      ] as number
      value = value[key] as Json
    }
    return this.#select(value, body, from)
  }

  /** Adds the bytes of a body from those of the value at a place; false where it is not selected from that. */
  #select(value: Json, body: Json, from: number): boolean {
    const { bytes } = this.#encoded
    if (value === body) {
      this.#take(from, endOfItem(bytes, from))
      return true
    }
    if (isObject(value) && isObject(body)) return this.#selectKeys(value, body, from)
    if (!Array.isArray(value) || !Array.isArray(body) || value.length !== body.length) return false
    let at = endOfHeader(bytes, from)
    this.#copy(bytes, from, at)
    for (let i = 0; i < value.length; i++) {
      if (!this.#select(value[i] as Json, body[i] as Json, at)) return false
      at = endOfItem(bytes, at)
    }
    return true
  }

  #selectKeys(value: JsonObject, body: JsonObject, from: number): boolean {
    const { bytes } = this.#encoded
    const keys = Object.keys(value)
    const wanted = Object.keys(body)
    const places = placesOfParts(bytes, from, keys.length)
    this.#mapHeader(wanted.length)
    let next = 0
    for (const key of wanted) {
      const i = keys[next] === key ? next : keys.indexOf(key)
      if (i < 0) return false
      next = i + 1
      const [at, part] = [places[2 * i] as number, places[2 * i + 1] as number]
      if (value[key] === body[key]) this.#take(at, endOfItem(bytes, part))
      else {
        this.#copy(bytes, at, part)
        if (!this.#select(value[key] as Json, body[key] as Json, part)) return false
      }
    }
    return true
  }

  /** Adds a part of the encoded value to the body, with the places of its large texts. */
  #take(from: number, to: number): void {
    const { bytes, large } = this.#encoded
    const step = this.#length - from
    for (let i = 0; i < large.length; i += 2) {
      const at = large[i] as number
      if (at >= to) break
      if (at >= from) this.#large.push(at + step, (large[i + 1] as number) + step)
    }
    this.#copy(bytes, from, to)
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

/** Returns where the header of an item ends that begins at a place. */
function endOfHeader(bytes: Uint8Array, from: number): number {
  const told = (bytes[from] as number) & 31
  return told < 24 ? from + 1 : from + 1 + (1 << (told - 24))
}

/** Returns where an item ends that begins at a place of canonical bytes. */
export function endOfItem(bytes: Uint8Array, from: number): number {
  let at = from
  for (let left = 1; left > 0; left--) {
    const first = bytes[at++] as number
    let size = first & 31
    if (size === 24) size = bytes[at++] as number
    else if (size === 25) {
      size = ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
      at += 2
    } else if (size === 26) {
      size =
        (bytes[at] as number) * 0x1000000 +
        (((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number))
      at += 4
    } else if (size === 27) at += 8
    const kind = first >> 5
    if (kind === 2 || kind === 3) at += size
    else if (kind === 4) left += size
    else if (kind === 5) left += 2 * size
    else if (kind === 6) left++
  }
  return at
}

/** Returns of each part of a map at a place of canonical bytes where its key and where its value begin. */
function placesOfParts(bytes: Uint8Array, from: number, count: number): number[] {
  const places: number[] = []
  let at = endOfHeader(bytes, from)
  for (let i = 0; i < count; i++) {
    const value = endOfItem(bytes, at)
    places.push(at, value)
    at = endOfItem(bytes, value)
  }
  return places
}
