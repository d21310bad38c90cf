import { groupBranches } from '../../graph/tree.ts'
import { addTo } from '../../model/lists.ts'
import type { NumberTable } from './treeorder.ts'

/** Stands for no piece and no chain. */
export const NONE = -1

/** The pieces of a tree and their chains, as numbers. */
export interface PieceChains {
  readonly pieceCount: number
  /** By piece, the depth of its stop. */
  readonly depths: NumberTable
  readonly chains: NumberTable
  /** By chain, the piece at whose stop it parts; NONE at a root. */
  readonly parents: NumberTable
  /** The pieces of each chain that has several, the deepest first. */
  readonly pieces: ReadonlyMap<number, ArrayLike<number>>
  /** The first pieces of the roots. */
  readonly roots: readonly number[]
  /** By merge, the pieces that end at its other parents. */
  readonly merges: ReadonlyMap<number, readonly number[]>
  readonly firstPiece: (chain: number) => number
}

/** Returns the pieces with parents before children: roots first, what parts from a path before it goes on. */
export const preorder = (tree: PieceChains): Int32Array =>
  tree.merges.size === 0 ? inOrder(tree) : inMergedOrder(tree)

/** Returns by piece the next piece of its chain, and the first of the chains that part there; by chain the next of these. */
function linksOf({ pieceCount, parents, pieces }: PieceChains) {
  const own = new Int32Array(pieceCount).fill(NONE)
  const side = new Int32Array(pieceCount).fill(NONE)
  const nextSide = new Int32Array(parents.length).fill(NONE)
  for (const list of pieces.values())
    for (let i = 1; i < list.length; i++) own[list[i] as number] = list[i - 1] as number
  for (let chain = nextSide.length - 1; chain >= 0; chain--) {
    const parent = parents.get(chain)
    if (parent === NONE) continue
    nextSide[chain] = side[parent] as number
    side[parent] = chain
  }
  return { own, side, nextSide }
}

function inOrder(tree: PieceChains): Int32Array {
  const { own, side, nextSide } = linksOf(tree)
  const order = new Int32Array(tree.pieceCount)
  const open = [...tree.roots]
  let count = 0
  for (let piece = open.pop(); piece !== undefined; piece = open.pop()) {
    order[count++] = piece
    if (own[piece] !== NONE) open.push(own[piece] as number)
    for (let chain = side[piece] as number; chain !== NONE; chain = nextSide[chain] as number)
      open.push(tree.firstPiece(chain))
  }
  return order
}

function inMergedOrder(tree: PieceChains): Int32Array {
  const { own, side, nextSide } = linksOf(tree)
  const { chains, depths, merges, firstPiece } = tree
  const above = new Map<number, number[]>()
  const byChain = [...merges].sort(
    ([a], [b]) => chains.get(a) - chains.get(b) || depths.get(a) - depths.get(b),
  )
  for (const [merge, others] of byChain) for (const other of others) addTo(above, other, merge)
  const children = (piece: number): number[] => {
    const next = own[piece] === NONE ? [] : [own[piece] as number]
    for (let chain = side[piece] as number; chain !== NONE; chain = nextSide[chain] as number)
      next.push(firstPiece(chain))
    return [...next, ...(above.get(piece) ?? [])]
  }
  return Int32Array.from([...groupBranches(tree.roots, children)].reverse())
}
