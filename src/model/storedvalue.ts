import { bufferOf, type Slice } from './bytes.ts'
import { type Envelope, isPlans, type Plan, parsed } from './envelope.ts'
import type { Json } from './json.ts'
import { KIND, StoredSource } from './storedsource.ts'

/** Strings up to so many bytes are looked for among those that were read before: keys, names, roles. */
const SHORT = 24
const REMEMBERED = 4096

const remembered: string[] = new Array<string>(REMEMBERED).fill('')

/**
 * Gives the value that stored bytes hold, with the text of each blob where its place stands: many times quicker than
 * `decodeStored`, and the same. Undefined where they hold anything that is not common, which that reads.
 */
export function storedValue(
  stored: Slice,
  textAt: (block: number, index: number) => string,
): Json | undefined {
  const reader = new Reader(stored, textAt)
  const value = reader.value()
  return reader.isWhole ? value : undefined
}

/**
 * Gives the value of a record whose body these bytes hold, as `fill` makes it of its envelope and the body, which is not
 * made itself. Undefined also where the two do not follow each other key by key.
 */
export function storedIn(
  { shape, values }: Envelope,
  stored: Slice,
  textAt: (block: number, index: number) => string,
): Json | undefined {
  const { at, plan } = parsed(shape)
  const reader = new Reader(stored, textAt, values)
  const value = reader.around(at, plan)
  return reader.isWhole ? value : undefined
}

/** Makes values. */
class Reader extends StoredSource<Json> {
  readonly #buffer: Buffer
  readonly #textAt: (block: number, index: number) => string
  /** What stands in an envelope around the value, and how many of it were put in their places. */
  readonly #values: readonly Json[]
  #next = 0

  constructor(stored: Slice, textAt: (block: number, index: number) => string, values: readonly Json[] = []) {
    super(stored)
    this.#buffer = bufferOf(stored.all)
    this.#values = values
    this.#textAt = textAt
  }

  /** Gives the value in an envelope in which it stands under some keys. */
  around(at: readonly string[], plan: Plan): Json {
    const [inner, ...rest] = at
    if (inner === undefined) return this.#within(plan)
    if (plan === 0 || plan === 1 || isPlans(plan)) return this.odd()
    const object: Record<string, Json> = {}
    for (let i = 0; i < plan.keys.length; i++) {
      const key = plan.keys[i] as string
      const next = plan.plans[i] as Plan
      object[key] = key === inner ? this.around(rest, next) : next === 1 ? this.#given() : this.odd()
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
    const first = this.first()
    const count = this.number(first)
    if (isPlans(plan)) {
      if (first >> 5 !== KIND.list || count !== plan.length) this.odd()
      return plan.map((child) => this.#within(child))
    }
    if (first >> 5 !== KIND.map) this.odd()
    return this.#fields(plan.keys, plan.plans, count)
  }

  /** Gives an object of which a map of so many keys has some, in the same order. */
  #fields(keys: readonly string[], plans: readonly Plan[], count: number): Json {
    const object: Record<string, Json> = {}
    let left = count
    let met = left > 0 ? this.#key() : undefined
    for (let i = 0; i < keys.length && !this.isOdd; i++) {
      const key = keys[i] as string
      const plan = plans[i] as Plan
      if (key !== met) object[key] = plan === 1 ? this.#given() : this.odd()
      else {
        object[key] = this.#within(plan)
        met = --left > 0 ? this.#key() : undefined
      }
    }
    if (left > 0) this.odd()
    return object
  }

  #key(): string {
    const first = this.first()
    const key = first >> 5 === KIND.text ? this.text(this.number(first)) : ''
    if (first >> 5 !== KIND.text || key === '__proto__') this.odd()
    return key
  }

  /** Gives the next of the envelope's own values. */
  #given(): Json {
    const value = this.#values[this.#next++]
    return value === undefined ? this.odd() : value
  }

  protected numeral(value: number): Json {
    return value
  }

  protected constant(value: boolean | null): Json {
    return value
  }

  protected blob(block: number, index: number): string {
    return this.#textAt(block, index)
  }

  protected list(count: number): Json {
    const list: Json[] = []
    for (let left = count; left > 0 && !this.isOdd; left--) list.push(this.value())
    return list
  }

  protected object(count: number): Json {
    const object: Record<string, Json> = {}
    for (let left = count; left > 0 && !this.isOdd; left--) {
      const key = this.#key()
      if (!this.isOdd) object[key] = this.value()
    }
    return object
  }

  protected text(length: number): string {
    const from = this.pass(length)
    if (this.isOdd) return ''
    return length > SHORT ? this.#buffer.toString('utf8', from, this.at) : this.#short(from, length)
  }

  /** Gives a short text, the same string where the same bytes were met lately. */
  #short(from: number, length: number): string {
    const bytes = this.#buffer
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
}

/** Tells whether a text of one byte a character stands at a place. */
function isAt(text: string, bytes: Uint8Array, from: number, length: number): boolean {
  if (text.length !== length) return false
  for (let i = 0; i < length; i++) if (text.charCodeAt(i) !== bytes[from + i]) return false
  return true
}
