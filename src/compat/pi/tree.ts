import type { SessionEntry, SessionTreeNode } from './types.ts'

/**
 * Gives the entries as trees: roots in their order, children by time. An entry whose parent is missing is a root, and
 * so is the first of a circle that is met. `about` gives what else a node says.
 */
export function treeOf(
  entries: readonly SessionEntry[],
  about: (id: string) => Pick<SessionTreeNode, 'label' | 'labelTimestamp'>,
): SessionTreeNode[] {
  const nodes = entries.map((entry): SessionTreeNode => ({ entry, children: [], ...about(entry.id) }))
  const byId = new Map(nodes.map((node) => [node.entry.id, node]))
  const parentOf = ({ entry: { id, parentId } }: SessionTreeNode): SessionTreeNode | undefined =>
    parentId === null || parentId === id ? undefined : byId.get(parentId)
  const breaks = circlesOf(nodes, parentOf)
  const roots: SessionTreeNode[] = []
  for (const node of nodes) {
    const parent = breaks.has(node) ? undefined : parentOf(node)
    ;(parent?.children ?? roots).push(node)
  }
  for (const { children } of nodes) children.sort((a, b) => timeOf(a) - timeOf(b))
  return roots
}

const timeOf = ({ entry }: SessionTreeNode): number => new Date(entry.timestamp).getTime()

/** Gives one node of each circle: each node is walked over once. */
function circlesOf(
  nodes: readonly SessionTreeNode[],
  parentOf: (node: SessionTreeNode) => SessionTreeNode | undefined,
): ReadonlySet<SessionTreeNode> {
  const breaks = new Set<SessionTreeNode>()
  const walkOf = new Map<SessionTreeNode, number>()
  nodes.forEach((start, walk) => {
    let at: SessionTreeNode | undefined = start
    while (at && !walkOf.has(at)) {
      walkOf.set(at, walk)
      at = parentOf(at)
    }
    if (at && walkOf.get(at) === walk) breaks.add(at)
  })
  return breaks
}
