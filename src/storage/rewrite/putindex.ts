import type { Item } from '../runs/indexpage.ts'
import { type PageForm, pagesOf } from '../runs/pages.ts'
import type { Table } from '../table.ts'

/** Puts what finds things: into pages, and once there are some, for these never change, each under a key of its own. */
export function putIndex(
  target: Table,
  form: PageForm,
  items: readonly Item[],
  putAlone: (item: Item) => void,
): void {
  if (target.get(Uint8Array.of(form.space)) === undefined)
    for (const [key, value] of pagesOf(form, items)) target.put(key, value)
  else for (const item of items.toSorted((a, b) => Buffer.compare(a.hash, b.hash))) putAlone(item)
}
