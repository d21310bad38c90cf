import { NumberList } from '../../model/numberlist.ts'
import { NONE, type RecordIndex } from './format.ts'

/**
 * The tree that the records of one file form, entries and others alike. Every record has its position here,
 * so that positions are the reader's handles. Each node also knows an ancestor far above it (the skip list of
 * Myers, 1983), which makes every question here O(log n) on paths of any length.
 */
export class RecordTree {
  private readonly parents = new NumberList()
  private readonly jumps = new NumberList()
  private readonly depths = new NumberList()
  /** The number of entries on the path to a node, itself included. */
  private readonly counts = new NumberList()
  /** The nearest entry at or above a node. */
  private readonly entries = new NumberList()
  /** The ids of unresolved parents, by nodes without an entry above them. */
  private readonly lacking = new Map<RecordIndex, string>()

  /** How many records there are: the position of the next one. */
  get length(): number {
    return this.parents.length
  }

  /** Adds a record that is no part of the tree. */
  skip(): void {
    this.#push(NONE, NONE, 0, 0, NONE)
  }

  /**
   * Adds a node below `parent`, or a root if that is `NONE`; `unresolved` is the id of the parent that a root does
   * not have.
   */
  add(parent: RecordIndex, isEntry: boolean, unresolved?: string): void {
    const at = this.length
    const id =
      parent === NONE ? unresolved : this.entryAt(parent) === NONE ? this.unresolved(parent) : undefined
    if (id !== undefined) this.lacking.set(at, id)
    if (parent === NONE) {
      this.#push(NONE, at, 1, isEntry ? 1 : 0, isEntry ? at : NONE)
      return
    }
    const jump = this.jumps.get(parent)
    const far = this.jumps.get(jump)
    const even = this.#depth(parent) - this.#depth(jump) === this.#depth(jump) - this.#depth(far)
    const count = this.counts.get(parent) + (isEntry ? 1 : 0)
    this.#push(
      parent,
      even ? far : parent,
      this.#depth(parent) + 1,
      count,
      isEntry ? at : this.entryAt(parent),
    )
  }

  /** Returns the id of the unresolved parent of a node without an entry above it. */
  unresolved(at: RecordIndex): string | undefined {
    return this.lacking.get(at)
  }

  /** Returns the node above a node, or `NONE` for a root. */
  parentOf(at: RecordIndex): RecordIndex {
    return this.parents.get(at)
  }

  /** Returns the nodes of a path from `first` to `last`, of which `first` is an ancestor or the same. */
  between(first: RecordIndex, last: RecordIndex): RecordIndex[] {
    const path = [last]
    for (let at = last; at !== first; path.push(at)) at = this.parents.get(at)
    return path.reverse()
  }

  isNode(at: RecordIndex): boolean {
    return this.#depth(at) > 0
  }

  /** Returns the nearest entry at or above a node, or `NONE`. */
  entryAt(at: RecordIndex): RecordIndex {
    return at === NONE ? NONE : this.entries.get(at)
  }

  /**
   * Returns the entry that a target means on the path that ends at `tip`: the target itself, or the next entry after
   * it if it is none. Undefined if the target is not on that path or no entry follows it there.
   */
  entryFrom(target: RecordIndex, tip: RecordIndex): RecordIndex | undefined {
    return this.#entry(target, tip, this.entryAt(target) === target ? 0 : 1)
  }

  /** Returns the next entry after a node on the path that ends at `tip`; undefined if there is none. */
  entryAfter(node: RecordIndex, tip: RecordIndex): RecordIndex | undefined {
    return this.#entry(node, tip, 1)
  }

  /** Returns whether a node is on the path that ends at `tip`. */
  isOn(node: RecordIndex, tip: RecordIndex): boolean {
    if (tip === NONE || this.#depth(node) > this.#depth(tip)) return false
    return this.#highest(tip, this.depths, this.#depth(node)) === node
  }

  /** Returns the entry a number of entries further on a path than a node. */
  #entry(node: RecordIndex, tip: RecordIndex, further: number): RecordIndex | undefined {
    if (!this.isOn(node, tip)) return undefined
    const least = this.counts.get(node) + further
    return this.counts.get(tip) < least ? undefined : this.#highest(tip, this.counts, least)
  }

  /**
   * Returns the highest node at or above `at` whose measure, which grows along a path, is not below `least`.
   */
  #highest(at: RecordIndex, measure: NumberList, least: number): RecordIndex {
    for (;;) {
      const jump = this.jumps.get(at)
      const parent = this.parents.get(at)
      if (jump !== at && measure.get(jump) >= least) at = jump
      else if (parent !== NONE && measure.get(parent) >= least) at = parent
      else return at
    }
  }

  #depth(at: RecordIndex): number {
    return this.depths.get(at)
  }

  #push(parent: RecordIndex, jump: RecordIndex, depth: number, count: number, entry: RecordIndex): void {
    this.parents.push(parent)
    this.jumps.push(jump)
    this.depths.push(depth)
    this.counts.push(count)
    this.entries.push(entry)
  }
}
