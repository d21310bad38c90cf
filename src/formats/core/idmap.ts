import { sha256Oid } from '../../model/encoding/sha256.ts'
import { NumberList } from '../../model/numberlist.ts'

const utf8 = new TextEncoder()

/** Most ids fit in here in UTF-8. */
const scratch = new Uint8Array(256)

/** The number of 32-bit words of an id's hash that identify it; its value follows them. */
const WORDS = 2
const ENTRY = WORDS + 1

/**
 * A map from ids to numbers, for sources with millions of ids: about 20 bytes each, whatever the length of the id,
 * where a `Map` takes 80 and more, and 12 in a saved state. An id is identified by the first 64 bits of its SHA-256, which
 * are also its hash code, so that no choice of ids makes lookups slow. Ids that were made to share
 * these are read as one id: their author could as well have written one.
 */
export class IdMap {
  /** The hashes of all ids, each with the id's number. */
  private readonly entries = new NumberList()
  /** The numbers of entries, from 1, at the slots of their hashes; 0 is an empty slot. */
  #slots = new Int32Array(64)
  /** How many entries have a slot. */
  #size = 0
  /** The id that was set last: most records continue the one before. */
  #newest: { readonly id: string; readonly value: number } | undefined

  get(id: string): number | undefined {
    if (id === this.#newest?.id) return this.#newest.value
    const slot = this.#find(wordsOf(id))
    const entry = this.#slots[slot] as number
    return entry === 0 ? undefined : this.entries.get(entry * ENTRY - 1)
  }

  has(id: string): boolean {
    return this.get(id) !== undefined
  }

  /** Maps an id to a number of 31 bits, in the place of the one that it had. */
  set(id: string, value: number): void {
    this.#newest = { id, value }
    const words = wordsOf(id)
    const slot = this.#find(words)
    const entry = this.#slots[slot] as number
    if (entry > 0) {
      this.entries.set(entry * ENTRY - 1, value)
      return
    }
    for (const word of words) this.entries.push(word)
    this.entries.push(value)
    this.#take(slot)
  }

  #take(slot: number): void {
    this.#slots[slot] = ++this.#size
    if (3 * this.#size > 2 * this.#slots.length) this.#makeSlots(this.#size)
  }

  /** Returns the slot of the entry with a hash, or the empty one where it belongs. */
  #find(words: Int32Array): number {
    // Entries of a restored state have no slots yet.
    if (this.#size * ENTRY < this.entries.length) this.#makeSlots(this.entries.length / ENTRY)
    const mask = this.#slots.length - 1
    const step = (words[1] as number) | 1
    for (let slot = (words[0] as number) & mask; ; slot = (slot + step) & mask) {
      const entry = this.#slots[slot] as number
      if (entry === 0 || this.#isAt((entry - 1) * ENTRY, words)) return slot
    }
  }

  #isAt(at: number, words: Int32Array): boolean {
    for (let i = 0; i < WORDS; i++) if (this.entries.get(at + i) !== words[i]) return false
    return true
  }

  /** Assigns slots to a number of entries. A third of the slots stays empty. */
  #makeSlots(size: number): void {
    let length = this.#slots.length
    while (3 * size > 2 * length) length *= 2
    const slots = new Int32Array(length)
    const mask = length - 1
    for (let entry = 1; entry <= size; entry++) {
      const at = (entry - 1) * ENTRY
      const step = this.entries.get(at + 1) | 1
      let slot = this.entries.get(at) & mask
      while (slots[slot] !== 0) slot = (slot + step) & mask
      slots[slot] = entry
    }
    this.#slots = slots
    this.#size = size
  }
}

interface HashedId {
  readonly id: string
  readonly words: Int32Array
}

/** The ids that were hashed last: a reader asks several maps for the id of a record and for that of its parent. */
let newest: HashedId = { id: '', words: hashOf('') }
let second = newest

function wordsOf(id: string): Int32Array {
  if (id === newest.id) return newest.words
  const hashed = id === second.id ? second : { id, words: hashOf(id) }
  second = newest
  newest = hashed
  return hashed.words
}

function hashOf(id: string): Int32Array {
  // Lone surrogates would all be the same in UTF-8.
  const text = id.isWellFormed() ? id : JSON.stringify(id)
  const isShort = 3 * text.length <= scratch.length
  const digits = sha256Oid(
    isShort ? scratch.subarray(0, utf8.encodeInto(text, scratch).written) : utf8.encode(text),
  )
  const words = new Int32Array(WORDS)
  for (let i = 0; i < WORDS; i++) words[i] = Number.parseInt(digits.slice(8 * i, 8 * i + 8), 16)
  return words
}
