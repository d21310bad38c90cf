import type { GraphFilter } from '../../model/graphfilter.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { LookAt } from '../graphentry.ts'
import type { Tree } from './treebuild.ts'
import { LengthSums } from './treeorder.ts'
import { NONE } from './treepreorder.ts'
import type { PieceRows } from './treerows.ts'

/** The place of a row at which a tree is folded. */
interface Fold {
  readonly piece: number
  /** The rows of the piece up to it. */
  readonly rows: number
  /** The entries of the piece above it. */
  readonly left: number
}

const UNSEEN = -2

/** How many rows each piece of a tree shows. What is above a folded row shows none. */
export class TreeLengths {
  readonly #tree: Tree
  #sums: LengthSums
  readonly #folds = new Map<EntryHandle, Fold>()
  readonly #hidden = new Map<EntryHandle, number>()
  readonly #open = new Set<number>()
  /** The chains that are shown beside the straight path; undefined where all are. */
  #shown: ReadonlySet<number> | undefined
  /** By the first piece of each closed path, how many entries are hidden in its other pieces and on what parts there. */
  readonly #closed = new Map<number, number>()

  constructor(tree: Tree) {
    this.#tree = tree
    this.#sums = this.#summed()
  }

  get total(): number {
    return this.#sums.total
  }

  /** The rows at which it is folded. */
  get folds(): Iterable<EntryHandle> {
    return this.#folds.keys()
  }

  /** The ends of the pieces whose stretches are open. */
  get openStops(): EntryHandle[] {
    return [...this.#open].map((piece) => this.#tree.shape.piece(piece).stop)
  }

  /** Returns the piece with a position, the index of the row in it, and how many rows it shows. */
  find(position: number): { readonly piece: number; readonly index: number; readonly count: number } {
    const [rank, index] = this.#sums.find(position)
    return { piece: this.#tree.shape.order.at(rank) as number, index, count: this.#sums.get(rank) }
  }

  /** Returns the rows from a position on, by their pieces. */
  rowsFrom(position: number, limit: number): PieceRows[] {
    const wanted: PieceRows[] = []
    for (let at = position, left = limit; left > 0 && at < this.total; ) {
      const { piece, index, count } = this.find(at)
      const rows = Math.min(count - index, left)
      wanted.push({ piece, from: index, count: rows })
      at += rows
      left -= rows
    }
    return wanted
  }

  positionOf(piece: number): number {
    return this.#sums.before(this.#tree.shape.order.rank(piece))
  }

  /** Returns how many rows a piece shows. */
  visible(piece: number): number {
    return this.#sums.get(this.#tree.shape.order.rank(piece))
  }

  isOpen(piece: number): boolean {
    return this.#open.has(piece)
  }

  /** Returns how many entries are hidden above a row because it is folded. */
  hiddenAbove(entry: EntryHandle): number {
    return this.#hidden.get(entry) ?? 0
  }

  /** Returns how many entries are hidden after the first piece of a path that is closed; undefined where it is not. */
  hiddenAfter(piece: number): number | undefined {
    return this.#closed.get(piece)
  }

  /** Shows of each path beside the straight one its first row alone, but for some chains; all of them where none are given. */
  showChains(shown: ReadonlySet<number> | undefined): void {
    const isSame =
      shown?.size === this.#shown?.size && [...(shown ?? [])].every((chain) => this.#shown?.has(chain))
    if (isSame) return
    this.#shown = shown
    this.#sums = this.#summed()
  }

  /** Hides what is above a row. Returns how many entries that are. */
  fold(entry: EntryHandle, fold: Fold): number {
    this.#folds.set(entry, fold)
    this.#sums = this.#summed()
    return this.hiddenAbove(entry)
  }

  unfold(entry: EntryHandle): void {
    if (this.#folds.delete(entry)) this.#sums = this.#summed()
  }

  /** Shows all entries of a piece, or again those that the filter shows. */
  async setOpen(piece: number, isOpen: boolean, look: LookAt, filter: GraphFilter): Promise<void> {
    if (isOpen) this.#open.add(piece)
    else this.#open.delete(piece)
    await this.#count(piece, look, filter)
    this.#sums = this.#summed()
  }

  /** Follows a tree that grew: counts the rows of pieces that are new or changed. Forgets folds if pieces are new. */
  async follow(look: LookAt, filter: GraphFilter): Promise<void> {
    const { shape, counts } = this.#tree
    const known = counts.length
    for (let piece = known; piece < shape.pieceCount; piece++) {
      const [next] = shape.childrenOf(piece)
      if (next !== undefined && this.#open.has(next) && shape.piece(next).chain === shape.piece(piece).chain)
        this.#open.add(piece)
    }
    const isSimple = known === shape.pieceCount && this.#folds.size === 0 && !this.#shown
    const added = Array.from({ length: shape.pieceCount - known }, (_, i) => known + i)
    for (const piece of new Set([...shape.takeChanged(), ...added])) {
      await this.#count(piece, look, filter)
      if (isSimple) this.#sums.set(shape.order.rank(piece), counts.get(piece))
    }
    if (isSimple) return
    this.#folds.clear()
    this.#sums = this.#summed()
  }

  async #count(piece: number, look: LookAt, filter: GraphFilter): Promise<void> {
    const { shape, counts } = this.#tree
    if (this.#open.has(piece)) counts.countAll(shape, piece)
    else await counts.count(look, shape, piece, filter)
  }

  /** Sums up the rows that each piece shows. */
  #summed(): LengthSums {
    const { shape, counts } = this.#tree
    const { order } = shape
    const lengths = new Int32Array(order.length)
    for (let rank = 0; rank < lengths.length; rank++) lengths[rank] = counts.get(order.at(rank) as number)
    this.#closeChains(lengths)
    this.#hidden.clear()
    for (const [entry, { piece, rows, left }] of this.#folds) {
      let hidden = left
      for (const above of shape.piecesAbove(piece)) {
        hidden += shape.lengthOf(above)
        lengths[order.rank(above)] = 0
      }
      this.#hidden.set(entry, hidden)
      const rank = order.rank(piece)
      lengths[rank] = Math.min(rows, lengths[rank] as number)
    }
    return new LengthSums(lengths)
  }

  /** Leaves one row of each path that is closed, and none of what parts from it. */
  #closeChains(lengths: Int32Array): void {
    this.#closed.clear()
    if (!this.#shown) return
    const { shape } = this.#tree
    const { order } = shape
    /** By chain the first piece of the closed path that it belongs to; NONE where it is shown. */
    const closedBy = new Int32Array(shape.chainCount).fill(UNSEEN)
    // Parents precede children: the chain at which another one parts is known before it.
    for (let rank = 0; rank < lengths.length; rank++) {
      const piece = order.at(rank) as number
      const chain = shape.chainOf(piece)
      if (closedBy[chain] === UNSEEN) {
        const fork = shape.forkOf(chain)
        const outer = fork === NONE ? NONE : (closedBy[shape.chainOf(fork)] as number)
        const isShown = fork === NONE || this.#shown.has(chain)
        closedBy[chain] = outer === NONE && !isShown ? piece : outer
        if (closedBy[chain] === piece) {
          lengths[rank] = Math.min(1, lengths[rank] as number)
          this.#closed.set(piece, 0)
          continue
        }
      }
      const by = closedBy[chain] as number
      if (by === NONE) continue
      lengths[rank] = 0
      this.#closed.set(by, (this.#closed.get(by) as number) + shape.lengthOf(piece))
    }
  }
}
