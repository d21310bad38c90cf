import type { Look } from './graph.ts'

/** Gives a node and its ancestors along first parents, children first. */
export async function* path(tip: number, look: Look): AsyncGenerator<number> {
  for (let node: number | undefined = tip; node !== undefined; ) {
    yield node
    const found = look(node)
    node = (found instanceof Promise ? await found : found).parents[0]
  }
}

/** Gives the ancestor of a node that lies `steps` first parents before it, or undefined past the root. */
export async function ancestor(node: number, steps: number, look: Look): Promise<number | undefined> {
  const tip = look(node)
  let here = tip instanceof Promise ? await tip : tip
  const depth = here.depth - steps
  if (depth < 0) return undefined
  for (let at = node; ; ) {
    if (here.depth === depth) return at
    const jumped = look(here.jump)
    const far = jumped instanceof Promise ? await jumped : jumped
    // As many nodes as numbers: parents are smaller, so the path passes through each of them.
    if (far.depth < depth && at - here.jump === here.depth - far.depth) return here.jump + depth - far.depth
    if (far.depth < depth || here.jump === at) {
      at = here.parents[0] as number
      const next = look(at)
      here = next instanceof Promise ? await next : next
    } else {
      at = here.jump
      here = far
    }
  }
}

/** Tells whether a node is another, or lies before it along first parents. */
export async function isOnPath(node: number, tip: number, look: Look): Promise<boolean> {
  const steps = (await look(tip)).depth - (await look(node)).depth
  return steps >= 0 && (await ancestor(tip, steps, look)) === node
}

/** Gives all nodes that tips reach, themselves included, but for those that the excluded tips reach. */
export async function reachable(
  tips: Iterable<number>,
  look: Look,
  excluded: Iterable<number> = [],
): Promise<Set<number>> {
  const hidden = new Set<number>()
  await collect(excluded, look, hidden)
  const found = new Set<number>()
  await collect(tips, look, found, hidden)
  return found
}

async function collect(
  tips: Iterable<number>,
  look: Look,
  into: Set<number>,
  except?: Set<number>,
): Promise<void> {
  const open = [...tips]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (into.has(node) || except?.has(node)) continue
    into.add(node)
    const found = look(node)
    for (const parent of (found instanceof Promise ? await found : found).parents) open.push(parent)
  }
}

/** Tells whether one node is another or among its ancestors. */
export async function isAncestor(older: number, newer: number, look: Look): Promise<boolean> {
  if (older > newer) return false
  const { merged } = await look(newer)
  if (!merged) return isOnPath(older, newer, look)
  const seen = new Set<number>()
  const open = [newer]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node === older) return true
    if (node < older || seen.has(node)) continue
    seen.add(node)
    open.push(...(await look(node)).parents)
  }
  return false
}
