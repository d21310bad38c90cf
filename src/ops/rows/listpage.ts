import type { Repo } from '../../repo/repo.ts'
import { type ListedRow, type ListOptions, listSessions } from '../list.ts'
import type { Cursor } from './cursor.ts'
import type { Page, PageItem, PageOptions } from './page.ts'

/** Which sessions a page of the list has. */
export interface ListPageOptions extends Omit<ListOptions, 'limit' | 'reverse'>, PageOptions {}

/**
 * Returns a page of the list of sessions. A session that moves in the order while pages are read is before or after a
 * cursor by where it is then. Throws as `listSessions`, and `bad-usage` for a cursor of another list or order.
 */
export async function listPage(repo: Repo, options: ListPageOptions = {}): Promise<Page<ListedRow>> {
  const list = await listSessions(repo, { limit: 50, ...options })
  const cursors = list.cursors()
  const items: PageItem<ListedRow>[] = []
  for (const row of list.rows()) items.push({ ...row, cursor: cursors[items.length] as Cursor })
  return { items, next: list.next, before: list.before }
}
