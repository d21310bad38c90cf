/**
 * Orders nodes with children before parents so that what parts from a path stands together, right before the node that
 * it parts from: the first child that is given with all that leads to it, then the next one with all of its, then the
 * node. Begins with the first root. `children` gives those of a node, first the one that continues its path.
 */
export function* groupBranches<N>(roots: Iterable<N>, children: (node: N) => readonly N[]): Generator<N> {
  const met = new Set<N>()
  for (const root of roots) {
    const open = [{ node: root, next: 0 }]
    met.add(root)
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const child = children(top.node)[top.next++]
      if (child === undefined) {
        yield top.node
        open.pop()
      } else if (!met.has(child)) {
        met.add(child)
        open.push({ node: child, next: 0 })
      }
    }
  }
}
