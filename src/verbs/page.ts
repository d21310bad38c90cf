import { SessError } from '../model/errors.ts'
import { arrayOf, nullable, object, type Schema, string } from './schema.ts'

/** A page of a list. It is read in one go and holds nothing of the store. */
export interface Page<T> {
  readonly items: readonly T[]
  /** The cursor after which the list continues, null at its end. */
  readonly next: string | null
  /** The cursor before which the page ends that precedes this one, null at the beginning. */
  readonly before: string | null
}

/** The part of a list that a page has. */
export interface PageRange {
  readonly after?: string
  readonly before?: string
  readonly limit: number
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

/** Returns the schema of a page of items. */
export const pageSchema = (item: Schema): Schema =>
  object({ items: arrayOf(item), next: nullable(string), before: nullable(string) })

/**
 * Reads a page of a list: the first items, those after a cursor, or the last ones before a cursor. `checkStop` is called
 * before each item. Throws `bad-usage` for a cursor that is none of the list.
 */
export async function readPage<T>(
  list: AsyncIterable<T>,
  { after, before, limit }: PageRange,
  cursorOf: (item: T) => string,
  checkStop: () => void,
): Promise<Page<T>> {
  const items: T[] = []
  let isOpen = after === undefined
  let isBounded = before === undefined
  /** Whether the list has items before those of the page, and after them. */
  const has = { before: after !== undefined, after: before !== undefined }
  for await (const item of list) {
    checkStop()
    if (!isOpen) {
      isOpen = cursorOf(item) === after
      continue
    }
    if (before !== undefined) {
      isBounded = cursorOf(item) === before
      if (isBounded) break
      items.push(item)
      if (items.length > limit) {
        items.shift()
        has.before = true
      }
    } else if (items.length >= limit) {
      has.after = true
      break
    } else items.push(item)
  }
  if (!isOpen || !isBounded)
    throw new SessError('bad-usage', `'${isOpen ? before : after}' is no cursor of this list`)
  const [begin, end] = [items[0], items.at(-1)]
  return {
    items,
    next: end !== undefined && has.after ? cursorOf(end) : null,
    before: begin !== undefined && has.before ? cursorOf(begin) : null,
  }
}
