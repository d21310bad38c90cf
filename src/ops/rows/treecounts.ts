import type { GraphFilter } from '../../model/graphfilter.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { LookAt } from '../graphentry.ts'
import { countShown, type Stretch, shownByDefault } from './treefilter.ts'
import { NumberTable } from './treeorder.ts'
import type { TreeShape } from './treeshape.ts'

/** Returns the entries of a piece without its stop. */
export function stretchOf(shape: TreeShape, piece: number): Stretch {
  const { stop, length } = shape.piece(piece)
  return { stop, length: length - 1, below: shape.stopBefore(piece) }
}

/** How many entries of each piece of a tree are rows. */
export class PieceCounts {
  readonly #counts = new NumberTable()
  /** By piece, the prompt at its beginning that is drawn by default: to find it again, others must be read. */
  readonly #firsts = new Map<number, EntryHandle>()

  /** The number of pieces that were counted. */
  get length(): number {
    return this.#counts.length
  }

  get(piece: number): number {
    return this.#counts.get(piece)
  }

  /** Returns the entries of a piece without its stop, with what was found when it was counted. */
  stretch(shape: TreeShape, piece: number): Stretch {
    return { ...stretchOf(shape, piece), first: this.#firsts.get(piece) ?? null }
  }

  /** Counts all entries of a piece. */
  countAll(shape: TreeShape, piece: number): void {
    this.#counts.set(piece, shape.lengthOf(piece))
  }

  /** Counts the entries of a piece that a filter shows: its stop always. Reads no bodies, and few entries. */
  async count(look: LookAt, shape: TreeShape, piece: number, filter: GraphFilter): Promise<void> {
    const stretch = stretchOf(shape, piece)
    this.#firsts.delete(piece)
    if (filter !== 'default') {
      this.#counts.set(piece, 1 + (await countShown(look, stretch, filter)))
      return
    }
    const { newest, first } = await shownByDefault(look, stretch)
    this.#counts.set(piece, 1 + newest.length + (first === undefined ? 0 : 1))
    if (first !== undefined) this.#firsts.set(piece, first)
  }

  /**
   * Counts the pieces that were cut, and those that are complete, while their entries are cached: the piece that was added
   * last below others is cut again by what is added next.
   */
  async countChanged(look: LookAt, shape: TreeShape, filter: GraphFilter): Promise<void> {
    for (const piece of shape.takeChanged()) await this.count(look, shape, piece, filter)
  }

  /** Counts the pieces that were not counted. */
  async countRest(look: LookAt, shape: TreeShape, filter: GraphFilter): Promise<void> {
    await this.countChanged(look, shape, filter)
    for (let piece = 0; piece < shape.pieceCount; piece++)
      if (!(this.#counts.get(piece) > 0)) await this.count(look, shape, piece, filter)
    this.#counts.trim()
  }
}
