import { FILTERS } from '../model/graphfilter.ts'
import { defined } from '../model/json.ts'
import { type DrawingPart, drawnOutput, entriesIn } from './drawing.ts'
import { flag, type InputOf, optional } from './input.ts'
import type { VerbContext } from './open.ts'
import { choice, count, revision, revset } from './values.ts'
import { list } from './verb.ts'

const input = {
  revision: optional(revision(), 'a session, an entry, or a range A..B or A...B (@)'),
  limit: optional(count(), 'show at most N entries'),
  all: flag('show all branches of the session'),
  revset: optional(revset(), 'show the entries of a revset'),
  everywhere: flag('search all sessions', { excludes: ['revision'] }),
  filter: optional(choice(FILTERS, 'what'), 'draw a reduced graph', { excludes: ['revset', 'everywhere'] }),
}

export const graph = list({
  name: 'graph',
  summary: 'draw the entries of a log as a graph',
  input,
  item: drawnOutput,
  cursor: ({ oid }) => oid,
  items: (context, asked) => entriesIn(graphDrawing(context, asked)),
})

/** Draws the same graph with its heading; with `digits` also how many digits make each oid unique. */
export async function* graphDrawing(
  { repo, where, priceOf }: VerbContext,
  { revision: name, all, revset: expression, everywhere, filter, limit }: InputOf<typeof input>,
  digits = false,
): AsyncGenerator<DrawingPart> {
  if (expression === undefined && !everywhere) {
    const { logGraph } = await import('../ops/log.ts')
    yield* logGraph(repo, name ?? '@', { all, digits, ...defined({ filter }) })
    return
  }
  // Loaded on use: expressions take long to load, and few calls have one.
  const { selectGraph } = await import('../ops/revset/run.ts')
  const scope = name === undefined ? { everywhere } : { session: name }
  const how = { zone: where.zone, priceOf, digits, ...defined({ limit }) }
  yield* selectGraph(repo, expression ?? 'all()', { ...how, ...scope })
}
