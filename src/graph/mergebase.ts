import type { Look } from './graph.ts'
import { Heap } from './heap.ts'
import { ancestor } from './walk.ts'

/**
 * Gives the best common ancestor of two nodes: the newest node that both reach, or undefined where there is none.
 * Logarithmic in the depth of histories without merges.
 */
export async function mergeBase(a: number, b: number, look: Look): Promise<number | undefined> {
  const [left, right] = [await look(a), await look(b)]
  if (left.merged || right.merged) return general(a, b, look)
  const depth = Math.min(left.depth, right.depth)
  let x = (await ancestor(a, left.depth - depth, look)) as number
  let y = (await ancestor(b, right.depth - depth, look)) as number
  while (x !== y) {
    const [nx, ny] = [await look(x), await look(y)]
    if (nx.parents.length === 0) return undefined
    if (nx.jump === ny.jump) [x, y] = [nx.parents[0] as number, ny.parents[0] as number]
    else [x, y] = [nx.jump, ny.jump]
    // Two roots jump to themselves: equal depths mean that both are roots or neither is.
  }
  return x
}

/** Walks both histories from their newest nodes down; the first that both have painted is the best. */
async function general(a: number, b: number, look: Look): Promise<number | undefined> {
  const LEFT = 1
  const RIGHT = 2
  const colour = new Map<number, number>()
  const open = new Heap((x: number, y: number) => y - x)
  const paint = (node: number, bits: number): void => {
    const known = colour.get(node)
    if (known === undefined) open.push(node)
    colour.set(node, (known ?? 0) | bits)
  }
  paint(a, LEFT)
  paint(b, RIGHT)
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const bits = colour.get(node) as number
    if (bits === (LEFT | RIGHT)) return node
    colour.delete(node)
    for (const parent of (await look(node)).parents) paint(parent, bits)
  }
  return undefined
}
