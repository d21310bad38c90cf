import type { Look } from './graph.ts'
import { Heap } from './heap.ts'

/**
 * Orders nodes with children before parents, and among those that are free by `newness`, the highest first; equal
 * ones by the nodes' own order.
 */
export async function ordered(
  nodes: ReadonlySet<number>,
  look: Look,
  newness: (node: number) => number,
): Promise<number[]> {
  const children = new Map<number, number>()
  const inside = async (node: number): Promise<number[]> =>
    (await look(node)).parents.filter((p) => nodes.has(p))
  for (const node of nodes)
    for (const parent of await inside(node)) children.set(parent, (children.get(parent) ?? 0) + 1)
  const free = new Heap<number>((a, b) => newness(b) - newness(a) || b - a)
  for (const node of nodes) if (!children.has(node)) free.push(node)
  const result: number[] = []
  for (let node = free.pop(); node !== undefined; node = free.pop()) {
    result.push(node)
    for (const parent of await inside(node)) {
      const left = (children.get(parent) as number) - 1
      children.set(parent, left)
      if (left === 0) free.push(parent)
    }
  }
  return result
}
