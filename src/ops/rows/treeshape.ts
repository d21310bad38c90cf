import { firstParentBase } from '../../graph/mergebase.ts'
import { ancestor } from '../../graph/walk.ts'
import { type EntryHandle, NEAR } from '../../model/node.ts'
import { COMPACTS } from '../../model/view.ts'
import type { LookAt } from '../graphentry.ts'
import { HandleTable, NumberTable, PieceOrder } from './treeorder.ts'
import { NONE, preorder } from './treepreorder.ts'

const COMPACTION = NEAR.indexOf(COMPACTS)

/** A piece of a chain: the entries after one stop, up to and including the next one. */
export interface Piece {
  readonly stop: EntryHandle
  /** The depth of the stop. */
  readonly depth: number
  /** The number of its entries. */
  readonly length: number
  readonly chain: number
}

/**
 * The shape of a tree of paths, in numbers: chains between fork points, cut into pieces at their stops. A stop is a root,
 * a tip, a fork point or an entry that was marked. Entries between stops are not read, and nothing is kept for them.
 * Adding a path takes time logarithmic in its depth, times the number of chains on it.
 */
export class TreeShape {
  /** How entries are looked at now: a reader serves one use of the store. */
  look: LookAt
  /** The pieces that were begun, cut or extended since they were taken. */
  readonly #changed: Set<number> | undefined
  // By piece.
  readonly #stops = new HandleTable()
  readonly #depths = new NumberTable()
  readonly #chains = new NumberTable()
  // By chain: the piece at whose stop it forks, and its last piece.
  readonly #parents = new NumberTable()
  readonly #tips = new NumberTable()
  /** The pieces of each chain that has several, the deepest first. */
  readonly #pieces = new Map<number, number[] | Int32Array>()
  readonly #roots = new Map<EntryHandle, number>()
  /** The chains by their first entries, until the order is made. */
  #firsts: Map<EntryHandle, number> | undefined = new Map()
  /** Chains whose paths have compactions or merges. */
  readonly #marked: number[] = []
  /** By merge, the pieces that end at its other parents. */
  readonly #merges = new Map<number, readonly number[]>()
  #order: PieceOrder | undefined

  /** With `tracksChanges` it remembers which pieces change. */
  constructor(look: LookAt, { tracksChanges = false } = {}) {
    this.look = look
    this.#changed = tracksChanges ? new Set() : undefined
  }

