import type { LogEntry } from '../ops/entries.ts'
import type { LoggedOperation } from '../ops/operations.ts'
import type { ReflogStep } from '../ops/reflog.ts'
import { type ListedPageRow, type ListPageOptions, listPage } from '../ops/rows/listpage.ts'
import { type LogPageOptions, logPage } from '../ops/rows/logpage.ts'
import { operationPage, reflogPage } from '../ops/rows/operationpage.ts'
import type { Page, PageOptions } from '../ops/rows/page.ts'
import { type HitPage, type SearchPageOptions, searchPage } from '../ops/rows/searchpage.ts'
import type { Repo } from '../repo/repo.ts'

/**
 * The lists of a store, in pages. A page is read in one go and holds the database no longer. Cursors stay valid while the
 * store grows. Every method throws `bad-usage` for a cursor of another list.
 */
export class Pages {
  readonly #repo: Repo

  private constructor(repo: Repo) {
    this.#repo = repo
  }

  /** @internal Returns the pages of an open repository. */
  static of(repo: Repo): Pages {
    return new Pages(repo)
  }

  /** Returns a page of what `Store.list` returns, with the last words of each session. */
  list(options: ListPageOptions = {}): Promise<Page<ListedPageRow>> {
    return listPage(this.#repo, options)
  }

  /** Returns a page of what `Store.log` yields. Throws as that, and `no-entry` where it does not reach the cursor's entry. */
  log(revision: string, options: LogPageOptions = {}): Promise<Page<LogEntry>> {
    return logPage(this.#repo, revision, options)
  }

  /** Returns a page of the hits of `Store.search`, 20 by default. Throws as that. */
  search(query: string, options: SearchPageOptions = {}): Promise<HitPage> {
    return searchPage(this.#repo, query, options)
  }

  /** Returns a page of what `Store.operations` yields. */
  operations(options: PageOptions = {}): Promise<Page<LoggedOperation>> {
    return operationPage(this.#repo, options)
  }

  /**
   * Returns a page of the values of a branch, a label or the HEAD of a session, the newest first; for a session those of
   * its current branch. Throws `no-session`, `no-branch`.
   */
  reflog(ref: string, options: PageOptions = {}): Promise<Page<ReflogStep>> {
    return reflogPage(this.#repo, ref, options)
  }
}
