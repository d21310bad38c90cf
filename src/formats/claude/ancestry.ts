import { Numbers } from '../../model/numbers.ts'
import type { RecordIndex } from '../format.ts'

/** Stands where an entry has no parent. */
const NONE = -1

/**
 * Which entries continue which. Each entry keeps, besides its parent, one jump to an ancestor further up, so
 * that an ancestor among n is found in O(log n) steps (a skip list along the path).
 */
export class Ancestry {
  readonly #parents = new Numbers()
  readonly #jumps = new Numbers()
  readonly #depths = new Numbers()

  /** Adds an entry, its parent added before it. */
  add(entry: RecordIndex, parent: RecordIndex | null): void {
    this.#parents.set(entry, parent ?? NONE)
    if (parent === null) {
      this.#depths.set(entry, 0)
      this.#jumps.set(entry, entry)
      return
    }
    const depth = this.#depth(parent)
    const jump = this.#jump(parent)
    const even = depth - this.#depth(jump) === this.#depth(jump) - this.#depth(this.#jump(jump))
    this.#depths.set(entry, depth + 1)
    this.#jumps.set(entry, even ? this.#jump(jump) : parent)
  }

  /** Tells whether an entry stands on the path from the root to a tip, the tip included. */
  isOnPath(entry: RecordIndex, tip: RecordIndex): boolean {
    const depth = this.#depth(entry)
    let place = tip
    while (this.#depth(place) > depth) {
      const jump = this.#jump(place)
      place = this.#depth(jump) >= depth ? jump : (this.#parentOf(place) as RecordIndex)
    }
    return place === entry
  }

  /** Gives the entries of a path from `first` to `last`, of which `first` is an ancestor or the same. */
  between(first: RecordIndex, last: RecordIndex): RecordIndex[] {
    const path = [last]
    for (let place = last; place !== first; ) {
      place = this.#parentOf(place) as RecordIndex
      path.push(place)
    }
    return path.reverse()
  }

  #parentOf(entry: RecordIndex): RecordIndex | null {
    const parent = this.#parents.get(entry)
    return parent === NONE ? null : parent
  }

  #depth(entry: RecordIndex): number {
    return this.#depths.get(entry)
  }

  #jump(entry: RecordIndex): RecordIndex {
    return this.#jumps.get(entry)
  }
}
