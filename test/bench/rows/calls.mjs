// What interfaces do beside a process that writes: follow it, list, read slowly, and cancel.
import { longSession } from './sessions.mjs'

const followed = (bench) =>
  bench.once('followed', () =>
    bench.work('calls', 'followed', { store: bench.path('followed'), times: bench.times(31) }),
  )

const onLong = (bench, name, input = {}) => {
  const { store, session } = longSession(bench, bench.size.long)
  return bench.work('calls', name, { store, session, ...input })
}

const absolute = { peer: 'none: the limit is absolute', limit: 'most' }

/** The rows on calls. */
export const callRows = ({ size }) => [
  {
    name: 'an append of another process is reported after at most',
    ...absolute,
    unit: 'ms',
    least: 50,
    aim: 20,
    run: (bench) => ({ sess: followed(bench).slowest }),
  },
  {
    name: 'appends of another process that are not reported',
    ...absolute,
    unit: 'appends',
    least: 0,
    aim: 0,
    run: (bench) => ({ sess: followed(bench).missed }),
  },
  {
    name: '31 appends beside a process that lists operations each 100 ms are',
    oneSize: true,
    ...absolute,
    unit: 'operations',
    least: 1,
    aim: 1,
    run: (bench) => ({
      sess: bench.work('calls', 'listed', { store: bench.path('listed'), times: 31 }).operations,
    }),
  },
  {
    name: `rename beside a process that reads a log slowly, a session of ${size.long} entries, at most`,
    peer: 'the same with nobody beside it',
    unit: 'ms',
    limit: 'times',
    least: 5,
    aim: 2,
    run: (bench) => onLong(bench, 'renamed', { times: bench.times(11) }),
  },
  {
    name: `a cancelled call ends after at most, a session of ${size.long} entries`,
    ...absolute,
    unit: 'ms',
    least: 100,
    aim: 20,
    run(bench) {
      const { ms, call } = onLong(bench, 'cancelled', { entries: size.long })
      process.stderr.write(`the slowest to end: ${call}\n`)
      return { sess: ms }
    },
  },
]
