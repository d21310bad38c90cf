// The same work on a session a thousand times longer.
import { longSession } from './sessions.mjs'

const figures = (bench, entries) =>
  bench.once(`figures ${entries}`, () => {
    const { store, session } = longSession(bench, entries)
    const look = bench.work('sess', 'look', { store, session, times: bench.times(15) })
    const append = bench.work('sess', 'append', { store, session, times: bench.times(301) }).ms
    const fork = bench.work('sess', 'fork', {
      store,
      session,
      entries: entries - 1,
      times: bench.times(1001),
    }).ms
    return { ...look, append, fork }
  })

const row = ({ size }, what, name) => ({
  name: `${name}, a session of ${size.long} entries`,
  peer: `sess, ${size.short} entries`,
  unit: 'ms',
  limit: 'times',
  least: 1.5,
  aim: 1,
  run: (bench) => ({ sess: figures(bench, size.long)[what], peer: figures(bench, size.short)[what] }),
})

/** The rows on growth. */
export const growthRows = (bench) => [
  row(bench, 'append', 'append one entry, durable'),
  row(bench, 'fork', 'fork at any entry'),
  row(bench, 'log', 'open and give the newest 20 entries'),
  row(bench, 'context', 'open and give the context, compacted 500 before the tip'),
]
