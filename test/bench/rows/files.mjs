// Large files: given back, and taken in.
import { fileURLToPath } from 'node:url'
import { inTurns } from '../measure.mjs'
import { longSession, piSession } from './sessions.mjs'

const LINES = fileURLToPath(new URL('../work/lines.mjs', import.meta.url))

/** The rows on large files. */
export const fileRows = ({ size }) => [
  {
    name: `export a session of ${size.entries} entries, command line`,
    peer: 'a node program that parses and writes each line, and cat',
    unit: 'ms',
    limit: 'times',
    least: 1,
    aim: 0.7,
    run(bench) {
      const { store, session, file } = piSession(bench)
      return inTurns(
        bench.times(5),
        () => bench.timeSess(store, 'export', session),
        () => bench.time('cat', [file]) + bench.time(process.execPath, [LINES, file]),
      )
    },
  },
  {
    name: `import one file of ${size.long} entries: memory resident at most`,
    peer: 'none: the limit is absolute',
    unit: 'MB',
    limit: 'most',
    least: 400e6,
    aim: 200e6,
    run: (bench) => ({ sess: longSession(bench, bench.size.long).peak }),
  },
  {
    name: `export a page of ${size.long} entries: memory resident at most`,
    peer: 'none: the limit is absolute',
    unit: 'MB',
    limit: 'most',
    least: 350e6,
    aim: 200e6,
    run(bench) {
      const { store, session } = longSession(bench, bench.size.long)
      return { sess: bench.peakOfSess(store, 'export', session, '--html') }
    },
  },
]