  /** Returns the pieces that were begun, cut or extended since the last call; those that were cut off are not among them. */
  takeChanged(): number[] {
    const changed = [...(this.#changed ?? [])]
    this.#changed?.clear()
    return changed
  }

  get pieceCount(): number {
    return this.#stops.length
  }

  /** The stop that the store received last. Handles of other kinds than numbers have no order. */
  get newestStop(): EntryHandle {
    let newest = this.mainTip
    for (let piece = 0; piece < this.pieceCount; piece++)
      if (this.#stops.get(piece) > newest) newest = this.#stops.get(piece)
    return newest
  }

  /** Returns whether a piece is the last one of its chain. */
  isTip(piece: number): boolean {
    return this.#tips.get(this.#chains.get(piece)) === piece
  }

  /** The end of the path that was added first. */
  get mainTip(): EntryHandle {
    return this.#stops.get(this.#tips.get(0))
  }

  /** Whether a merge stands above several paths: then pieces below a stop are not next to each other. */
  get hasMerges(): boolean {
    return this.#merges.size > 0
  }

  piece(piece: number): Piece {
    return {
      stop: this.#stops.get(piece),
      depth: this.#depths.get(piece),
      length: this.lengthOf(piece),
      chain: this.#chains.get(piece),
    }
  }

  lengthOf(piece: number): number {
    const before = this.#before(piece)
    return this.#depths.get(piece) - (before === NONE ? -1 : this.#depths.get(before))
  }

  /** Adds the path of an entry, and makes the entry a stop. Returns the piece that ends there. */
  async add(node: EntryHandle): Promise<number> {
    const { depth } = await this.look(node)
    for (let chain = await this.#rootChain(node, depth); ; ) {
      const near = this.#pieceAt(chain, depth)
      const base = await firstParentBase(node, this.#stops.get(near), this.look)
      if (base === undefined) throw new RangeError('the node does not share the root of its chain')
      const at = this.#mark(chain, base, (await this.look(base)).depth)
      if (base === node) return at
      const first = (await ancestor(node, depth - this.#depths.get(at) - 1, this.look)) as EntryHandle
      const side = await this.#sideAt(at, first)
      if (side === undefined) return this.#begin(node, depth, at, first)
      chain = side
    }
  }

  /** Makes an entry a stop if a path has it. Returns whether one has. */
  async mark(node: EntryHandle): Promise<boolean> {
    const piece = await this.find(node)
    if (piece === undefined) return false
    this.#mark(this.#chains.get(piece), node, (await this.look(node)).depth)
    return true
  }

  /** Returns the piece with an entry, or undefined where no path has it. */
  async find(node: EntryHandle): Promise<number | undefined> {
    if (this.pieceCount === 0) return undefined
    const { depth } = await this.look(node)
    const root = this.#roots.size === 1 ? undefined : await ancestor(node, depth, this.look)
    let chain: number | undefined = root === undefined ? 0 : this.#roots.get(root)
    while (chain !== undefined) {
      const near = this.#pieceAt(chain, depth)
      const base = await firstParentBase(node, this.#stops.get(near), this.look)
      if (base === node) return near
      if (base === undefined) return undefined
      const at = this.#pieceAt(chain, (await this.look(base)).depth)
      if (this.#stops.get(at) !== base) return undefined
      const first = await ancestor(node, depth - this.#depths.get(at) - 1, this.look)
      chain = first === undefined ? undefined : await this.#sideAt(at, first)
    }
    return undefined
  }

  /** Adds an entry that continues the tip of a chain. The tip stays a stop, or else becomes an entry of the last piece. */
  async extend(node: EntryHandle, tip: number, staysStop: boolean): Promise<void> {
    const { depth } = await this.look(node)
    const chain = this.#chains.get(tip)
    this.#changed?.add(tip)
    if (!staysStop) {
      this.#stops.set(tip, node)
      this.#depths.set(tip, depth)
      return
    }
    const rank = this.#endOf(tip)
    const next = this.#newPiece(node, depth, chain)
    this.#pieces.set(chain, [next, ...(this.#pieces.get(chain) ?? [tip])])
    this.#tips.set(chain, next)
    this.order.insert(rank)
  }

  /** Makes the compactions and merges of all paths stops, and adds the paths that were merged. */
  async markShape(): Promise<void> {
    for (let next = 0; next < this.#marked.length; next++) {
      const chain = this.#marked[next] as number
      const first = this.#firstDepth(chain)
      const tip = this.#stops.get(this.#tips.get(chain))
      for (const nearest of ['compaction', 'merge'] as const)
        for (let node = await this.#nearest(tip, nearest); node !== undefined; ) {
          const { depth, parents } = await this.look(node)
          if (depth < first) break
          const at = this.#mark(chain, node, depth)
          const [parent, ...others] = parents
          const merged: number[] = []
          for (const other of others) merged.push(await this.add(other))
          if (merged.length > 0) this.#merges.set(at, merged)
          node = parent === undefined ? undefined : await this.#nearest(parent, nearest)
        }
    }
  }

  async #nearest(node: EntryHandle, what: 'compaction' | 'merge'): Promise<EntryHandle | undefined> {
    const { near, merge } = await this.look(node)
    return what === 'merge' ? merge : near[COMPACTION]
  }

  /** The pieces with parents before children: roots first, what parts from a path before it goes on. */
  get order(): PieceOrder {
    this.#order ??= this.#newOrder()
    return this.#order
  }

  #newOrder(): PieceOrder {
    this.#firsts = undefined
    for (const table of [this.#stops, this.#depths, this.#chains, this.#parents, this.#tips]) table.trim()
    for (const [chain, pieces] of this.#pieces) this.#pieces.set(chain, Int32Array.from(pieces))
    return new PieceOrder(
      preorder({
        pieceCount: this.pieceCount,
        depths: this.#depths,
        chains: this.#chains,
        parents: this.#parents,
        pieces: this.#pieces,
        roots: [...this.#roots.values()].map((chain) => this.#firstPiece(chain)),
        merges: this.#merges,
        firstPiece: (chain) => this.#firstPiece(chain),
      }),
    )
  }

  /** Returns the stop before a piece, or undefined where it begins at a root. */
  stopBefore(piece: number): EntryHandle | undefined {
    const before = this.#before(piece)
    return before === NONE ? undefined : this.#stops.get(before)
  }

  /** Returns the piece whose stop is before a piece; NONE where it begins at a root. */
  #before(piece: number): number {
    const chain = this.#chains.get(piece)
    const pieces = this.#pieces.get(chain)
    return pieces?.[this.#indexIn(pieces, this.#depths.get(piece)) + 1] ?? this.#parents.get(chain)
  }

  /** Returns the pieces that merge ends bring: by a merge, those of its other parents. */
  mergedAt(piece: number): readonly number[] {
    return this.#merges.get(piece) ?? []
  }

  /** The number of chains. */
  get chainCount(): number {
    return this.#tips.length
  }

  chainOf(piece: number): number {
    return this.#chains.get(piece)
  }

  /** Returns the piece at whose stop a chain forks; NONE for one that begins at a root. */
  forkOf(chain: number): number {
    return this.#parents.get(chain)
  }

  /** Returns how many chains part one from another down to a piece: 0 on the path of the first tip. */
  level(piece: number): number {
    let level = 0
    for (let at = this.#parents.get(this.#chains.get(piece)); at !== NONE; level++)
      at = this.#parents.get(this.#chains.get(at))
    return level
  }

  /** Yields the pieces above a stop. */
  *piecesAbove(piece: number): Generator<number> {
    const { order } = this
    for (let rank = order.rank(piece) + 1; rank < order.length; rank++) {
      const next = order.at(rank) as number
      if (this.#isAbove(next, piece)) yield next
      else if (!this.hasMerges) return
    }
  }

  /** Returns the first pieces above a stop: that of its chain, then those of the chains that part there. */
  childrenOf(piece: number): number[] {
    const children: number[] = []
    const [chain, depth] = [this.#chains.get(piece), this.#depths.get(piece)]
    const pieces = this.#pieces.get(chain)
    const own = pieces?.[this.#indexIn(pieces, depth) - 1]
    if (own !== undefined) children.push(own)
    for (const above of this.piecesAbove(piece)) {
      const other = this.#chains.get(above)
      if (this.#parents.get(other) === piece && this.#firstPiece(other) === above) children.push(above)
    }
    return children
  }

  #isAbove(piece: number, stop: number): boolean {
    const [chain, depth] = [this.#chains.get(stop), this.#depths.get(stop)]
    for (let at = piece; at !== NONE; at = this.#parents.get(this.#chains.get(at))) {
      if (at === stop) return true
      if (this.#chains.get(at) === chain) return this.#depths.get(at) > depth
    }
    return false
  }

  /** Returns the rank after all pieces above a stop. */
  #endOf(piece: number): number {
    let end = this.order.rank(piece) + 1
    for (const above of this.piecesAbove(piece)) end = this.order.rank(above) + 1
    return end
  }

  async #rootChain(node: EntryHandle, depth: number): Promise<number> {
    const [only] = this.#roots.values()
    // Of one root it is assumed that the node has it too, until a base is looked for in vain.
    if (only !== undefined && this.#roots.size === 1) {
      const near = this.#stops.get(this.#pieceAt(only, depth))
      if ((await firstParentBase(node, near, this.look)) !== undefined) return only
    }
    const root = (await ancestor(node, depth, this.look)) as EntryHandle
    const known = this.#roots.get(root)
    if (known !== undefined) return known
    const chain = this.#tips.length
    this.#roots.set(root, chain)
    this.#parents.set(chain, NONE)
    await this.#beginChain(chain, node, depth)
    if (depth > 0) this.#mark(chain, root, 0)
    return chain
  }

  /** Begins a chain that parts at a stop. Returns its piece. */
  async #begin(node: EntryHandle, depth: number, at: number, first: EntryHandle): Promise<number> {
    const chain = this.#tips.length
    this.#parents.set(chain, at)
    this.#firsts?.set(first, chain)
    const rank = this.#order && this.#order.rank(at) + 1
    const piece = await this.#beginChain(chain, node, depth)
    if (rank !== undefined) this.order.insert(rank)
    return piece
  }

  async #beginChain(chain: number, node: EntryHandle, depth: number): Promise<number> {
    const piece = this.#newPiece(node, depth, chain)
    this.#tips.set(chain, piece)
    this.#changed?.add(piece)
    const { near, merge } = await this.look(node)
    if (near[COMPACTION] !== undefined || merge !== undefined) this.#marked.push(chain)
    return piece
  }

  #newPiece(stop: EntryHandle, depth: number, chain: number): number {
    const piece = this.pieceCount
    this.#stops.set(piece, stop)
    this.#depths.set(piece, depth)
    this.#chains.set(piece, chain)
    return piece
  }

  /** Makes an entry of a chain a stop. Returns the piece that ends there. */
  #mark(chain: number, node: EntryHandle, depth: number): number {
    const piece = this.#pieceAt(chain, depth)
    const end = this.#depths.get(piece)
    if (end === depth) return piece
    const rank = this.#order?.rank(piece)
    const before = this.#newPiece(node, depth, chain)
    this.#changed?.add(piece)
    const pieces = this.#pieces.get(chain)
    const list = Array.isArray(pieces) ? pieces : [...(pieces ?? [piece])]
    list.splice(this.#indexIn(list, end) + 1, 0, before)
    this.#pieces.set(chain, list)
    if (rank !== undefined) this.order.insert(rank)
    return before
  }

  /** Returns the piece of a chain with the entry of a depth; its last piece if all are before that. */
  #pieceAt(chain: number, depth: number): number {
    const pieces = this.#pieces.get(chain)
    return pieces ? (pieces[this.#indexIn(pieces, depth)] as number) : this.#tips.get(chain)
  }

  /** Returns the index of the last piece, deepest first, that ends at a depth or after it; else 0. */
  #indexIn(pieces: ArrayLike<number>, depth: number): number {
    let [low, high] = [0, pieces.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#depths.get(pieces[middle] as number) >= depth) low = middle
      else high = middle - 1
    }
    return low
  }

  #firstPiece(chain: number): number {
    return this.#pieces.get(chain)?.at(-1) ?? this.#tips.get(chain)
  }

  #firstDepth(chain: number): number {
    const parent = this.#parents.get(chain)
    return parent === NONE ? 0 : this.#depths.get(parent) + 1
  }

  /** Returns the chain that parts at a stop and begins with an entry. */
  async #sideAt(at: number, first: EntryHandle): Promise<number | undefined> {
    if (this.#firsts) return this.#firsts.get(first)
    for (const piece of this.childrenOf(at)) {
      const { stop, length, chain } = this.piece(piece)
      if ((await ancestor(stop, length - 1, this.look)) === first) return chain
    }
    return undefined
  }
}
