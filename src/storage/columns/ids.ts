import { readInts, writeInts } from './ints.ts'
import type { TextSink, TextSource } from './texts.ts'
import type { ByteSink, ByteSource } from './varint.ts'

/**
 * How an id is kept. A UUID takes 16 bytes; a random one (version 4) 15 and a quarter, because six of its bits are
 * always the same; a text takes none, its characters are with the texts; any other form is the number of bytes that
 * the id spells in hex.
 */
const UUID = 0
const TEXT = 1
const RANDOM = 2
const MIN_HEX = 4
const MAX_HEX = 32

const UUID_FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const HEX_FORM = /^(?:[0-9a-f]{2}){4,32}$/

function formOf(text: string): number {
  if (text.length === 36 && UUID_FORM.test(text))
    return text[14] === '4' && '89ab'.includes(text[19] as string) ? RANDOM : UUID
  return text.length <= 2 * MAX_HEX && HEX_FORM.test(text) ? text.length / 2 : TEXT
}

/** Tells whether a text is spelled as ids often are: a UUID, or 8 to 64 hex digits. */
export const isIdForm = (text: string): boolean => formOf(text) !== TEXT

/** How many bytes an id of a form takes, and how many characters they spell. */
const sizeOf = (form: number): number =>
  form === TEXT ? 0 : form === RANDOM ? 15 : form === UUID ? 16 : form
const spelledSizeOf = (form: number): number =>
  form === TEXT ? 0 : form === RANDOM || form === UUID ? 36 : 2 * form

/** Ids, each kept once, by their numbers from 0. */
export class IdSink {
  readonly #numbers = new Map<string, number>()

  /** Gives the number of an id that is kept. */
  numberOf(id: string): number | undefined {
    return this.#numbers.get(id)
  }

  get size(): number {
    return this.#numbers.size
  }

  /** Keeps an id under the next number. */
  add(id: string): void {
    this.#numbers.set(id, this.#numbers.size)
  }

  /** Writes how many ids there are and what each is to the first sink, their bytes to the second. */
  finish(sink: ByteSink, bytes: ByteSink, texts: TextSink): void {
    const ids = [...this.#numbers.keys()]
    const forms = ids.map(formOf)
    sink.varint(ids.length)
    writeInts(sink, forms)
    const quarters: number[] = []
    for (const [i, id] of ids.entries()) {
      if (forms[i] === TEXT) continue
      const spelled = Buffer.from(id.replaceAll('-', ''), 'hex')
      bytes.bytes(forms[i] === RANDOM ? squeeze(spelled, quarters) : spelled)
    }
    for (let i = 0; i < quarters.length; i += 4)
      bytes.byte(quarters.slice(i, i + 4).reduce((byte, quarter, n) => byte + (quarter << (2 * n)), 0))
    texts.add(
      sink,
      ids.filter((_, i) => forms[i] === TEXT),
    )
  }
}

/** Gives 15 of the 16 bytes of a random UUID, the two bits that are left over as a number. */
function squeeze(uuid: Uint8Array, quarters: number[]): Uint8Array {
  const sixth = uuid[6] as number
  const eighth = uuid[8] as number
  quarters.push((eighth >> 4) & 3)
  uuid[6] = ((sixth & 15) << 4) | (eighth & 15)
  uuid.copyWithin(8, 9)
  return uuid.subarray(0, 15)
}

/** Gives the ids that an IdSink wrote, in the order of their numbers. `spend` may refuse their count. */
export function readIds(
  source: ByteSource,
  bytes: ByteSource,
  texts: TextSource,
  spend: (count: number) => void,
): string[] {
  const count = source.varint()
  spend(count)
  const forms = readInts(source, count)
  const spelled = spellAll(bytes, forms)
  const rest = texts.take(source, forms.filter((form) => form === TEXT).length)
  let at = 0
  let next = 0
  return forms.map((form) => {
    if (form === TEXT) return rest[next++] as string
    at += spelledSizeOf(form)
    return spelled.slice(at - spelledSizeOf(form), at)
  })
}

const DIGITS = Uint8Array.from([...'0123456789abcdef'].map((digit) => digit.charCodeAt(0)))
const DASH = 45

/** Spells the bytes of all ids in one text: that is many times cheaper than a text for each. */
function spellAll(source: ByteSource, forms: readonly number[]): string {
  let size = 0
  let spelledSize = 0
  let random = 0
  for (const form of forms) {
    if (form > RANDOM && (form < MIN_HEX || form > MAX_HEX)) throw new RangeError('an id has no known form')
    size += sizeOf(form)
    spelledSize += spelledSizeOf(form)
    if (form === RANDOM) random++
  }
  const bytes = source.bytes(size)
  const quarters = source.bytes(Math.ceil(random / 4))
  const text = Buffer.allocUnsafe(spelledSize)
  const uuid = new Uint8Array(16)
  let from = 0
  let to = 0
  let n = 0
  for (const form of forms) {
    const id = bytes.subarray(from, from + sizeOf(form))
    from += id.length
    if (form === RANDOM) {
      restore(uuid, id, ((quarters[n >> 2] as number) >> (2 * (n & 3))) & 3)
      n++
      to = spell(text, to, uuid, true)
    } else to = spell(text, to, id, form === UUID)
  }
  return text.toString('latin1')
}

/** Gives a random UUID its six constant bits back. */
function restore(uuid: Uint8Array, squeezed: Uint8Array, quarter: number): void {
  const both = squeezed[6] as number
  uuid.set(squeezed)
  uuid.copyWithin(9, 8, 15)
  uuid[6] = 0x40 | (both >> 4)
  uuid[8] = 0x80 | (quarter << 4) | (both & 15)
}

function spell(text: Uint8Array, from: number, bytes: Uint8Array, dashed: boolean): number {
  let to = from
  for (let i = 0; i < bytes.length; i++) {
    if (dashed && (i === 4 || i === 6 || i === 8 || i === 10)) text[to++] = DASH
    const byte = bytes[i] as number
    text[to++] = DIGITS[byte >> 4] as number
    text[to++] = DIGITS[byte & 15] as number
  }
  return to
}
