import type { Awaitable } from '../../model/awaitable.ts'
import { ByteSink, ByteSource } from '../columns/varint.ts'
import { wellFormed } from '../fault.ts'
import { type Key, LEDGER, ledgerKey } from '../keys.ts'
import type { Level } from '../pairs.ts'
import { seal, unseal } from '../seal.ts'

const BEGIN = 'the begin of the ledger'

/** A commit in the ledger, by its number there. */
export type Numbered = readonly [number: number, bytes: Uint8Array]

/** Where small commits stand, one behind the other, until what they did is in its place. */
export interface Ledger {
  /** Gives what stands in it from a number on, without a gap. Throws `corrupt` where what is behind something is lost. */
  read(from: number): Iterable<Numbered>
  /**
   * Adds what may lie in pieces; it is durable when this returns or resolves. `confirm` is called once whoever copies the
   * ledger finds it there, and before that.
   */
  write(number: number, pieces: readonly Uint8Array[], confirm: () => void): Awaitable<void>
  /** Lets go of what stands before a number: all of that is in its place, durably. */
  free(to: number): Promise<void>
  close(): void
}

/** Reads under which number the first commit stands that is not in its place. */
export function firstInLedger(level: Level): number {
  const begin = level.getSync(LEDGER)
  return begin ? wellFormed(BEGIN, () => new ByteSource(unseal(LEDGER, begin, BEGIN)).varint()) : 0
}

/** Gives what says that the first commit that is not in its place stands under a number. */
export function ledgerBegin(first: number): { readonly key: Key; readonly value: Uint8Array } {
  const begin = new ByteSink()
  begin.varint(first)
  return { key: LEDGER, value: seal(LEDGER, begin.view()) }
}

/** A ledger in the database itself, a value for each commit: of a database in memory, and of earlier stores. */
export class LevelLedger implements Ledger {
  readonly #level: Level
  /** Behind the last number that it may have. */
  #end = 0

  constructor(level: Level) {
    this.#level = level
  }

  *read(from: number): Generator<Numbered> {
    for (let number = from; ; number++) {
      const key = ledgerKey(number)
      const value = this.#level.getSync(key)
      if (value === undefined) return
      this.#end = number + 1
      yield [number, unseal(key, value, `commit ${number} of the ledger`)]
    }
  }

  async write(number: number, pieces: readonly Uint8Array[], confirm: () => void): Promise<void> {
    const key = ledgerKey(number)
    this.#end = number + 1
    await this.#level.batch([{ type: 'put', key, value: seal(key, ...pieces) }], { sync: true })
    confirm()
  }

  async free(to: number): Promise<void> {
    if (this.#end === 0) return
    await this.#level.clear({ gte: ledgerKey(0), lt: ledgerKey(to) })
    if (to >= this.#end) this.#end = 0
  }

  close(): void {
    // It is closed with its database.
  }
}
