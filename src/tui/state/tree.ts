import type { Event } from './events.ts'
import { scrolled } from './scroll.ts'
import { rowAt, type TreePane } from './state.ts'

/** Returns the tree with rows that were read; the cursor stays at its entry, and that at its row of the screen. */
export function withWindow(
  tree: TreePane,
  { request, anchor, tip, window: { rows, total, isExact } }: Event & { readonly kind: 'window' },
  height: number,
): TreePane {
  const first = rows[0]?.position ?? 0
  const { scroll } = tree
  const line = scroll.cursor - scroll.top
  const loaded: TreePane = { ...tree, rows, first, total, isExact, tip, pending: null }
  const at = tree.at === null ? -1 : rows.findIndex(({ oid }) => oid === tree.at)
  if (at >= 0) {
    const cursor = first + at
    // The first time it stands in the middle.
    const top = tree.rows.length === 0 ? cursor - Math.floor(height / 2) : cursor - line
    return withEntry({ ...loaded, scroll: scrolled({ cursor, top }, total, height) })
  }
  if (anchor !== null) {
    const cursor = anchor
    return withEntry({ ...loaded, scroll: scrolled({ cursor, top: cursor - line }, total, height) })
  }
  if ('around' in request || request.from === 'end') {
    const head = rows.findIndex((row) => row.head)
    const cursor = head < 0 ? total - 1 : first + head
    return withEntry({ ...loaded, scroll: scrolled({ cursor, top: total }, total, height) })
  }
  return withEntry({ ...loaded, scroll: scrolled(scroll, total, height) })
}

/** Returns the tree with the entry at its cursor, where that row is loaded. */
export const withEntry = (tree: TreePane): TreePane => ({
  ...tree,
  at: rowAt(tree, tree.scroll.cursor)?.oid ?? null,
})

/** Returns the tree whose counts are known now: its rows are to be read again. */
export const withCounts = (tree: TreePane): TreePane => (tree.isExact ? tree : { ...tree, isStale: true })
