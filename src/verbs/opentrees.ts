import { SessError } from '../model/errors.ts'
import type { GraphFilter } from '../model/graphfilter.ts'
import type { TreeView } from '../ops/rows/treeview.ts'

/** An open store: named through what takes it, because the context of calls names this class. */
type Store = Parameters<typeof TreeView.open>[0]

/** So many trees are kept: their memory grows with the forks of their sessions. */
const MAX_TREES = 8

interface KeptTree {
  readonly view: TreeView
  /** The reads of it so far: one follows another, because each brings the tree up to date. */
  turn: Promise<unknown>
}

/**
 * The trees of sessions that were read last, for an interface that is asked for one window after the other. A tree follows
 * its session as that grows, and holds no database.
 */
export class OpenTrees {
  readonly #repo: Store
  readonly #trees = new Map<string, Promise<KeptTree>>()

  constructor(repo: Store) {
    this.#repo = repo
  }

  /** Reads a tree, with `exact` once all its rows are counted. Throws as `TreeView.open`, as the work, and `stopped`. */
  async read<T>(
    session: string,
    {
      filter,
      exact,
      signal,
    }: { readonly filter: GraphFilter; readonly exact: boolean; readonly signal?: AbortSignal },
    work: (view: TreeView) => Promise<T>,
  ): Promise<T> {
    const key = `${filter} ${session}`
    const opened = this.#trees.get(key) ?? this.#open(session, filter)
    this.#trees.delete(key)
    this.#trees.set(key, opened)
    try {
      const tree = await opened
      // A title or a beginning of an id may come to name another session.
      if (tree.view.session !== session) this.#trees.delete(key)
      if (exact) await unlessStopped(tree.view.settled(), signal)
      const done = tree.turn.then(() => work(tree.view))
      tree.turn = done.catch(() => undefined)
      return await unlessStopped(done, signal)
    } catch (error) {
      if (!signal?.aborted) this.#trees.delete(key)
      throw error
    } finally {
      for (const oldest of this.#trees.keys()) {
        if (this.#trees.size <= MAX_TREES) break
        this.#trees.delete(oldest)
      }
    }
  }

  async #open(session: string, filter: GraphFilter): Promise<KeptTree> {
    const { TreeView: View } = await import('../ops/rows/treeview.ts')
    const view = await View.open(this.#repo, session, { filter })
    return { view, turn: Promise.resolve() }
  }
}

/** Returns what work returns; throws `stopped` at once where the signal aborts, and lets the work go on. */
async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  let stop: () => void = () => undefined
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new SessError('stopped', 'nothing was changed'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, stopped])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
