import type { Look } from './graph.ts'
import { Heap } from './heap.ts'

const SHOWN = 1
const HIDDEN = 2

/** How a range is walked. */
export interface RangeOptions {
  /** Follow only the first parents of what is given. */
  readonly firstParent?: boolean
}

/**
 * Gives what tips reach and hidden nodes do not, the highest node first, so children before parents. Looks only as
 * far as something may still be given: as many nodes as it gives, and those between them and the hidden.
 */
export async function* range(
  tips: Iterable<number>,
  hidden: Iterable<number>,
  look: Look,
  { firstParent = false }: RangeOptions = {},
): AsyncGenerator<number> {
  const marks = new Map<number, number>()
  const open = new Heap<number>((a, b) => b - a)
  let shown = 0
  const mark = (node: number, bits: number): void => {
    const known = marks.get(node)
    if (known === undefined) open.push(node)
    const now = (known ?? 0) | bits
    shown += Number(now === SHOWN) - Number(known === SHOWN)
    marks.set(node, now)
  }
  for (const node of tips) mark(node, SHOWN)
  for (const node of hidden) mark(node, HIDDEN)
  // All children of the highest open node were passed before it: its marks are final.
  for (let node = open.pop(); node !== undefined && shown > 0; node = open.pop()) {
    const bits = marks.get(node) as number
    marks.delete(node)
    const found = look(node)
    const { parents } = found instanceof Promise ? await found : found
    if (bits === SHOWN) {
      shown--
      yield node
    }
    const followed = firstParent && bits === SHOWN ? parents.slice(0, 1) : parents
    for (const parent of followed) mark(parent, bits & HIDDEN ? HIDDEN : SHOWN)
  }
}
