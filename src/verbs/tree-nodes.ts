import { defined } from '../model/json.ts'
import type { TreeNodes, TreeNodesOptions } from '../ops/rows/treenodes.ts'
import { current, optional } from './input.ts'
import { anyOf, arrayOf, boolean, described, integer, nullable, object, string } from './schema.ts'
import { readTree } from './tree.ts'
import { count, session, text } from './values.ts'
import { sentAs, verb } from './verb.ts'
import { oidSchema, timestamp } from './wire.ts'

const nodeSchema = object(
  {
    id: oidSchema,
    type: string,
    parentId: nullable(oidSchema),
    timestamp: nullable(timestamp),
    depth: described('the number of its ancestors', integer),
    hasChildren: boolean,
    metadata: anyOf(
      object({ role: nullable(string), contentLength: integer }),
      object({ action: nullable(string), agentId: nullable(string) }),
    ),
  },
  { label: string, branchName: described('the branch that ends there', string) },
)

export const treeNodes = verb({
  name: 'tree-nodes',
  summary: 'list the entries of the tree of a session in pre-order',
  effect: 'read',
  input: {
    session: current(session(), 'its id, title, or a prefix of its id'),
    root: optional(text('oid'), 'only this entry and what continues it'),
    depth: optional(count(), 'so many levels below the root at most'),
    cursor: optional(text('oid'), 'only what follows the entry with this oid'),
    limit: optional(count(), 'list at most N entries, 100 by default'),
  },
  output: sentAs(
    object({
      nodes: arrayOf(nodeSchema),
      next: described('the cursor to go on after; null at the end', nullable(oidSchema)),
    }),
    ({ nodes, next }: TreeNodes) => ({ nodes: nodes as never, next }),
  ),
  run: async (context, { session: name, root, depth, cursor, limit }) => {
    const { treeNodes: nodesOf } = await import('../ops/rows/treenodes.ts')
    const asked = defined({ root, depth, cursor, limit }) as TreeNodesOptions
    return readTree(context, name, { filter: 'all', exact: true }, (view) =>
      nodesOf(context.repo, view, asked),
    )
  },
})
