import type { GraphNode, Look } from './graph.ts'
import { Heap } from './heap.ts'
import { ancestor } from './walk.ts'

/**
 * Gives the best common ancestor of two nodes: the newest node that both reach, or undefined where there is none.
 * Logarithmic in the depth of histories without merges.
 */
export async function mergeBase(a: number, b: number, look: Look): Promise<number | undefined> {
  const [left, right] = [await look(a), await look(b)]
  if (left.merged || right.merged) {
    for await (const base of painted(a, b, look)) return base
    return undefined
  }
  return meeting(a, b, look)
}

/**
 * Gives the newest node that the paths of two nodes along first parents share, or undefined where they share none.
 * Logarithmic in their depth.
 */
export async function meeting(a: number, b: number, look: Look): Promise<number | undefined> {
  const [left, right] = [await look(a), await look(b)]
  const depth = Math.min(left.depth, right.depth)
  let x = (await ancestor(a, left.depth - depth, look)) as number
  let y = (await ancestor(b, right.depth - depth, look)) as number
  while (x !== y) {
    const [nx, ny] = [await look(x), await look(y)]
    // Roots have the same depth: either both are or neither is.
    if (nx.parents.length === 0) return undefined
    const next = nx.jump === ny.jump || ny.jump === y ? undefined : await leaps(nx, ny, look)
    ;[x, y] = next ?? [nx.parents[0] as number, ny.parents[0] as number]
  }
  return x
}

/** Gives the nodes that two of equal depth leap to, as far as the right one jumps; undefined where they meet there. */
async function leaps(left: GraphNode, right: GraphNode, look: Look): Promise<[number, number] | undefined> {
  const { depth } = await look(right.jump)
  const far = (await look(left.jump)).depth
  // Below a graft paths jump otherwise: then the left one climbs as far.
  if (far === depth) return [left.jump, right.jump]
  const other = (await ancestor(left.parents[0] as number, left.depth - 1 - depth, look)) as number
  return other === right.jump ? undefined : [other, right.jump]
}

/** Gives all best common ancestors of two nodes: those that both reach and that no other of them reaches. */
export async function mergeBases(a: number, b: number, look: Look): Promise<number[]> {
  const [left, right] = [await look(a), await look(b)]
  const bases: number[] = []
  if (left.merged || right.merged) for await (const base of painted(a, b, look)) bases.push(base)
  else bases.push(...[await mergeBase(a, b, look)].filter((base) => base !== undefined))
  return bases
}

const LEFT = 1
const RIGHT = 2
const BOTH = LEFT | RIGHT
/** Below a common ancestor that was given. */
const STALE = 4

/** Walks both histories from their newest nodes down, and gives those that both have painted. */
async function* painted(a: number, b: number, look: Look): AsyncGenerator<number> {
  const colour = new Map<number, number>()
  const open = new Heap((x: number, y: number) => y - x)
  let fresh = 0
  const paint = (node: number, bits: number): void => {
    const known = colour.get(node)
    if (known === undefined) open.push(node)
    const now = (known ?? 0) | bits
    fresh += Number(now < STALE) - Number(known !== undefined && known < STALE)
    colour.set(node, now)
  }
  paint(a, LEFT)
  paint(b, RIGHT)
  for (let node = open.pop(); node !== undefined && fresh > 0; node = open.pop()) {
    const bits = colour.get(node) as number
    colour.delete(node)
    if (bits < STALE) fresh--
    if (bits === BOTH) yield node
    const passed = bits >= BOTH ? BOTH | STALE : bits
    for (const parent of (await look(node)).parents) paint(parent, passed)
  }
}
