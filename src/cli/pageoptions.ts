import type { Cursor } from '../ops/rows/cursor.ts'
import type { PageOptions } from '../ops/rows/page.ts'
import { described, string } from '../verbs/schema.ts'
import { type Option, option, text } from './parameters.ts'

/** The options that say where a page is. */
interface PagePlace {
  readonly after: Option<string | undefined>
  readonly before: Option<string | undefined>
}

/** The options of a list that is read in pages. `excludes` names the options that order it in another way. */
export const pageOptions = (...excludes: readonly string[]): PagePlace => ({
  after: option(text('cursor'), 'only what follows the row with this cursor', {
    excludes: ['before', ...excludes],
  }),
  before: option(text('cursor'), 'only what is before the row with this cursor', { excludes }),
})

/** The property of the rows of such a list. */
export const CURSOR = {
  cursor: described('with --limit, --after or --before: names the row for the latter', string),
}

interface PageInput {
  readonly after?: string
  readonly before?: string
  readonly limit?: number
}

/** Returns which page is asked for; undefined unless it is after or before a row. */
export function pageIn({
  after,
  before,
  limit = Number.POSITIVE_INFINITY,
}: PageInput): PageOptions | undefined {
  if (after !== undefined) return { after: after as Cursor, limit }
  return before === undefined ? undefined : { before: before as Cursor, limit }
}

/** Returns whether rows have cursors: where only some of them are asked for. */
export const hasCursors = ({ after, before, limit }: PageInput): boolean =>
  (after ?? before ?? limit) !== undefined
