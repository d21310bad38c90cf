import type { Oid } from '../../model/encoding/oid.ts'
import { hasCode } from '../../model/errors.ts'
import type { GraphFilter } from '../../model/graphfilter.ts'
import type { VerbContext } from '../../verbs/open.ts'
import { revParse } from '../../verbs/rev-parse.ts'
import { search } from '../../verbs/search.ts'
import { openTree } from '../../verbs/tree.ts'
import type { TreePosition, TreeView, TreeWindow } from '../../verbs/types.ts'
import type { EntryPlace, TreeHits, WindowRequest } from '../state/state.ts'

/** The hits of a search in a tree that are looked at. */
const MAX_HITS = 1000

/** Rows of a tree, and where the entry stands that was asked for: of one that the filter hides, the row before it. */
interface AnchoredWindow {
  readonly window: TreeWindow
  readonly anchor: number | null
  /** The tip of the session, on which changes are decided; null before its first entry. */
  readonly tip: Oid | null
}

/** The tree that is shown, kept open so that a window costs what it shows. */
export class Trees {
  readonly #context: VerbContext
  /** Called once the counts of a tree are exact. */
  readonly #onCounted: (session: string, filter: GraphFilter) => void
  #open:
    | { readonly session: string; readonly filter: GraphFilter; readonly view: Promise<TreeView> }
    | undefined

  constructor(context: VerbContext, onCounted: (session: string, filter: GraphFilter) => void) {
    this.#context = context
    this.#onCounted = onCounted
  }

  /** Returns rows of the tree of a session. Throws as `tree`. */
  async window(
    session: string,
    filter: GraphFilter,
    request: WindowRequest,
    limit: number,
  ): Promise<AnchoredWindow> {
    const view = await this.#view(session, filter)
    const tip = await this.#tipOf(session)
    if ('around' in request) {
      const [place] = await view.positions([request.around])
      if (!place) return { window: await view.window({ limit }), anchor: null, tip }
      const anchor = rowOf(place)
      return {
        window: await view.window({ from: Math.max(0, anchor - Math.floor(limit / 2)), limit }),
        anchor,
        tip,
      }
    }
    const window = await view.window(request.from === 'end' ? { limit } : { from: request.from, limit })
    return { window, anchor: null, tip }
  }

  /** Returns the tip of a session; null before its first entry. */
  async #tipOf(session: string): Promise<Oid | null> {
    try {
      const [tip] = await revParse.run(this.#context, { revision: [session], short: false })
      return tip?.oid ?? null
    } catch (error) {
      if (hasCode(error, 'empty-session')) return null
      throw error
    }
  }

  /** Hides what is above an entry, or shows it again; opens the entries that are left out before it. */
  async fold({ session, oid }: EntryPlace, filter: GraphFilter, isOpen: boolean): Promise<void> {
    const view = await this.#view(session, filter)
    const cursor = { session, oid }
    if (!isOpen) {
      if ((await view.fold(cursor)) === 0) await view.closeStretch(cursor)
      return
    }
    await view.unfold(cursor)
    await view.openStretch(cursor)
  }

  /** Returns the row that an entry continues, or the first one that continues it; null where there is none. */
  async relative(
    { session, oid }: EntryPlace,
    filter: GraphFilter,
    to: 'parent' | 'child',
  ): Promise<Oid | null> {
    const view = await this.#view(session, filter)
    if (to === 'child') return (await view.children({ session, oid }))[0]?.oid ?? null
    const { rows } = await view.window({ at: { session, oid }, limit: 1 })
    return rows[0]?.edges[0]?.oid ?? null
  }

  /** Returns where the entries of a session stand that hold some words, by position. */
  async find(session: string, filter: GraphFilter, text: string): Promise<TreeHits['places']> {
    const view = await this.#view(session, filter)
    const { items } = await search.run(this.#context, { query: [text], session, limit: MAX_HITS })
    const oids = items.flatMap(({ oid }) => (oid === null ? [] : [oid]))
    const places = await view.positions(oids)
    return places
      .flatMap((place) => (place ? [{ oid: place.oid, position: rowOf(place) }] : []))
      .sort((a, b) => a.position - b.position)
  }

  close(): void {
    // One that could not be opened has reported why, and needs no closing.
    this.#open?.view.then(
      (view) => view.close(),
      () => undefined,
    )
    this.#open = undefined
  }

  #view(session: string, filter: GraphFilter): Promise<TreeView> {
    if (this.#open?.session === session && this.#open.filter === filter) return this.#open.view
    this.close()
    const view = openTree(this.#context.repo, session, { filter })
    this.#open = { session, filter, view }
    // The window reports why a tree cannot be opened; one that is closed before is not counted.
    this.#count(session, filter, view).catch(() => undefined)
    return view
  }

  async #count(session: string, filter: GraphFilter, view: Promise<TreeView>): Promise<void> {
    const opened = await view.catch((error: unknown) => {
      // It is opened again when it is asked for again.
      if (this.#open?.view === view) this.#open = undefined
      throw error
    })
    if (opened.isExact) return
    await opened.settled()
    this.#onCounted(session, filter)
  }
}

/** Returns the row of an entry; of one that the filter hides, the row before it. */
const rowOf = ({ position, isRow }: TreePosition): number => (isRow ? position : Math.max(0, position - 1))
