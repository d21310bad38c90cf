import { isOid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import { FILTERS, type GraphFilter } from '../model/graphfilter.ts'
import { defined } from '../model/json.ts'
import type { TreeRow } from '../ops/rows/treerows.ts'
import type { TreeView } from '../ops/rows/treeview.ts'
import type { TreeViewOptions, TreeWindow, TreeWindowOptions } from '../ops/rows/treewindow.ts'
import { current, flag, optional, several } from './input.ts'
import type { Store, VerbContext } from './open.ts'
import { arrayOf, boolean, described, integer, nullable, object, type Schema } from './schema.ts'
import { choice, count, session, text } from './values.ts'
import { sentAs, verb } from './verb.ts'
import { drawnData, graphEntryWith } from './wire.ts'

const rowSchema = graphEntryWith({
  depth: described('the number of its ancestors along first parents', integer),
  level: described('how many paths part one from another down to it: 0 on the straight path', integer),
  folded: described('the entries that are not shown between it and the row that it continues', integer),
  hidden: described('the entries after it that are not shown because it is closed', integer),
  position: described('its place among all rows, from 0 at the root', nullable(integer)),
})

const rowData = (row: TreeRow): object => {
  const { depth, level, folded, hidden, position } = row
  return { ...drawnData(row), depth, level, folded, hidden, position }
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

/** Which rows a tree shows, beside its filter: entries of closed rows, and of those whose stretches are open. */
interface Folds {
  readonly closed: ReadonlySet<string>
  readonly opened: ReadonlySet<string>
}

const NO_FOLDS: Folds = { closed: new Set(), opened: new Set() }

/** The folds of trees that interfaces keep: another call may ask for others. */
const foldsOf = new WeakMap<TreeView, Folds>()

/** The most rows of a tree that a call closes or opens. */
const MAX_FOLDS = 100

/** Closes and opens rows, and those again that a former call had otherwise. Passes over entries that the tree lacks. */
async function arrange(view: TreeView, asked: Folds): Promise<void> {
  const former = foldsOf.get(view) ?? NO_FOLDS
  if (former.closed.size + former.opened.size + asked.closed.size + asked.opened.size === 0) return
  const all = new Set([...former.closed, ...former.opened, ...asked.closed, ...asked.opened])
  const places = await view.positions([...all] as TreeRow['oid'][])
  const there = new Set(places.flatMap((place) => (place ? [place.oid as string] : [])))
  const change = async (
    from: ReadonlySet<string>,
    to: ReadonlySet<string>,
    act: (cursor: TreeRow['cursor']) => Promise<unknown>,
  ): Promise<void> => {
    for (const oid of to)
      if (!from.has(oid) && there.has(oid)) await act({ session: view.session, oid: oid as TreeRow['oid'] })
  }
  // Where this fails half way, the next call puts right what either had.
  const both = {
    closed: new Set([...former.closed, ...asked.closed]),
    opened: new Set([...former.opened, ...asked.opened]),
  }
  foldsOf.set(view, both)
  await change(asked.closed, former.closed, (row) => view.unfold(row))
  await change(asked.opened, former.opened, (row) => view.closeStretch(row))
  await change(former.opened, asked.opened, (row) => view.openStretch(row))
  await change(former.closed, asked.closed, (row) => view.fold(row))
  foldsOf.set(view, asked)
}

function foldsIn(closed: readonly string[], opened: readonly string[], shown: readonly string[]): Folds {
  if (closed.length + opened.length + shown.length > MAX_FOLDS)
    throw new SessError('bad-usage', `at most ${MAX_FOLDS} rows are closed or opened`)
  return { closed: new Set(closed), opened: new Set(opened) }
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
    folded: flag('show of each path beside the straight one its first row alone'),
    shown: several(text('oid'), 'with folded, show the paths to this entry; may be repeated'),
    closed: several(text('oid'), 'hide what follows the row of this entry; may be repeated'),
    opened: several(text('oid'), 'show all entries of the stretch of this row; may be repeated'),
  },
  output: sentAs(windowSchema, ({ rows, ...about }: TreeWindow) => ({ rows: rows.map(rowData), ...about })),
  run: (context, { session: name, filter, at, from, back, limit, exact, folded, shown, closed, opened }) =>
    readTree(context, name, { exact, ...defined({ filter }) }, async (view) => {
      const folds = foldsIn(closed, opened, shown)
      view.showPathsTo(folded ? shown.filter(isOid) : undefined)
      await arrange(view, folds)
      const { session: id } = view
      const first = back === undefined ? from : -back
      const asked: TreeWindowOptions = {
        ...defined({ from: first, limit }),
        ...(at !== undefined && { at: { session: id, oid: at as TreeRow['oid'] } }),
      }
      return view.window(asked)
    }),
})
