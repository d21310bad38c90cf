import type { Awaitable } from '../../model/async.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import type { GraphFilter } from '../../model/graphfilter.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { OperationLog } from '../../model/operation.ts'
import { stoppedError } from '../../repo/abort.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import { resolveSession } from '../../repo/revision.ts'
import { findMeta, getTrunk, type SessionTrunk } from '../../repo/session.ts'
import type { LookAt } from '../graphentry.ts'
import { SubagentFinder } from '../subagents.ts'
import { entriesOf, hasFewPaths, mainTree, type Tree, wholeTree, withoutRefs } from './treebuild.ts'
import { chainsTo, foldAgain, foldAt, handleOf, hiddenAfter, pieceOf } from './treefolds.ts'
import { growTree, readGrowth, type TreeState, treeState } from './treegrowth.ts'
import { TreeLengths } from './treelengths.ts'
import { slicedLook, type TreeReading } from './treereading.ts'
import {
  entriesBetween,
  entriesOfRows,
  indexInPiece,
  type PieceEntries,
  type PieceRows,
  type RowSource,
  type TreeCursor,
  type TreeRow,
  treeRow,
} from './treerows.ts'
import type { TreePosition, TreeViewOptions, TreeWindow, TreeWindowOptions } from './treewindow.ts'

const LIMIT = 50

/** Up to so many paths, the whole tree is read at once. */
const FEW_PATHS = 32

/** The number of entries that were asked for last whose paths are read before the whole tree. */
const MAX_ASKED = 32

/** The turns of events in a pause: a read that somebody waits for takes several. */
const TURNS = 4

/** A tree with the moment that it was read. */
interface ReadTree {
  readonly session: SessionTrunk
  readonly tree: Tree
  readonly moment: OperationLog
}

/**
 * The tree of a session as rows, parents before children: what parts from a path comes before the path goes on. A window
 * reads what it shows. It follows the session as that grows. Memory grows with the forks of the session, not with its
 * entries.
 */
export class TreeView {
  readonly session: string
  readonly filter: GraphFilter
  readonly #repo: Repo
  readonly #signal: AbortSignal | undefined
  readonly #ended = new AbortController()
  #state: TreeState | undefined
  #tree: Tree | undefined
  #lengths: TreeLengths | undefined
  /** The number of entries of the session, which is about that of the rows. */
  #entries = 0
  #about: SessionTrunk | undefined
  #whole: Promise<void> | undefined
  /** The entries to which paths are shown beside the straight one; undefined where all paths are. */
  #shown: readonly Oid[] | undefined
  /** The entries that were asked for since the tree was read, while it was not whole, the newest first. */
  #asked: readonly Oid[] = []

  private constructor(repo: Repo, session: string, { filter = 'default', signal }: TreeViewOptions) {
    this.#repo = repo
    this.session = session
    this.filter = filter
    this.#signal = signal
  }

  /** Opens the tree of a session. Of one with many paths the others are read after the first window. Throws `no-session` or `empty-session`. */
  static async open(repo: Repo, session: string, options: TreeViewOptions = {}): Promise<TreeView> {
    return repo.read(async (reader) => {
      const isId = (await findMeta(reader, session)) !== undefined
      const id = isId ? session : (await resolveSession(reader, session)).id
      const view = new TreeView(repo, id, options)
      const look = slicedLook(reader, () => view.#pause())
      await view.#readAnew(reader, look, await reader.operationLog())
      return view
    })
  }

  /** Whether the number of rows and their positions are known. */
  get isExact(): boolean {
    return this.#tree?.isWhole ?? false
  }

  /** Resolves once all counts are exact. Throws `stopped` where the signal was aborted before. */
  async settled(): Promise<void> {
    while (!this.isExact) {
      this.#whole ??= this.#begin()
      await this.#whole
    }
  }

  /** Ends the work in the background. */
  close(): void {
    this.#ended.abort()
  }

  /** Returns rows. Throws `no-entry` for a cursor whose entry the session does not reach. */
  window({ from, at, limit = LIMIT }: TreeWindowOptions = {}): Promise<TreeWindow> {
    return this.#read(at, async (source, lengths) => {
      const { total } = lengths
      const base = at && (await this.#positionOf(source, lengths, await handleOf(source, at.oid))).position
      const first = base === undefined && from === undefined ? total - limit : (base ?? 0) + (from ?? 0)
      const rows = await this.#rowsIn(
        source,
        lengths,
        ...lengths.rowsFrom(Math.max(0, first), limit + Math.min(0, first)),
      )
      const isExact = source.tree.isWhole
      const estimate = this.filter === 'all' ? Math.max(total, this.#entries) : total
      return { rows, total: isExact ? total : estimate, isExact }
    })
  }

