import type { Row } from '../data.ts'
import type { TreeFolds } from './treerows.ts'

/** Returns a row, where it is known. */
export type RowAt = (index: number) => Row | undefined

/** Whether a row is the first one of a path beside another, which can be closed. */
export function beginsPath(rowAt: RowAt, index: number): boolean {
  const [row, next] = [rowAt(index), rowAt(index + 1)]
  if (!row || !partsAt(row, rowAt(index - 1))) return false
  if (row.hidden > 0) return true
  return next !== undefined && (next.level > row.level || next.edges.some(({ oid }) => oid === row.oid))
}

/** Whether the path of a row parts from that of the row above it. */
export const partsAt = (row: Row, above: Row | undefined): boolean =>
  row.level > 0 &&
  (above === undefined || above.level < row.level || !row.edges.some(({ oid }) => oid === above.oid))

/** Returns the level of a row as a tree view has it: a path is below the row that it parts from, and below its own first row. */
export function levelOf(rowAt: RowAt, index: number): number {
  const row = rowAt(index)
  if (!row || row.level === 0) return 1
  return 2 * row.level + (partsAt(row, rowAt(index - 1)) ? 0 : 1)
}

/** The most rows that are remembered as closed, as opened, and as shown. */
const MAX_FOLDS = 30

/** Returns the folds with a row closed or opened: its path, where it begins one, else the entries left out before it. */
export function foldedAt(
  { closed, opened, shown }: TreeFolds,
  { oid, hidden, edges }: Row,
  { isOpen, isPath }: { readonly isOpen: boolean; readonly isPath: boolean },
): TreeFolds {
  const without = (oids: readonly string[]): readonly string[] => oids.filter((one) => one !== oid)
  const others = { closed: without(closed), opened: without(opened), shown: without(shown) }
  const isElided = (edges[0]?.elided?.entries ?? 0) > 0
  const withIt = (oids: readonly string[]): readonly string[] => [...oids.slice(1 - MAX_FOLDS), oid]
  if (!isOpen && !opened.includes(oid)) return isPath ? { ...others, closed: withIt(others.closed) } : others
  if (isOpen && hidden > 0) return { ...others, opened, shown: withIt(others.shown) }
  return isOpen && isElided ? { ...others, shown, opened: withIt(others.opened) } : { ...others, shown }
}
