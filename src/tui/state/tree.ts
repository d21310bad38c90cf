import type { Event } from './events.ts'
import { scrolled } from './scroll.ts'
import { rowAt, type TreePane } from './state.ts'

/** Returns the tree with rows that were read; the cursor stays at its entry, and that at its row of the screen. */
export function withWindow(
  tree: TreePane,
  { request, anchor, tip, window: { rows, total, isExact } }: Event & { readonly kind: 'window' },
  height: number,
): TreePane {
  const { scroll } = tree
  const line = scroll.cursor - scroll.top
  const isSame = total === tree.total && isExact === tree.isExact && tip === tree.tip
  const continues = isSame && 'from' in request && request.from !== 'end' && tree.rows.length > 0
  const part = { first: rows[0]?.position ?? 0, rows }
  const loaded: TreePane = {
    ...tree,
    ...(continues ? joined(tree, part, scroll.top, MAX_PAGES * height) : part),
    total,
    isExact,
    tip,
    pending: null,
  }
  const { first } = loaded
  const at = tree.at === null ? -1 : loaded.rows.findIndex(({ oid }) => oid === tree.at)
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

/** The pages of rows that stay loaded. */
const MAX_PAGES = 9

type LoadedRows = Pick<TreePane, 'first' | 'rows'>

/** Returns loaded rows with those of a part that overlaps or continues them, at most `limit` around a position. */
function joined(loaded: LoadedRows, part: LoadedRows, top: number, limit: number): LoadedRows {
  const [end, partEnd] = [loaded.first + loaded.rows.length, part.first + part.rows.length]
  if (part.first > end || partEnd < loaded.first) return part
  const before = loaded.rows.slice(0, Math.max(0, part.first - loaded.first))
  const after = loaded.rows.slice(Math.max(0, partEnd - loaded.first))
  const rows = [...before, ...part.rows, ...after]
  const first = Math.min(loaded.first, part.first)
  const cut = Math.max(0, top - Math.floor(limit / 2) - first)
  return { first: first + cut, rows: rows.slice(cut, cut + limit) }
}

/** Returns the tree with the entry at its cursor, where that row is loaded. */
export const withEntry = (tree: TreePane): TreePane => ({
  ...tree,
  at: rowAt(tree, tree.scroll.cursor)?.oid ?? null,
})

/** Returns the tree whose counts are known now: its rows are to be read again. */
export const withCounts = (tree: TreePane): TreePane => (tree.isExact ? tree : { ...tree, isStale: true })