  /**
   * Returns the rows that continue a row: that of its own path first, then what parts there. Those that are hidden have
   * no position. Throws as `window`.
   */
  children(cursor: TreeCursor): Promise<TreeRow[]> {
    return this.#read(cursor, async (source, lengths) => {
      const { shape } = source.tree
      const entry = await handleOf(source, cursor.oid)
      const piece = await pieceOf(source, entry)
      const { index } = await indexInPiece(source, piece, entry)
      if (shape.piece(piece).stop !== entry)
        return this.#rowsIn(source, lengths, { piece, from: index + 1, count: 1 })
      const children = shape.childrenOf(piece).map((child) => ({ piece: child, from: 0, count: 1 }))
      return this.#rowsIn(source, lengths, ...children)
    })
  }

  /**
   * Returns entries that are left out between a row and the row that it continues: from the `from`-th on, the oldest
   * first. They have no position. Throws as `window`.
   */
  stretch(
    cursor: TreeCursor,
    { from = 0, limit = LIMIT }: Pick<TreeWindowOptions, 'from' | 'limit'> = {},
  ): Promise<TreeRow[]> {
    return this.#read(cursor, async (source) => {
      const entry = await handleOf(source, cursor.oid)
      const piece = await pieceOf(source, entry)
      const { index, isRow } = await indexInPiece(source, piece, entry)
      if (!isRow) return []
      const { before } = await entriesOfRows(source, { piece, from: index, count: 1 })
      const older = before === undefined ? -1 : (await source.look(before)).depth
      const length = (await source.look(entry)).depth - older - 1
      const rows: TreeRow[] = []
      for (const one of await entriesBetween(source.look, entry, { length, from, limit })) {
        const [parent] = (await source.look(one)).parents
        rows.push(await treeRow(source, one, { piece, before: parent, position: null, hidden: 0 }))
      }
      return rows
    })
  }

  /** Returns where entries stand, in their order; null for those that are not in the tree. */
  positions(oids: readonly Oid[]): Promise<(TreePosition | null)[]> {
    return this.#read(undefined, async (source, lengths) => {
      const handles = await source.reader.findMany(oids)
      const found: (TreePosition | null)[] = []
      for (const oid of oids) {
        const handle = handles.get(oid)
        const piece = handle === undefined ? undefined : await source.tree.shape.find(handle)
        found.push(
          handle === undefined || piece === undefined
            ? null
            : { oid, ...(await this.#positionOf(source, lengths, handle, piece)) },
        )
      }
      return found
    })
  }

  /** Returns the labels of the session with the positions of their entries, by position. */
  async labels(): Promise<(TreePosition & { readonly name: string })[]> {
    const labels = await this.#repo.read(async (reader) => [...(await getTrunk(reader, this.session)).labels])
    const positions = await this.positions(labels.map(([, oid]) => oid))
    return labels
      .flatMap(([name], i) => (positions[i] ? [{ name, ...positions[i] }] : []))
      .sort((a, b) => a.position - b.position)
  }

  /**
   * From the next read on shows of each path beside the straight one its first row alone, but for those that lead to some
   * entries; without these all rows again.
   */
  showPathsTo(oids: readonly Oid[] | undefined): void {
    this.#shown = oids
  }

  /** Hides everything above a row. Returns how many entries that are. Throws as `window`. */
  fold(cursor: TreeCursor): Promise<number> {
    return this.#read(cursor, async (source, lengths) =>
      foldAt(source, lengths, await handleOf(source, cursor.oid)),
    )
  }

  /** Shows again what is above a row. */
  unfold(cursor: TreeCursor): Promise<void> {
    return this.#read(cursor, async (source, lengths) => lengths.unfold(await handleOf(source, cursor.oid)))
  }

  /** Makes all entries of the stretch that a row belongs to rows: those between two entries that shape the tree. */
  openStretch(cursor: TreeCursor): Promise<void> {
    return this.#setOpen(cursor, true)
  }

  /** Makes those entries rows again that the filter shows. */
  closeStretch(cursor: TreeCursor): Promise<void> {
    return this.#setOpen(cursor, false)
  }

  #setOpen(cursor: TreeCursor, isOpen: boolean): Promise<void> {
    return this.#read(cursor, async (source, lengths) => {
      const folds = [...lengths.folds]
      const piece = await pieceOf(source, await handleOf(source, cursor.oid))
      await lengths.setOpen(piece, isOpen, source.look, this.filter)
      await foldAgain(source, lengths, folds)
    })
  }

  /** Returns rows of pieces. Reads the bodies of all of them together. */
  async #rowsIn(
    source: RowSource,
    lengths: TreeLengths,
    ...wanted: readonly PieceRows[]
  ): Promise<TreeRow[]> {
    const found: (PieceRows & PieceEntries)[] = []
    for (const rows of wanted) found.push({ ...rows, ...(await entriesOfRows(source, rows)) })
    await source.reader.prefetch(found.flatMap(({ entries }) => entries))
    const rows: TreeRow[] = []
    for (const { piece, from, before, entries } of found) {
      const [first, visible] = [lengths.positionOf(piece), lengths.visible(piece)]
      for (const [i, entry] of entries.entries()) {
        const position = from + i < visible ? first + from + i : null
        const hidden = await hiddenAfter(source, lengths, entry, { piece, index: from + i })
        const place = { piece, position, hidden }
        rows.push(await treeRow(source, entry, { ...place, before: entries[i - 1] ?? before }))
      }
    }
    return rows
  }

  async #positionOf(source: RowSource, lengths: TreeLengths, entry: EntryHandle, piece?: number) {
    const at = piece ?? (await pieceOf(source, entry))
    const { index, isRow } = await indexInPiece(source, at, entry)
    const [first, visible] = [lengths.positionOf(at), lengths.visible(at)]
    if (index < visible) return { position: first + index, isRow }
    // It is hidden: the row that hides it is the last one before it.
    return { position: Math.max(0, first + visible - 1), isRow: false }
  }

  /**
   * Runs a read on the tree as the session is now, with the path to the entry that is asked for. Then begins to read the
   * whole tree if it is not read yet.
   */
  async #read<T>(
    asked: TreeCursor | undefined,
    work: (source: RowSource, lengths: TreeLengths) => Awaitable<T>,
  ): Promise<T> {
    const result = await this.#repo.read(async (reader) => {
      const look = slicedLook(reader, () => this.#pause())
      await this.#follow(reader, look)
      await this.#addPaths(reader, look, [...(asked ? [asked.oid] : []), ...(this.#shown ?? [])])
      const [source, lengths] = [this.#sourceOf(reader, look), this.#lengths as TreeLengths]
      lengths.showChains(this.#shown && (await chainsTo(source, this.#shown)))
      return work(source, lengths)
    })
    if (!this.isExact) this.#whole ??= this.#begin()
    return result
  }

  #sourceOf(reader: Reader, look: LookAt): RowSource {
    const [tree, lengths] = [this.#tree as Tree, this.#lengths as TreeLengths]
    tree.shape.look = look
    const filterOf = (piece: number): GraphFilter => (lengths.isOpen(piece) ? 'all' : this.filter)
    const agents = new SubagentFinder(reader)
    return { reader, look, tree, session: this.#about as SessionTrunk, agents, filterOf }
  }

  /** Brings the tree up to date: reads it anew where it did not only grow. */
  async #follow(reader: Reader, look: LookAt): Promise<void> {
    const [known, lengths, state] = [this.#tree, this.#lengths, this.#state]
    const growth = state ? await readGrowth(reader, state) : 'other'
    if (growth === 'none') return
    const moment = await reader.operationLog()
    if (known?.isWhole && lengths && growth !== 'other') {
      known.shape.look = look
      const grown = await growTree(reader, this.session, known, growth)
      if (grown) {
        this.#tree = grown
        const folds = [...lengths.folds]
        await lengths.follow(look, this.filter)
        await foldAgain(this.#sourceOf(reader, look), lengths, folds)
        this.#state = await treeState(reader, this.session, grown, moment)
        return
      }
    }
    await this.#readAnew(reader, look, moment)
  }

  /** Adds to a tree that is not whole the paths to entries that it lacks and the session reaches. */
  async #addPaths(reader: Reader, look: LookAt, oids: readonly Oid[]): Promise<void> {
    const tree = this.#tree
    if (!tree || tree.isWhole || oids.length === 0) return
    tree.shape.look = look
    const covered = await reader.index.session(this.session)
    const missing: Oid[] = []
    for (const [oid, handle] of await reader.findMany(oids))
      if (covered?.mayReach(handle) && (await tree.shape.find(handle)) === undefined) missing.push(oid)
    if (missing.length === 0) return
    this.#asked = [...missing, ...this.#asked].slice(0, MAX_ASKED)
    const moment = await reader.operationLog()
    const session = await getTrunk(reader, this.session)
    const more = await mainTree(this.#reading(reader, look), session, this.filter, this.#asked)
    // Meanwhile the whole tree may have been read.
    if (!this.isExact) await this.#show(reader, look, { session, tree: more, moment })
  }

  #reading(reader: Reader, look: LookAt): TreeReading {
    return { reader, look, pause: () => this.#pause() }
  }

  /** Reads the whole tree where it has few paths, else the straight path. */
  async #readAnew(reader: Reader, look: LookAt, moment: OperationLog): Promise<void> {
    const session = await getTrunk(reader, this.session)
    const read = hasFewPaths(session, this.filter, FEW_PATHS) ? wholeTree : mainTree
    const tree = await read(this.#reading(reader, look), session, this.filter)
    this.#asked = []
    await this.#show(reader, look, { session, tree, moment })
  }

  async #show(reader: Reader, look: LookAt, { session, tree, moment }: ReadTree): Promise<void> {
    if (tree.shape.pieceCount === 0) throw new SessError('empty-session', this.session)
    const before = this.#lengths
    const lengths = new TreeLengths(tree)
    this.#about = withoutRefs(session)
    this.#entries = entriesOf(session)
    this.#tree = tree
    this.#lengths = lengths
    this.#state = await treeState(reader, this.session, tree, moment)
    if (!before) return
    const source = this.#sourceOf(reader, look)
    for (const stop of before.openStops) {
      const piece = await tree.shape.find(stop)
      if (piece !== undefined) await lengths.setOpen(piece, true, look, this.filter)
    }
    await foldAgain(source, lengths, [...before.folds])
  }

  /** Reads the whole tree, in slices between which other events run. */
  #begin(): Promise<void> {
    const whole = this.#repo
      .read(async (reader) => {
        const look = slicedLook(reader, () => this.#pause())
        const moment = await reader.operationLog()
        const session = await getTrunk(reader, this.session)
        const tree = await wholeTree(this.#reading(reader, look), session, this.filter)
        await this.#show(reader, look, { session, tree, moment })
      })
      .finally(() => {
        this.#whole = undefined
      })
    // Rejects in `settled`.
    whole.catch(() => undefined)
    return whole
  }

  async #pause(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await this.#repo.yieldToEvents()
    if (this.#ended.signal.aborted || this.#signal?.aborted) throw stoppedError()
  }
}
