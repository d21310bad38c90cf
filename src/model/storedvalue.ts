import { type Envelope, isPlans, type Plan, parsed } from './envelope.ts'
import type { Json } from './json.ts'

/** Strings up to so many bytes are looked for among those that were read before: keys, names, roles. */
const SHORT = 24
const REMEMBERED = 4096

const remembered: string[] = new Array<string>(REMEMBERED).fill('')

/** What `encode` writes: the first three bits of a value, and values that are one byte or begin with one. */
const WHOLE = 0
const NEGATIVE = 1
const TEXT = 3
const LIST = 4
const MAP = 5
const FALSE = 0xf4
const TRUE = 0xf5
const NULL = 0xf6
const DOUBLE = 0xfb
/** Tag 40321, and a list of two. */
const PLACE = [0xd9, 0x9d, 0x81, 0x82] as const

/**
 * Gives the value that stored bytes hold, with the text of each blob where its place stands: many times quicker than
 * `decodeStored`, and the same. Undefined where they hold anything that is not common, which that reads.
 */
export function storedValue(
  bytes: Uint8Array,
  textAt: (block: number, index: number) => string,
): Json | undefined {
  const reader = new Reader(bytes, textAt)
  const value = reader.value()
  return reader.isWhole ? value : undefined
}

/**
 * Gives the value of a record whose body these bytes hold, as `fill` makes it of its envelope and the body, which is not
 * made itself. Undefined also where the two do not follow each other key by key.
 */
export function storedIn(
  { shape, values }: Envelope,
  bytes: Uint8Array,
  textAt: (block: number, index: number) => string,
): Json | undefined {
  const { at, plan } = parsed(shape)
  const reader = new Reader(bytes, textAt, values)
  const value = reader.around(at, plan)
  return reader.isWhole ? value : undefined
}

/** Reads a value from the front of bytes. Once it met what it does not know, what it gives is of no meaning. */
class Reader {
  readonly #bytes: Buffer
  readonly #textAt: (block: number, index: number) => string
  /** What stands in an envelope around the value, and how many of it were put in their places. */
  readonly #values: readonly Json[]
  #next = 0
  #at = 0
  #isOdd = false
  #view: DataView | undefined

  constructor(
    bytes: Uint8Array,
    textAt: (block: number, index: number) => string,
    values: readonly Json[] = [],
  ) {
    this.#values = values
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#textAt = textAt
  }

  /** Whether all was read, and nothing was odd. */
  get isWhole(): boolean {
    return !this.#isOdd && this.#at === this.#bytes.length
  }

  /** Gives the value in an envelope in which it stands under some keys. */
  around(at: readonly string[], plan: Plan): Json {
    const [inner, ...rest] = at
    if (inner === undefined) return this.#within(plan)
    if (plan === 0 || plan === 1 || isPlans(plan)) return this.#odd()
    const object: Record<string, Json> = {}
    for (let i = 0; i < plan.keys.length; i++) {
      const key = plan.keys[i] as string
      const next = plan.plans[i] as Plan
      object[key] = key === inner ? this.around(rest, next) : next === 1 ? this.#given() : this.#odd()
    }
    return object
  }

  /** Gives the value with what the envelope has put in its places. */
  #within(plan: Plan): Json {
    if (plan === 0) return this.value()
    if (plan === 1) {
      // What the body has there the record has otherwise.
      this.value()
      return this.#given()
    }
    const first = this.#bytes[this.#at++] ?? this.#odd()
    const count = this.#number(first)
    if (isPlans(plan)) {
      if (first >> 5 !== LIST || count !== plan.length) this.#odd()
      return plan.map((child) => this.#within(child))
    }
    if (first >> 5 !== MAP) this.#odd()
    return this.#fields(plan.keys, plan.plans, count)
  }

