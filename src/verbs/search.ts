import { defined } from '../model/json.ts'
import { hitCursor } from '../ops/rows/cursor.ts'
import { type HitPage, searchPage } from '../ops/rows/searchpage.ts'
import type { Hit } from '../ops/search/hit.ts'
import { type Found, search as hitsOf } from '../ops/search/search.ts'
import { atLeastOne, type InputOf, optional, withDefault } from './input.ts'
import type { VerbContext } from './open.ts'
import type { PageItem, PageOptions } from './page.ts'
import { arrayOf, boolean, described, integer, nullable, object, oneOf, string } from './schema.ts'
import { count, session, text } from './values.ts'
import { list, sentAs } from './verb.ts'
import { oidSchema, roleSchema, timestamp } from './wire.ts'

/** The properties of a hit. */
export const hitProperties = {
  oid: described('null for a session found by its title or its fields', nullable(oidSchema)),
  session: string,
  title: nullable(string),
  prompt: described('the first words of its user', nullable(string)),
  others: described('the other sessions that share the entry', arrayOf(string)),
  role: nullable(roleSchema),
  time: nullable(timestamp),
  rank: described('the lower the better', integer),
  snippets: arrayOf(
    object({
      place: oneOf('title', 'label', 'prompt', 'reply', 'tool'),
      tool: nullable(string),
      text: string,
      spans: described(
        'what was found, in UTF-16 units of the text',
        arrayOf(object({ from: integer, to: integer })),
      ),
      cut: described(
        'whether its first line is cut at its beginning, its last one at its end',
        arrayOf(boolean),
      ),
    }),
  ),
}

const hit = sentAs(object(hitProperties), (value: Hit) => value)

/** The inputs of a search. */
export const searchInput = {
  query: atLeastOne(text('query'), 'words, "phrases", re:expressions and fields, combined by AND'),
  limit: withDefault(count(), 20, 'show at most N hits'),
  session: optional(session(), 'search this session only'),
}

export const search = list({
  name: 'search',
  summary: 'search the text of all sessions',
  input: searchInput,
  item: hit,
  // The number of hits before it only says where to look for it first.
  cursor: (one) => hitCursor(one, 0),
  items: async function* (context, { limit = Number.POSITIVE_INFINITY, ...asked }) {
    yield* (await found(context, { ...asked, limit })).hits
  },
  page: (context, asked, options) => foundPage(context, asked, options),
})

/** The hits of a search, each with its cursor. */
export interface FoundRows extends Omit<Found, 'hits'> {
  readonly hits: readonly PageItem<Hit>[]
}

/** Returns the same hits, and whether there may be more. */
export async function found(
  { repo, where }: VerbContext,
  { query, ...how }: InputOf<typeof searchInput>,
): Promise<FoundRows> {
  const { hits, ...rest } = await hitsOf(repo, query.join(' '), { zone: where.zone, ...how })
  return { ...rest, hits: hits.map((one, i) => ({ ...one, cursor: hitCursor(one, i) })) }
}

/** Returns a page of the same hits, and how many digits make their oids unique. */
export const foundPage = (
  { repo, where }: VerbContext,
  { query, session: within }: Pick<InputOf<typeof searchInput>, 'query' | 'session'>,
  options: PageOptions,
): Promise<HitPage> =>
  searchPage(repo, query.join(' '), { zone: where.zone, ...defined({ session: within }), ...options })
