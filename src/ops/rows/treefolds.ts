import { isOid, type Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { TreeLengths } from './treelengths.ts'
import { NONE } from './treepreorder.ts'
import { indexInPiece, type RowSource } from './treerows.ts'

/** Returns the entry with an oid. Throws `no-entry`. */
export async function handleOf({ reader }: RowSource, oid: Oid): Promise<EntryHandle> {
  const handle = isOid(oid) ? await reader.find(oid) : undefined
  if (handle === undefined) throw new SessError('no-entry', oid)
  return handle
}

/** Returns the piece of the tree with an entry. Throws `no-entry`. */
export async function pieceOf({ reader, tree }: RowSource, entry: EntryHandle): Promise<number> {
  const piece = await tree.shape.find(entry)
  if (piece === undefined) throw new SessError('no-entry', await reader.oid(entry))
  return piece
}

/** Returns the chains on the paths to those of some entries that the tree has. */
export async function chainsTo(
  { reader, tree }: RowSource,
  oids: readonly Oid[],
): Promise<ReadonlySet<number>> {
  const { shape } = tree
  const handles = await reader.findMany(oids)
  const chains = new Set<number>()
  for (const handle of handles.values()) {
    let piece = (await shape.find(handle)) ?? NONE
    while (piece !== NONE) {
      const chain = shape.chainOf(piece)
      chains.add(chain)
      piece = shape.forkOf(chain)
    }
  }
  return chains
}

/** Returns how many entries are hidden after a row because it is folded, or the first one of a path that is closed. */
export async function hiddenAfter(
  { look, tree }: RowSource,
  lengths: TreeLengths,
  row: EntryHandle,
  { piece, index }: { readonly piece: number; readonly index: number },
): Promise<number> {
  const others = index === 0 ? lengths.hiddenAfter(piece) : undefined
  const above = lengths.hiddenAbove(row)
  if (above > 0 || others === undefined) return above
  return others + tree.shape.piece(piece).depth - (await look(row)).depth
}

/** Folds at those of some entries that the tree has. */
export async function foldAgain(
  source: RowSource,
  lengths: TreeLengths,
  folds: readonly EntryHandle[],
): Promise<void> {
  for (const entry of folds)
    if ((await source.tree.shape.find(entry)) !== undefined) await foldAt(source, lengths, entry)
}

/** Hides what is above an entry. Returns how many entries that are. Throws `no-entry`. */
export async function foldAt(source: RowSource, lengths: TreeLengths, entry: EntryHandle): Promise<number> {
  const piece = await pieceOf(source, entry)
  const { index } = await indexInPiece(source, piece, entry)
  const { depth } = source.tree.shape.piece(piece)
  return lengths.fold(entry, { piece, rows: index + 1, left: depth - (await source.look(entry)).depth })
}
