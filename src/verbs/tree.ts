import { FILTERS, type GraphFilter } from '../model/graphfilter.ts'
import { defined } from '../model/json.ts'
import type { TreeRow } from '../ops/rows/treerows.ts'
import type { TreeView, TreeViewOptions, TreeWindow, TreeWindowOptions } from '../ops/rows/treeview.ts'
import { current, flag, optional } from './input.ts'
import type { Store, VerbContext } from './open.ts'
import { arrayOf, boolean, described, integer, nullable, object, type Schema } from './schema.ts'
import { choice, count, session, text } from './values.ts'
import { sentAs, verb } from './verb.ts'
import { drawnData, graphEntryWith } from './wire.ts'

const rowSchema = graphEntryWith({
  depth: described('the number of its ancestors along first parents', integer),
  level: described('how many paths part one from another down to it: 0 on the straight path', integer),
  folded: described('the entries that are not shown between it and the row that it continues', integer),
  position: described('its place among all rows, from 0 at the root', nullable(integer)),
})

const rowData = (row: TreeRow): object => {
  const { depth, level, folded, position } = row
  return { ...drawnData(row), depth, level, folded, position }
}

const windowSchema: Schema = object({
  rows: described('parents before children', arrayOf(rowSchema)),
  total: described('the number of all rows', integer),
  isExact: described('whether the total and the positions are known; else they are estimates', boolean),
})

/** Opens the tree of a session, for an interface that reads many windows of it. Throws as `TreeView.open`. */
export async function openTree(repo: Store, owner: string, options: TreeViewOptions): Promise<TreeView> {
  // Loaded while the database opens.
  const { TreeView } = await import('../ops/rows/treeview.ts')
  return TreeView.open(repo, owner, options)
}

/** Reads the tree of a session: one that the interface keeps, or one that is opened for this call. Throws as `openTree`. */
export async function readTree<T>(
  { repo, signal, trees }: VerbContext,
  owner: string,
  { filter = 'default', exact }: { readonly filter?: GraphFilter; readonly exact: boolean },
  work: (view: TreeView) => Promise<T>,
): Promise<T> {
  if (trees) return trees.read(owner, { filter, exact, ...(signal && { signal }) }, work)
  const view = await openTree(repo, owner, { filter, ...(signal && { signal }) })
  try {
    if (exact) await view.settled()
    return await work(view)
  } finally {
    view.close()
  }
}

/** The tree of a session as rows, of which a window is read. */
export const tree = verb({
  name: 'tree',
  summary: 'show rows of the tree of a session',
  effect: 'read',
  input: {
    session: current(session(), 'its id, title, or a prefix of its id'),
    filter: optional(choice(FILTERS, 'what'), 'which entries are rows besides forks and refs'),
    at: optional(text('oid'), 'begin with the row of this entry; without it and from, show the last rows'),
    from: optional(count(), 'begin with this row, counted from at, or else from the root'),
    back: optional(count(), 'begin so many rows before at', { needs: 'at', excludes: ['from'] }),
    limit: optional(count(), 'show at most N rows, 50 by default'),
    exact: flag('count all rows first, even of a tree with many branches'),
  },
  output: sentAs(windowSchema, ({ rows, ...about }: TreeWindow) => ({ rows: rows.map(rowData), ...about })),
  run: (context, { session: name, filter, at, from, back, limit, exact }) =>
    readTree(context, name, { exact, ...defined({ filter }) }, (view) => {
      const { session: id } = view
      const first = back === undefined ? from : -back
      const asked: TreeWindowOptions = {
        ...defined({ from: first, limit }),
        ...(at !== undefined && { at: { session: id, oid: at as TreeRow['oid'] } }),
      }
      return view.window(asked)
    }),
})
