import { sha256Oid } from '../../model/encoding/sha256.ts'
import { NumberList } from '../../model/numberlist.ts'

const utf8 = new TextEncoder()

/** Most ids fit in here in UTF-8. */
const scratch = new Uint8Array(256)

/** The number of 32-bit words of an id's hash that identify it; its value follows them. */
const WORDS = 4
const ENTRY = WORDS + 1

/**
 * A map from ids to numbers, for sources with millions of ids: about 30 bytes each, whatever the length of the id,
 * where a `Map` takes 80 and more. An id is identified by the first 128 bits of its SHA-256, which are also its hash
 * code, so that no choice of ids makes lookups slow.
 */
export class IdMap {
  /** The hashes of all ids, each with the id's number. */
  private readonly entries = new NumberList()
  /** The numbers of entries, from 1, at the slots of their hashes; 0 is an empty slot. */
  #slots = new Int32Array(64)
  /** How many entries have a slot. */
  #size = 0
  /** The id that was hashed last, and the one that was set last: most records continue the one before. */
  #hashed = { id: '', words: wordsOf('') }
  #newest: { readonly id: string; readonly value: number } | undefined

  get(id: string): number | undefined {
    if (id === this.#newest?.id) return this.#newest.value
    const slot = this.#find(this.#wordsOf(id))
    const entry = this.#slots[slot] as number
    return entry === 0 ? undefined : this.entries.get(entry * ENTRY - 1)
  }

  has(id: string): boolean {
    return this.get(id) !== undefined
  }

  /** Maps an id to a number of 31 bits, in the place of the one that it had. */
  set(id: string, value: number): void {
    this.#newest = { id, value }
    const words = this.#wordsOf(id)
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

  /** Adds the slot of the first entry that has none. */
  #addSlot(): void {
    this.#take(this.#emptySlot(this.#size * ENTRY))
  }

  #take(slot: number): void {
    this.#slots[slot] = ++this.#size
    if (3 * this.#size > 2 * this.#slots.length) this.#grow()
  }

  /** Returns the slot for an entry that begins at an index, and whose id has none yet. */
  #emptySlot(at: number): number {
    const mask = this.#slots.length - 1
    const step = this.entries.get(at + 1) | 1
    let slot = this.entries.get(at) & mask
    while (this.#slots[slot] !== 0) slot = (slot + step) & mask
    return slot
  }

  #wordsOf(id: string): Int32Array {
    if (id !== this.#hashed.id) this.#hashed = { id, words: wordsOf(id) }
    return this.#hashed.words
  }

  /** Returns the slot of the entry with a hash, or the empty one where it belongs. */
  #find(words: Int32Array): number {
    // Entries of a restored state have no slots yet.
    while (this.#size * ENTRY < this.entries.length) this.#addSlot()
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

  #grow(): void {
    this.#slots = new Int32Array(2 * this.#slots.length)
    for (let entry = 1; entry <= this.#size; entry++)
      this.#slots[this.#emptySlot((entry - 1) * ENTRY)] = entry
  }
}

function wordsOf(id: string): Int32Array {
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
