import { encodeCursor } from '../ops/rows/cursor.ts'
import { type FoundSession, type FoundSessions, searchSessions as sessionsOf } from '../ops/search/search.ts'
import type { InputOf } from './input.ts'
import type { VerbContext } from './open.ts'
import { described, integer, object } from './schema.ts'
import { hitProperties, searchInput } from './search.ts'
import { list, sentAs } from './verb.ts'

const item = sentAs(
  object({ ...hitProperties, hits: described('how many hits there are in it', integer) }),
  (value: FoundSession) => value,
)

export const searchSessions = list({
  name: 'search-sessions',
  summary: 'find the sessions in which something was said, each with its best hit',
  input: searchInput,
  item,
  cursor: ({ session, oid }) => encodeCursor('hit', 0, session, oid),
  items: async function* (context, { limit = Number.POSITIVE_INFINITY, ...asked }) {
    yield* (await foundSessions(context, { ...asked, limit })).sessions
  },
})

/** Returns the same sessions, and whether there are more. */
export const foundSessions = (
  { repo, where }: VerbContext,
  { query, ...how }: InputOf<typeof searchInput>,
): Promise<FoundSessions> => sessionsOf(repo, query.join(' '), { zone: where.zone, ...how })
