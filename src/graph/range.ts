import type { Look } from './graph.ts'
import { Frontier } from './order.ts'
import { path } from './walk.ts'

const SHOWN = 1
const HIDDEN = 2

/** How a range is walked. */
export interface RangeOptions {
  /** Follow only the first parents of yielded nodes. */
  readonly firstParent?: boolean
}

/**
 * Yields the nodes that tips reach and hidden nodes do not, in descending order, so children before parents. Reads the
 * yielded nodes and those between them and the hidden ones, no further.
 */
export async function* range<N>(
  tips: Iterable<N>,
  hidden: Iterable<N>,
  look: Look<N>,
  { firstParent = false }: RangeOptions = {},
): AsyncGenerator<N> {
  const marks = new Map<N, number>()
  const open = new Frontier(look)
  let shown = 0
  const mark = async (node: N, bits: number): Promise<void> => {
    const known = marks.get(node)
    if (known === undefined) await open.push(node)
    const now = (known ?? 0) | bits
    shown += Number(now === SHOWN) - Number(known === SHOWN)
    marks.set(node, now)
  }
  for (const node of tips) await mark(node, SHOWN)
  for (const node of hidden) await mark(node, HIDDEN)
  // All children of the highest open node were passed before it: its marks are final.
  for (let next = open.pop(); next !== undefined && shown > 0; next = open.pop()) {
    const { node, parents } = next
    const bits = marks.get(node) as number
    marks.delete(node)
    if (bits === SHOWN) {
      shown--
      yield node
    }
    const followed = firstParent && bits === SHOWN ? parents.slice(0, 1) : parents
    for (const parent of followed) await mark(parent, bits & HIDDEN ? HIDDEN : SHOWN)
  }
}

/** Yields the nodes that a tip reaches and one of its ancestors does not, children before parents; all without a base. */
export async function* since<N>(tip: N, base: N | undefined, look: Look<N>): AsyncGenerator<N> {
  if ((await look(tip)).merge !== undefined) yield* range([tip], base === undefined ? [] : [base], look)
  else
    for await (const node of path(tip, look)) {
      if (node === base) return
      yield node
    }
}
