import type { Slice } from './bytes.ts'
import { encode } from './canonical.ts'
import { type Envelope, isPlans, type Plan, parsed } from './envelope.ts'
import { type Json, jsonText } from './json.ts'
import { KIND, StoredSource } from './storedsource.ts'
import { type Utf8Room, type Words, wordsOf } from './utf8room.ts'

/** Adds the text of the blob at a place to a room as JSON spells it. */
export type AddBlob = (room: Utf8Room, block: number, index: number) => void

/**
 * Adds to a room the compact JSON text of the value that `storedIn` gives, which is not made itself. False where that gives
 * none; then what was added is of no meaning.
 */
export function addStoredIn(
  room: Utf8Room,
  { shape, values }: Envelope,
  stored: Slice,
  addBlob: AddBlob,
): boolean {
  const speller = new Speller(room, stored, addBlob, values)
  speller.within(stepsOf(shape))
  return speller.isWhole
}

/** Where the body is said to stand under a key of what has none. */
const NOWHERE = 2

/** A plan with its keys as they are stored and as they are spelled. */
type Steps =
  | 0
  | 1
  | typeof NOWHERE
  | readonly Steps[]
  | { readonly fields: readonly Field[]; readonly isAround: boolean }

interface Field {
  readonly stored: Uint8Array
  /** With what stands before it and behind it. */
  readonly spelled: Words
  readonly steps: Steps
  /** Whether the body stands under it. */
  readonly isInner: boolean
}

/** To ask for a key that some have takes many times as long. */
const isList = (steps: Exclude<Steps, number>): steps is readonly Steps[] => Array.isArray(steps)

const known = new Map<string, Steps>()

function stepsOf(shape: string): Steps {
  let steps = known.get(shape)
  if (steps) return steps
  const { at, plan } = parsed(shape)
  if (known.size >= 4096) known.clear()
  steps = laidOut(plan, at)
  known.set(shape, steps)
  return steps
}

const utf8 = new TextEncoder()

function laidOut(plan: Plan, at: readonly string[]): Steps {
  const [inner, ...rest] = at
  if (plan === 0 || plan === 1) return inner === undefined ? plan : NOWHERE
  if (isPlans(plan)) return inner === undefined ? plan.map((child) => laidOut(child, at)) : NOWHERE
  const fields = plan.keys.map((key, i) => ({
    stored: encode(key),
    spelled: wordsOf(utf8.encode(`${i === 0 ? '{' : ','}${JSON.stringify(key)}:`)),
    steps: laidOut(plan.plans[i] as Plan, key === inner ? rest : []),
    isInner: key === inner,
  }))
  return { fields, isAround: inner !== undefined }
}

/** The one key that no object can be given. */
const PROTO = utf8.encode('__proto__')

const LIST_START = 91
const LIST_END = 93
const MAP_START = 123
const MAP_END = 125
const COMMA = 44
const COLON = 58

/** Spells values. */
class Speller extends StoredSource<void> {
  readonly #room: Utf8Room
  readonly #addBlob: AddBlob
  /** What stands in an envelope around the value, and how many of it were put in their places. */
  readonly #values: readonly Json[]
  #next = 0

  constructor(room: Utf8Room, stored: Slice, addBlob: AddBlob, values: readonly Json[]) {
    super(stored)
    this.#room = room
    this.#addBlob = addBlob
    this.#values = values
  }

  within(steps: Steps): void {
    if (steps === 0) return this.value()
    if (steps === NOWHERE) return void this.odd()
    if (steps === 1) {
      // What the body has there the record has otherwise.
      const from = this.#room.length
      this.value()
      this.#room.cut(from)
      return this.#given()
    }
    if (!isList(steps)) return steps.isAround ? this.#around(steps.fields) : this.#map(steps.fields)
    const first = this.first()
    if (first >> 5 !== KIND.list || this.number(first) !== steps.length) this.odd()
    this.#room.byte(LIST_START)
    for (let i = 0; i < steps.length && !this.isOdd; i++) {
      if (i > 0) this.#room.byte(COMMA)
      this.within(steps[i] as Steps)
    }
    this.#room.byte(LIST_END)
  }

  #around(fields: readonly Field[]): void {
    for (const { spelled, steps, isInner } of fields) {
      this.#room.words(spelled)
      if (isInner) this.within(steps)
      else if (steps === 1) this.#given()
      else this.odd()
    }
    this.#end(fields)
  }

  #end({ length }: { readonly length: number }): void {
    if (length === 0) this.#room.byte(MAP_START)
    this.#room.byte(MAP_END)
  }

  /** Spells an object of which a map has some fields, in the same order. */
  #map(fields: readonly Field[]): void {
    const first = this.first()
    if (first >> 5 !== KIND.map) this.odd()
    let left = this.number(first)
    for (let i = 0; i < fields.length && !this.isOdd; i++) {
      const { stored, spelled, steps } = fields[i] as Field
      this.#room.words(spelled)
      if (left > 0 && this.#met(stored)) {
        this.within(steps)
        left--
      } else if (steps === 1) this.#given()
      else this.odd()
    }
    if (left > 0) this.odd()
    this.#end(fields)
  }

  /** Goes past a key where it stands next. */
  #met(key: Uint8Array): boolean {
    for (let i = 0; i < key.length; i++) if (this.bytes[this.at + i] !== key[i]) return false
    this.at += key.length
    return true
  }

  /** Spells the next of the envelope's own values. */
  #given(): void {
    const value = this.#values[this.#next++]
    if (typeof value === 'string') this.#room.quoted(value)
    else if (typeof value === 'number') this.#room.number(value)
    else if (value === undefined) this.odd()
    else this.#room.text(jsonText(value))
  }

  protected numeral(value: number): void {
    this.#room.number(value)
  }

  protected constant(value: boolean | null): void {
    this.#room.text(`${value}`)
  }

  protected blob(block: number, index: number): void {
    this.#addBlob(this.#room, block, index)
  }

  protected list(count: number): void {
    this.#room.byte(LIST_START)
    for (let left = count; left > 0 && !this.isOdd; left--) {
      if (left < count) this.#room.byte(COMMA)
      this.value()
    }
    this.#room.byte(LIST_END)
  }

  protected object(count: number): void {
    this.#room.byte(MAP_START)
    for (let left = count; left > 0 && !this.isOdd; left--) {
      if (left < count) this.#room.byte(COMMA)
      this.#key()
      this.#room.byte(COLON)
      if (!this.isOdd) this.value()
    }
    this.#room.byte(MAP_END)
  }

  #key(): void {
    const first = this.first()
    if (first >> 5 !== KIND.text || this.#met(PROTO)) this.odd()
    else this.text(this.number(first))
  }

  protected text(length: number): void {
    const from = this.pass(length)
    if (!this.isOdd && !this.#room.quotedAt(this.view, from, this.at)) this.odd()
  }
}
