import { countHits } from '../ops/search/search.ts'
import { atLeastOne, optional } from './input.ts'
import { integer, object } from './schema.ts'
import { session, text } from './values.ts'
import { output, verb } from './verb.ts'

export const searchCount = verb({
  name: 'search-count',
  summary: 'count what a search finds',
  effect: 'read',
  input: {
    query: atLeastOne(text('query'), 'words, "phrases", re:expressions and fields, combined by AND'),
    session: optional(session(), 'search this session only'),
  },
  output: output(object({ hits: integer, sessions: integer })),
  run: ({ repo, where }, { query, ...how }) => countHits(repo, query.join(' '), { zone: where.zone, ...how }),
})
