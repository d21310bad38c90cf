// The terminal browser: its first frame, its keys and its memory.
import { median } from '../measure.mjs'
import { machineHas } from '../peers.mjs'
import { longSession, manySessions } from './sessions.mjs'

const absolute = { peer: 'none: the limit is absolute', unit: 'ms', limit: 'most' }

/** Opens the browser several times, and returns the median of the times to its first frame. */
function firstFrame(bench, { store }) {
  machineHas('script')
  const input = { sess: bench.sessProgram, store }
  return median(Array.from({ length: bench.times(5) }, () => bench.work('terminal', 'firstFrame', input).ms))
}

const keyFigures = (bench) =>
  bench.once('keys of the browser', () => {
    machineHas('script')
    const { store, session } = longSession(bench, bench.size.long)
    return bench.work('terminal', 'keys', { sess: bench.sessProgram, store, session, times: bench.times(15) })
  })

/** The rows on the terminal browser. */
export const browseRows = ({ size }) => [
  {
    name: `sess browse: first frame, a session of ${size.long} entries`,
    ...absolute,
    least: 1000,
    aim: 500,
    run: (bench) => ({ sess: firstFrame(bench, longSession(bench, size.long)) }),
  },
  {
    name: `sess browse: first frame, a store of ${size.sessions} sessions`,
    ...absolute,
    least: 500,
    aim: 300,
    run: (bench) => ({ sess: firstFrame(bench, manySessions(bench)) }),
  },
  {
    name: `sess browse: from a key to its finished frame, a session of ${size.long} entries`,
    ...absolute,
    least: 16,
    aim: 8,
    run: (bench) => ({ sess: keyFigures(bench).middle }),
  },
  {
    name: `sess browse: from a key to its finished frame, the slowest of 100, a session of ${size.long} entries`,
    ...absolute,
    least: 50,
    aim: 25,
    run: (bench) => ({ sess: keyFigures(bench).slow }),
  },
  {
    name: `sess browse: memory resident at most, a session of ${size.long} entries`,
    ...absolute,
    unit: 'MB',
    least: 300e6,
    aim: 150e6,
    run: (bench) => ({ sess: keyFigures(bench).memory }),
  },
]
