/**
 * Yields nodes with children before parents, each branch in one block right before the node where it forks: the subtree of
 * the first child, then that of the next one, then the node. Begins with the first root. `children` returns the children
 * of a node, the one that continues its path first.
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
