import type { Ranges } from '../model/ranges.ts'

const BITS = 13
const SIZE = 2 ** BITS

/** A set of nodes that takes a bit for each, where nodes stand close together. */
export class NodeSet {
  readonly #chunks = new Map<number, Uint8Array>()
  #size = 0

  constructor(nodes: Iterable<number> = []) {
    for (const node of nodes) this.add(node)
  }

  get size(): number {
    return this.#size
  }

  has(node: number): boolean {
    const at = node % SIZE
    return (((this.#chunks.get(Math.floor(node / SIZE))?.[at >> 3] ?? 0) >> (at & 7)) & 1) === 1
  }

  /** Adds a node, and tells whether it was new. */
  add(node: number): boolean {
    const index = Math.floor(node / SIZE)
    let chunk = this.#chunks.get(index)
    if (!chunk) {
      chunk = new Uint8Array(SIZE >> 3)
      this.#chunks.set(index, chunk)
    }
    const at = node % SIZE
    const byte = chunk[at >> 3] as number
    if ((byte >> (at & 7)) & 1) return false
    chunk[at >> 3] = byte | (1 << (at & 7))
    this.#size++
    return true
  }

  /** Gives the nodes, the lowest first. */
  *[Symbol.iterator](): Generator<number> {
    for (const index of [...this.#chunks.keys()].sort((a, b) => a - b)) {
      const chunk = this.#chunks.get(index) as Uint8Array
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at] as number
        for (let bit = 0; byte >> bit > 0; bit++) if ((byte >> bit) & 1) yield index * SIZE + 8 * at + bit
      }
    }
  }

  /** Gives the nodes, the highest first. */
  *descending(): Generator<number> {
    for (const index of [...this.#chunks.keys()].sort((a, b) => b - a)) {
      const chunk = this.#chunks.get(index) as Uint8Array
      for (let at = chunk.length - 1; at >= 0; at--) {
        const byte = chunk[at] as number
        if (byte > 0)
          for (let bit = 7; bit >= 0; bit--) if ((byte >> bit) & 1) yield index * SIZE + 8 * at + bit
      }
    }
  }

  /** Gives the nodes as ranges: what stands together is one. */
  ranges(): Ranges {
    const ranges: [number, number][] = []
    for (const node of this) {
      const last = ranges.at(-1)
      if (last?.[1] === node) last[1] = node + 1
      else ranges.push([node, node + 1])
    }
    return ranges
  }
}