  /** Gives an object of which a map of so many keys has some, in the same order. */
  #fields(keys: readonly string[], plans: readonly Plan[], count: number): Json {
    const object: Record<string, Json> = {}
    let left = count
    let met = left > 0 ? this.#key() : undefined
    for (let i = 0; i < keys.length && !this.#isOdd; i++) {
      const key = keys[i] as string
      const plan = plans[i] as Plan
      if (key !== met) object[key] = plan === 1 ? this.#given() : this.#odd()
      else {
        object[key] = this.#within(plan)
        met = --left > 0 ? this.#key() : undefined
      }
    }
    if (left > 0) this.#odd()
    return object
  }

  #key(): string {
    const first = this.#bytes[this.#at++] ?? this.#odd()
    const key = first >> 5 === TEXT ? this.#text(this.#number(first)) : ''
    if (first >> 5 !== TEXT || key === '__proto__') this.#odd()
    return key
  }

  /** Gives the next of the envelope's own values. */
  #given(): Json {
    const value = this.#values[this.#next++]
    return value === undefined ? this.#odd() : value
  }

  value(): Json {
    const first = this.#bytes[this.#at++] ?? this.#odd()
    switch (first >> 5) {
      case WHOLE:
        return this.#number(first)
      case NEGATIVE:
        return -1 - this.#number(first)
      case TEXT:
        return this.#text(this.#number(first))
      case LIST:
        return this.#list(this.#number(first))
      case MAP:
        return this.#object(this.#number(first))
      default:
        return this.#other(first)
    }
  }

  #other(first: number): Json {
    switch (first) {
      case FALSE:
        return false
      case TRUE:
        return true
      case NULL:
        return null
      case DOUBLE:
        return this.#double()
      case PLACE[0]:
        return this.#blob()
      default:
        return this.#odd()
    }
  }

  /** Gives the number that a first byte holds or announces. */
  #number(first: number): number {
    const told = first & 31
    if (told < 24) return told
    if (told > 26) return this.#odd()
    let number = 0
    for (let left = 1 << (told - 24); left > 0; left--)
      number = number * 256 + (this.#bytes[this.#at++] ?? this.#odd())
    return number
  }

  #double(): number {
    const { buffer, byteOffset, length } = this.#bytes
    if (this.#at + 8 > length) return this.#odd()
    this.#view ??= new DataView(buffer, byteOffset, length)
    this.#at += 8
    return this.#view.getFloat64(this.#at - 8)
  }

  #blob(): string {
    for (let i = 1; i < PLACE.length; i++) if (this.#bytes[this.#at++] !== PLACE[i]) this.#odd()
    const [block, index] = [this.#part(), this.#part()]
    return this.#isOdd ? '' : this.#textAt(block, index)
  }

  /** Gives a number that is a part of a place. */
  #part(): number {
    const first = this.#bytes[this.#at++] ?? this.#odd()
    if (first === DOUBLE) return this.#double()
    return first >> 5 === WHOLE ? this.#number(first) : this.#odd()
  }

  #list(count: number): Json {
    const list: Json[] = []
    for (let left = count; left > 0 && !this.#isOdd; left--) list.push(this.value())
    return list
  }

  #object(count: number): Json {
    const object: Record<string, Json> = {}
    for (let left = count; left > 0 && !this.#isOdd; left--) {
      const key = this.#key()
      if (!this.#isOdd) object[key] = this.value()
    }
    return object
  }

  #text(length: number): string {
    const from = this.#at
    this.#at += length
    if (this.#at > this.#bytes.length) {
      this.#odd()
      return ''
    }
    return length > SHORT ? this.#bytes.toString('utf8', from, this.#at) : this.#short(from, length)
  }

  /** Gives a short text, the same string where the same bytes were met lately. */
  #short(from: number, length: number): string {
    const bytes = this.#bytes
    let sum = length
    let all = 0
    for (let i = from; i < from + length; i++) {
      const byte = bytes[i] as number
      sum = (Math.imul(sum, 31) + byte) | 0
      all |= byte
    }
    if (all >= 128) return bytes.toString('utf8', from, from + length)
    const slot = (sum ^ (sum >>> 12)) & (REMEMBERED - 1)
    const known = remembered[slot] as string
    if (isAt(known, bytes, from, length)) return known
    const text = bytes.toString('latin1', from, from + length)
    remembered[slot] = text
    return text
  }

  #odd(): number {
    this.#isOdd = true
    return 0
  }
}

/** Tells whether a text of one byte a character stands at a place. */
function isAt(text: string, bytes: Uint8Array, from: number, length: number): boolean {
  if (text.length !== length) return false
  for (let i = 0; i < length; i++) if (text.charCodeAt(i) !== bytes[from + i]) return false
  return true
}
