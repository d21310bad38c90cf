import type { Oid } from '../../model/encoding/oid.ts'
import type { GraphFilter } from '../../model/graphfilter.ts'
import type { TreeCursor, TreeRow } from './treerows.ts'

export interface TreeViewOptions {
  /** Which entries are rows besides those that shape the tree; `default` unless given. */
  readonly filter?: GraphFilter
  /** Stops the work in the background. */
  readonly signal?: AbortSignal
}

/** Which rows of a tree are asked for. */
export interface TreeWindowOptions {
  /** The first row: by its place, or with `at` so many rows after that one (before it, if negative). */
  readonly from?: number
  readonly at?: TreeCursor
  /** At most this many rows; 50 unless given. Without `from` and `at` the last ones. */
  readonly limit?: number
}

/** Some rows of a tree, parents before children. */
export interface TreeWindow {
  readonly rows: readonly TreeRow[]
  /** The number of all rows. */
  readonly total: number
  /** Whether the total and the positions are known; else they are estimates, which the first paths alone give. */
  readonly isExact: boolean
}

/** Where an entry stands among the rows. */
export interface TreePosition {
  readonly oid: Oid
  readonly position: number
  /** Whether it is a row itself; else it is left out, and the position is that of the row that comes after it. */
  readonly isRow: boolean
}
