import { defined } from '../model/json.ts'
import { withUsual } from '../verbs/input.ts'
import { contextOf, type Store } from '../verbs/open.ts'
import type { Page, PageOptions } from '../verbs/page.ts'
import { resultOf } from './perform.ts'
import { logPageOf, PAGE_SIZE } from './reading.ts'
import type {
  HitPage,
  ListPageOptions,
  LogEntry,
  LoggedOperation,
  LogPageOptions,
  ReflogStep,
  SearchPageOptions,
  SessionRow,
} from './types.ts'

/**
 * The lists of a store, in pages. A page is read in one go and holds the database no longer. Cursors stay valid while the
 * store grows. Every method throws `bad-usage` for a cursor of another list.
 */
export class Pages {
  readonly #store: Store

  private constructor(store: Store) {
    this.#store = store
  }

  /** @internal Returns the pages of an open store. */
  static of(store: Store): Pages {
    return new Pages(store)
  }

  /** Returns a page of what `Store.list` returns, with the last words of each session. */
  async list({ priceOf, limit, after, before, ...options }: ListPageOptions = {}): Promise<Page<SessionRow>> {
    const { ls, sessionPage } = await import('../verbs/ls.ts')
    const context = contextOf(this.#store, defined({ priceOf }))
    return sessionPage(context, withUsual(ls.input, options), {
      limit: PAGE_SIZE,
      ...defined({ limit, after, before }),
    })
  }

  /** Returns a page of what `Store.log` yields. Throws as that, and `no-entry` where it does not reach the cursor's entry. */
  log(revision: string, options: LogPageOptions = {}): Promise<Page<LogEntry>> {
    return logPageOf(this.#store, revision, options)
  }

  /** Returns a page of the hits of `Store.search`, 20 by default. Throws as that. */
  async search(query: string, { zone, session, ...options }: SearchPageOptions = {}): Promise<HitPage> {
    const { foundPage } = await import('../verbs/search.ts')
    const asked = { query: [query], ...defined({ session }) }
    return foundPage(contextOf(this.#store, defined({ zone })), asked, options)
  }

  /** Returns a page of what `Store.operations` yields. */
  operations(options: PageOptions = {}): Promise<Page<LoggedOperation>> {
    return resultOf(this.#store, 'op-log', { limit: PAGE_SIZE, ...options })
  }

  /**
   * Returns a page of the values of a branch, a label or the HEAD of a session, the newest first; for a session those of
   * its current branch. Throws `no-session`, `no-branch`.
   */
  reflog(ref: string, options: PageOptions = {}): Promise<Page<ReflogStep>> {
    return resultOf(this.#store, 'reflog', { limit: PAGE_SIZE, ...options, ref })
  }
}
