import { SessError } from '../../model/errors.ts'
import type { Cursor } from './cursor.ts'

/** A part of a list, which is read in one go. */
export interface Page<T> {
  readonly items: readonly PageItem<T>[]
  /** To be passed as `after` to read on; null at the end of the list. */
  readonly next: Cursor | null
  /** To be passed as `before` to read what is before; null at the beginning of the list. */
  readonly before: Cursor | null
}

/** An item of a page, with its cursor. */
export type PageItem<T> = T & { readonly cursor: Cursor }

/** Which page of a list is read: the first one, unless it is after or before a row. */
export interface PageOptions {
  readonly after?: Cursor
  readonly before?: Cursor
  /** The maximum number of items: 50 by default. */
  readonly limit?: number
}

const LIMIT = 50

/** A page that is asked for: its direction from a row, and how many items it takes. */
export interface PageQuery {
  readonly from: Cursor | undefined
  readonly isBack: boolean
  readonly limit: number
}

/** Returns the page that options ask for. Throws `bad-usage` where they ask for two. */
export function pageQuery({ after, before, limit = LIMIT }: PageOptions): PageQuery {
  if (after !== undefined && before !== undefined)
    throw new SessError('bad-usage', 'a page is after a cursor or before one, not both')
  return { from: after ?? before, isBack: before !== undefined, limit }
}

/**
 * Returns a page of items in the order of their list: one more than the limit where there are more, at the end, or at the
 * beginning of a page before a row.
 */
export function pageOf<T extends object>(
  found: readonly T[],
  { from, isBack, limit }: PageQuery,
  cursorOf: (item: T) => Cursor,
): Page<T> {
  const isMore = found.length > limit
  const kept = isBack ? found.slice(isMore ? 1 : 0) : found.slice(0, limit)
  const items = kept.map((item) => ({ ...item, cursor: cursorOf(item) }))
  const first = items[0]?.cursor ?? null
  const last = items.at(-1)?.cursor ?? null
  return {
    items,
    next: isBack || isMore ? last : null,
    before: (isBack ? isMore : from !== undefined) ? first : null,
  }
}

/** Where an item of a list is, seen from a row. */
export type Side = 'before' | 'at' | 'after'

/** Cuts the items of a page out of a list, in which they are all before the row, then after it. */
export function cutPage<T>(
  list: readonly T[],
  { isBack, limit }: PageQuery,
  sideOf: (item: T) => Side,
): readonly T[] {
  const kept = list.filter((item) => sideOf(item) === (isBack ? 'before' : 'after'))
  return isBack ? kept.slice(-limit - 1) : kept.slice(0, limit + 1)
}

/** Reads the items of a page out of a list, of which `sideOf` is asked only where the page is not the first. */
export async function readPage<T>(
  list: AsyncIterable<T>,
  { from, isBack, limit }: PageQuery,
  sideOf: (item: T) => Side,
): Promise<readonly T[]> {
  const found: T[] = []
  for await (const item of list) {
    const side = from === undefined ? 'after' : sideOf(item)
    if (isBack && side !== 'before') break
    if (!isBack && side !== 'after') continue
    found.push(item)
    if (found.length <= limit) continue
    if (!isBack) break
    if (found.length > limit + 1) found.shift()
  }
  return found
}
