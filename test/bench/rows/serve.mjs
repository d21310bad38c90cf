// The server: a page in the middle of a long session with many readers, beside writers, and what clients that leave cost.
import { join } from 'node:path'
import { longSession, piSession } from './sessions.mjs'

const BIN = join(import.meta.dirname, '../../../bin/sess.js')

const absolute = { peer: 'none: the limit is absolute', limit: 'most', unit: 'ms' }

/** Returns what a function on servers measures of the long session. */
const onLong = (bench, name, input = {}) => {
  const { store, session } = longSession(bench, bench.size.long)
  return bench.work('serve', name, { bin: BIN, store, session, ...input })
}

/** The rows on the server. */
export const serveRows = ({ size }) => [
  {
    name: 'a served page beside an import of another process, the slowest',
    ...absolute,
    least: 100,
    aim: 50,
    run(bench) {
      const { file } = piSession(bench)
      return { sess: bench.work('serve', 'beside', { bin: BIN, store: bench.path('served'), file }).slowest }
    },
  },
  {
    name: `the work for a client that goes away ends after at most, a session of ${size.long} entries`,
    ...absolute,
    least: 100,
    aim: 20,
    run(bench) {
      const { ms, path } = onLong(bench, 'left', { log: bench.path('requests') })
      process.stderr.write(`the slowest to end: ${path}\n`)
      return { sess: ms }
    },
  },
  {
    name: `a server ends after SIGTERM, with streams and work of a session of ${size.long} entries, at most`,
    ...absolute,
    least: 1000,
    aim: 700,
    run: (bench) => ({ sess: onLong(bench, 'ended', { times: bench.times(5) }).slowest }),
  },
  {
    name: `p99 of a served page of 100 entries amid ${size.long}, with 50 readers`,
    ...absolute,
    least: 50,
    aim: 20,
    run(bench) {
      const { store, session } = longSession(bench, size.long)
      const input = { bin: BIN, store, session, entries: size.long, times: bench.times(401), readers: 50 }
      return { sess: bench.work('serve', 'page', input).p99 }
    },
  },
]
