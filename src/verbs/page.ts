import { SessError } from '../model/errors.ts'
import { isObject, type JsonObject } from '../model/json.ts'
import type { Cursor } from '../ops/rows/cursor.ts'
import { type Page, type PageOptions, pageOf, pageQuery, readPage, type Side } from '../ops/rows/page.ts'
import { arrayOf, described, nullable, object, type Schema, string } from './schema.ts'

export type { Cursor } from '../ops/rows/cursor.ts'
export type { Page, PageItem, PageOptions } from '../ops/rows/page.ts'

/** An item of a list, with its cursor where that is known. */
export interface HasCursor {
  readonly cursor?: string
}

/** Yields the first items of a list; all of them without a limit. */
export async function* first<T>(list: AsyncIterable<T>, limit = Number.POSITIVE_INFINITY): AsyncGenerator<T> {
  let left = limit
  if (left <= 0) return
  for await (const item of list) {
    yield item
    if (--left <= 0) return
  }
}

const cursorSchema = described('in a page: names the row, for after and before', string)

/** Returns the schema of an item that may have a cursor. */
export const cursorSchemaOf = (item: Schema): Schema => ({
  ...(item as JsonObject),
  properties: { ...(isObject(item.properties) && item.properties), cursor: cursorSchema },
})

/** Returns the JSON of an item with its cursor, where it has one. */
export const withCursor = (data: object, { cursor }: HasCursor): object =>
  cursor === undefined ? data : { ...data, cursor }

/** Returns the schema of a page of items. */
export const pageSchema = (item: Schema): Schema =>
  object({ items: arrayOf(cursorSchemaOf(item)), next: nullable(string), before: nullable(string) })

/**
 * Reads a page of a list from the list's beginning on. `checkStop` is called before each item. Throws `bad-usage` for a
 * cursor that is none of the list.
 */
export async function pageFromStart<T extends object>(
  list: AsyncIterable<T>,
  options: PageOptions,
  cursorOf: (item: T) => string,
  checkStop: () => void,
): Promise<Page<T>> {
  const query = pageQuery(options)
  let isMet = false
  const sideOf = (item: T): Side => {
    if (isMet) return 'after'
    isMet = cursorOf(item) === query.from
    return isMet ? 'at' : 'before'
  }
  const found = await readPage(checked(list, checkStop), query, sideOf)
  if (query.from !== undefined && !isMet)
    throw new SessError('bad-usage', `'${query.from}' is no cursor of this list`)
  return pageOf(found, query, (item) => cursorOf(item) as Cursor)
}

async function* checked<T>(list: AsyncIterable<T>, check: () => void): AsyncGenerator<T> {
  for await (const item of list) {
    check()
    yield item
  }
}
