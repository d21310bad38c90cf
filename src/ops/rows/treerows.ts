import { ancestor } from '../../graph/walk.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import type { GraphFilter } from '../../model/graphfilter.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Reader } from '../../repo/reader.ts'
import type { SessionTrunk } from '../../repo/session.ts'
import { type Edge, edgeTo, type GraphEntry, graphEntry, type LookAt } from '../graphentry.ts'
import type { SubagentFinder } from '../subagents.ts'
import type { Tree } from './treebuild.ts'
import { countShown, isShownBy, shownIn } from './treefilter.ts'

/** Names a row for good: an entry of a session. */
export interface TreeCursor {
  readonly session: string
  readonly oid: Oid
}

/** A row of a tree: an entry, and where it stands. */
export interface TreeRow extends GraphEntry {
  readonly cursor: TreeCursor
  /** The number of its ancestors along first parents. */
  readonly depth: number
  /** How many paths part one from another down to it: 0 on the straight path. */
  readonly level: number
  /** The number of entries that are not shown between it and the row that it continues. */
  readonly folded: number
  /** The number of entries above it that are hidden because it was closed. */
  readonly hidden: number
  /** Its place among all rows, from 0 at the root; null where it is not among them. */
  readonly position: number | null
}

/** The entries of a piece that are rows, the oldest first: what is shown of its stretch, then its stop. */
export interface PieceRows {
  readonly piece: number
  /** From which row on, and how many. */
  readonly from: number
  readonly count: number
}

/** The data that rows are made from. */
export interface RowSource {
  readonly reader: Reader
  readonly look: LookAt
  readonly tree: Tree
  readonly session: SessionTrunk
  readonly agents: SubagentFinder
  /** The filter of a piece: `all` where its stretch was opened. */
  readonly filterOf: (piece: number) => GraphFilter
}

/** The entries of rows of a piece, the oldest first, and the one that comes before them on the path. */
export interface PieceEntries {
  readonly before: EntryHandle | undefined
  readonly entries: readonly EntryHandle[]
}

/** Returns the entries of rows of a piece. */
export async function entriesOfRows(
  { look, tree, filterOf }: RowSource,
  { piece, from, count }: PieceRows,
): Promise<PieceEntries> {
  const { stop } = tree.shape.piece(piece)
  const end = tree.counts.get(piece) - 1
  const to = Math.min(from + count, end + 1)
  const first = Math.max(0, from - 1)
  const entries: EntryHandle[] = to > end ? [stop] : []
  const left = Math.min(to, end) - first
  const stretch = tree.counts.stretch(tree.shape, piece)
  if (left > 0)
    for await (const entry of shownIn(look, stretch, filterOf(piece), Math.max(0, end - to)))
      if (entries.push(entry) === left + (to > end ? 1 : 0)) break
  entries.reverse()
  const before = from > 0 ? entries.shift() : tree.shape.stopBefore(piece)
  return { before, entries }
}

/** Returns where an entry of a piece stands among its rows, and whether it is one; else where the next row after it stands. */
export async function indexInPiece(
  { look, tree, filterOf }: RowSource,
  piece: number,
  entry: EntryHandle,
): Promise<{ readonly index: number; readonly isRow: boolean }> {
  const { stop, depth } = tree.shape.piece(piece)
  const end = tree.counts.get(piece) - 1
  if (entry === stop) return { index: end, isRow: true }
  const filter = filterOf(piece)
  const length = depth - (await look(entry)).depth - 1
  if (filter !== 'default') {
    const isRow = await isShownBy(look, entry, filter)
    const newer = await countShown(look, { stop, length, below: entry }, filter)
    return { index: end - newer - (isRow ? 1 : 0), isRow }
  }
  let index = end
  for await (const shown of shownIn(look, tree.counts.stretch(tree.shape, piece), filter)) {
    if ((await look(shown)).depth < (await look(entry)).depth) break
    index--
    if (shown === entry) return { index, isRow: true }
  }
  return { index, isRow: false }
}

/** Returns a row. */
export async function treeRow(
  { reader, tree, session, agents }: RowSource,
  entry: EntryHandle,
  {
    piece,
    before,
    ...place
  }: Pick<TreeRow, 'position' | 'hidden'> & {
    readonly piece: number
    readonly before: EntryHandle | undefined
  },
): Promise<TreeRow> {
  const { shape, names, callers, head } = tree
  const edges: Edge[] = before === undefined ? [] : [await edgeTo(reader, entry, before)]
  if (shape.piece(piece).stop === entry)
    for (const merged of shape.mergedAt(piece))
      edges.push({ oid: await reader.oid(shape.piece(merged).stop), elided: null })
  const scene = { names, callers, agents, session, head }
  const row = await graphEntry(reader, entry, edges, scene)
  return Object.assign(row, {
    cursor: { session: session.id, oid: row.oid },
    depth: (await reader.node(entry)).depth,
    level: shape.level(piece),
    folded: before === undefined ? 0 : (edges[0]?.elided?.entries ?? 0),
    ...place,
  })
}

/** Returns entries of a path that lie `from` and more entries above one of its entries, below `stop`, the oldest first. */
export async function entriesBetween(
  look: LookAt,
  stop: EntryHandle,
  { length, from, limit }: { readonly length: number; readonly from: number; readonly limit: number },
): Promise<EntryHandle[]> {
  const count = Math.max(0, Math.min(limit, length - from))
  const entries: EntryHandle[] = []
  if (count === 0) return entries
  let entry = (await ancestor(stop, length - from - count + 1, look)) as EntryHandle
  for (let left = count; left > 0; left--) {
    entries.push(entry)
    if (left > 1) entry = (await look(entry)).parents[0] as EntryHandle
  }
  return entries.reverse()
}
