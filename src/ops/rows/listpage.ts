import type { Repo } from '../../repo/repo.ts'
import { type ListedRow, type ListOptions, listSessions } from '../list.ts'
import type { Cursor } from './cursor.ts'
import type { Page, PageItem, PageOptions } from './page.ts'

/** Which sessions a page of the list has. */
export interface ListPageOptions extends Omit<ListOptions, 'limit' | 'reverse'>, PageOptions {}

/** A row of a page of the list. */
export interface ListedPageRow extends ListedRow {
  /** The start of what its user or the model said last, at most 120 UTF-16 units; null where nobody said anything. */
  readonly words: string | null
}

/**
 * Returns a page of the list of sessions. A session that moves in the order while pages are read is before or after a
 * cursor by where it is then. Throws as `listSessions`, and `bad-usage` for a cursor of another list or order.
 */
export async function listPage(repo: Repo, options: ListPageOptions = {}): Promise<Page<ListedPageRow>> {
  const list = await listSessions(repo, { limit: 50, ...options })
  const cursors = list.cursors()
  const rows = [...list.rows()]
  // It reads bodies and needs all formats for that, which lists without last words do not.
  const { lastWords } = await import('../lastwords.ts')
  const words = await lastWords(repo, rows)
  const items = rows.map(
    (row, i): PageItem<ListedPageRow> => ({ ...row, words: words[i] ?? null, cursor: cursors[i] as Cursor }),
  )
  return { items, next: list.next, before: list.before }
}
