// The server: a page in the middle of a long session, with many readers beside.
import { join } from 'node:path'
import { longSession } from './sessions.mjs'

const BIN = join(import.meta.dirname, '../../../bin/sess.js')

/** The rows on the server. */
export const serveRows = ({ size }) => [
  {
    name: `p99 of a served page of 100 entries amid ${size.long}, with 50 readers`,
    peer: 'none: the limit is absolute',
    limit: 'most',
    unit: 'ms',
    least: 50,
    aim: 20,
    run(bench) {
      const { store, session } = longSession(bench, size.long)
      const input = { bin: BIN, store, session, entries: size.long, times: bench.times(401), readers: 50 }
      return { sess: bench.work('serve', 'page', input).p99 }
    },
  },
]
