import type { BlobRef } from '../../model/canonical.ts'
import { SessError } from '../../model/errors.ts'
import { relocated } from '../blocks/blob.ts'
import type { Stored } from '../record.ts'

/** Places of items, and something of each. */
export class Places<T> {
  readonly #blocks = new Map<number, Map<number, T>>()

  get({ block, index }: BlobRef): T | undefined {
    return this.#blocks.get(block)?.get(index)
  }

  set({ block, index }: BlobRef, value: T): void {
    let items = this.#blocks.get(block)
    if (!items) {
      items = new Map()
      this.#blocks.set(block, items)
    }
    items.set(index, value)
  }

  /** Gives the blocks in their order, each with the items that have something. */
  blocks(): [number, ReadonlyMap<number, T>][] {
    return [...this.#blocks].sort(([a], [b]) => a - b)
  }
}

/** Where blobs are now, by where they were. */
export class Moves {
  readonly #moved = new Places<BlobRef>()
  readonly #staying = new Set<number>()

  /** All of a block stays where it is. */
  stay(block: number): void {
    this.#staying.add(block)
  }

  move(from: BlobRef, to: BlobRef): void {
    this.#moved.set(from, to)
  }

  /** Gives where a blob is now, undefined where it was not taken. */
  find(from: BlobRef): BlobRef | undefined {
    return this.#staying.has(from.block) ? from : this.#moved.get(from)
  }

  /** Gives a value with its blobs where they are now; the same value where none moved. Throws `corrupt` for one not taken. */
  follow(stored: Stored): Stored {
    return relocated(stored, (from) => {
      const to = this.find(from)
      if (!to) throw new SessError('corrupt', `item ${from.index} of block ${from.block} is named by nothing`)
      return to.block === from.block && to.index === from.index ? from : to
    })
  }
}

/** Gives each place that a value names. */
export function placesIn(stored: Stored): BlobRef[] {
  const places: BlobRef[] = []
  relocated(stored, (ref) => {
    places.push(ref)
    return ref
  })
  return places
}
