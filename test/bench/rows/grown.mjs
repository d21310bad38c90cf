// A file that grew by a line since it was imported: what a hook after each turn of an agent pays.
import { appendFileSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { writeClaudeSession } from '../conversation.mjs'
import { median, sizeOf } from '../measure.mjs'

/** Imports all but the last line of a file into a new store, then all of it. Returns the milliseconds of CPU of both. */
function importTwice(bench, { path, bytes, last }) {
  const store = bench.path('grown-store')
  truncateSync(path, bytes - last.length)
  rmSync(store, { recursive: true, force: true })
  const first = bench.cpuOfSess(store, 'import', path)
  appendFileSync(path, last)
  return { first, grown: bench.cpuOfSess(store, 'import', path) }
}

/** The rows on files that grow. */
export const grownRows = ({ size }) => [
  {
    name: `import a file of ${size.grown / 1e6} MB of Claude Code that grew by a line, in a new process: CPU`,
    peer: 'its first import',
    unit: 'ms',
    limit: 'times',
    least: 0.06,
    aim: 0.04,
    run(bench) {
      const path = writeClaudeSession(bench.path('grown.jsonl'), { bytes: size.grown })
      const written = readFileSync(path)
      const last = written.subarray(written.lastIndexOf('\n', written.length - 2) + 1)
      const file = { path, bytes: sizeOf(path), last }
      const runs = Array.from({ length: bench.times(5) }, () => importTwice(bench, file))
      rmSync(path)
      return { sess: median(runs.map(({ grown }) => grown)), peer: median(runs.map(({ first }) => first)) }
    },
  },
]
