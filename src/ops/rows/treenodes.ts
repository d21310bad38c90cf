import type { Oid } from '../../model/encoding/oid.ts'
import { asString, field } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import { iso } from '../../model/time.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import { getTrunk } from '../../repo/session.ts'
import { PathRecords } from '../entries.ts'
import type { TreeRow } from './treerows.ts'
import type { TreeView } from './treeview.ts'

/** An entry of a tree, in the form of Dash: its place in the list is that of a walk in pre-order. */
export interface TreeNode {
  readonly id: Oid
  readonly type: string
  readonly parentId: Oid | null
  readonly timestamp: string | null
  readonly label?: string
  /** The number of its ancestors. */
  readonly depth: number
  readonly hasChildren: boolean
  /** The branch that ends there. */
  readonly branchName?: string
  readonly metadata:
    | { readonly role: string | null; readonly contentLength: number }
    | { readonly action: string | null; readonly agentId: string | null }
}

export interface TreeNodesOptions {
  /** Only this entry and what continues it. */
  readonly root?: Oid
  /** So many levels below the root at most. */
  readonly depth?: number
  /** Only what follows the entry with this oid. */
  readonly cursor?: Oid
  readonly limit?: number
}

/** A part of a tree, and the entry after which it goes on; null at its end. */
export interface TreeNodes {
  readonly nodes: readonly TreeNode[]
  readonly next: Oid | null
}

const LIMIT = 100

/** A call passes so many rows at most that are too deep: the next one goes on there. */
const MAX_PASSED = 2000

/**
 * Returns a part of a tree as a flat list in pre-order: entries after others are found by the cursor of the last one. Needs
 * a view of all entries whose rows are counted. Throws `no-entry` for a root or a cursor that is not in the tree.
 */
export async function treeNodes(
  repo: Repo,
  view: TreeView,
  { root, depth: levels = Number.POSITIVE_INFINITY, cursor, limit = LIMIT }: TreeNodesOptions = {},
): Promise<TreeNodes> {
  const top = root === undefined ? undefined : (await rowsAt(view, root, 0, 1))[0]
  const base = top?.depth ?? 0
  const found: { readonly row: TreeRow; readonly hasChildren: boolean }[] = []
  let after: Oid | undefined = cursor
  let passed = 0
  for (;;) {
    const rows: readonly TreeRow[] = await nextRows(view, after, top, limit + 1)
    for (const [i, row] of rows.entries()) {
      // The last row only says whether the one before it has children.
      const next = rows[i + 1]
      if (i === limit) break
      if (top && row.oid !== top.oid && row.depth <= base)
        return { nodes: await nodesOf(repo, view, found), next: null }
      after = row.oid
      if (row.depth - base > levels) passed++
      else found.push({ row, hasChildren: next !== undefined && next.depth > row.depth })
      if (found.length >= limit || passed >= MAX_PASSED) {
        const isOver = next === undefined || (top !== undefined && next.depth <= base)
        return { nodes: await nodesOf(repo, view, found), next: isOver ? null : after }
      }
    }
    if (rows.length <= limit) return { nodes: await nodesOf(repo, view, found), next: null }
  }
}

/** Returns the rows after an entry, from a root or from the beginning on. */
const nextRows = (
  view: TreeView,
  after: Oid | undefined,
  top: TreeRow | undefined,
  limit: number,
): Promise<readonly TreeRow[]> => {
  if (after !== undefined) return rowsAt(view, after, 1, limit)
  if (top) return rowsAt(view, top.oid, 0, limit)
  return view.window({ from: 0, limit }).then(({ rows }) => rows)
}

const rowsAt = (view: TreeView, oid: Oid, from: number, limit: number): Promise<readonly TreeRow[]> =>
  view.window({ at: { session: view.session, oid }, from, limit }).then(({ rows }) => rows)

function nodesOf(
  repo: Repo,
  view: TreeView,
  found: readonly { readonly row: TreeRow; readonly hasChildren: boolean }[],
): Promise<readonly TreeNode[]> {
  return repo.read(async (reader) => {
    const handles = await reader.findMany(found.map(({ row }) => row.oid))
    const times = await timesOf(reader, view.session, [...handles.values()])
    const nodes: TreeNode[] = []
    for (const { row, hasChildren } of found) {
      const handle = handles.get(row.oid) as EntryHandle
      nodes.push({
        ...nodeOf(row, times.get(handle), hasChildren),
        metadata: await metadataOf(reader, handle, row),
      })
    }
    return nodes
  })
}

function nodeOf(row: TreeRow, time: number | undefined, hasChildren: boolean): Omit<TreeNode, 'metadata'> {
  const nameOf = (kind: 'label' | 'branch'): string | undefined =>
    row.refs.find((ref) => ref.kind === kind)?.name
  const [label, branchName] = [nameOf('label'), nameOf('branch')]
  return {
    id: row.oid,
    type: row.type,
    parentId: row.parents[0] ?? null,
    timestamp: iso(time),
    ...(label !== undefined && { label }),
    depth: row.depth,
    hasChildren,
    ...(branchName !== undefined && { branchName }),
  }
}

async function metadataOf(
  reader: Reader,
  handle: EntryHandle,
  { type, role, text }: TreeRow,
): Promise<TreeNode['metadata']> {
  if (type !== 'dash/agent_action') return { role, contentLength: text?.length ?? 0 }
  const body = await reader.body(handle)
  return {
    action: asString(field(body, 'action')) ?? null,
    agentId: asString(field(body, 'agentId')) ?? null,
  }
}

/** Returns the times of entries: records are found children before parents. */
async function timesOf(
  reader: Reader,
  session: string,
  handles: readonly EntryHandle[],
): Promise<ReadonlyMap<EntryHandle, number>> {
  const records = new PathRecords(reader, await getTrunk(reader, session))
  const placed: { readonly handle: EntryHandle; readonly order: number }[] = []
  for (const handle of handles) placed.push({ handle, order: (await reader.node(handle)).order })
  const times = new Map<EntryHandle, number>()
  try {
    for (const { handle } of placed.sort((a, b) => b.order - a.order)) {
      const found = await records.find(handle)
      if (found?.time !== undefined) times.set(handle, found.time)
    }
  } finally {
    await records.close()
  }
  return times
}
