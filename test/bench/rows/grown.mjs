// A file that grew by a line since it was imported: what a hook after each turn of an agent pays.
import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { median, sizeOf } from '../measure.mjs'
import { TRANSCRIPTS, transcriptName, writeTranscript } from '../transcripts.mjs'

/** Imports all but the last line of a file into a new store, then all of it. Returns the milliseconds of CPU of both. */
function importTwice(bench, { path, bytes, last }) {
  const store = bench.path('grown-store')
  truncateSync(path, bytes - last.length)
  rmSync(store, { recursive: true, force: true })
  const first = bench.cpuOfSess(store, 'import', path)
  appendFileSync(path, last)
  return { first, grown: bench.cpuOfSess(store, 'import', path) }
}

/** Returns the row of a format: a file of so many bytes, measured so many times. */
const grownRow = (format, { bytes, runs, least, aim }) => ({
  name: `import a file of ${bytes / 1e6} MB of ${format} that grew by a line, in a new process: CPU`,
  peer: 'its first import',
  unit: 'ms',
  limit: 'times',
  least,
  aim,
  run(bench) {
    const folder = bench.path(`grown-${format}`)
    mkdirSync(folder)
    const path = writeTranscript(join(folder, transcriptName(format)), { format, bytes })
    const written = readFileSync(path)
    const last = written.subarray(written.lastIndexOf('\n', written.length - 2) + 1)
    const file = { path, bytes: sizeOf(path), last }
    const imports = Array.from({ length: bench.times(runs) }, () => importTwice(bench, file))
    rmSync(folder, { recursive: true })
    return {
      sess: median(imports.map(({ grown }) => grown)),
      peer: median(imports.map(({ first }) => first)),
    }
  },
})

/** The formats that a quick run measures besides Claude Code's: it shows that the rows work. */
const QUICK_FORMATS = ['codex', 'pi']

/** The rows on files that grow. The start of a process counts for more in a smaller file. */
export const grownRows = ({ size, quick }) => [
  grownRow('claude-code', { bytes: size.grown, runs: 5, least: 0.06, aim: 0.04 }),
  ...TRANSCRIPTS.filter(
    (format) => format !== 'claude-code' && (!quick || QUICK_FORMATS.includes(format)),
  ).map((format) => grownRow(format, { bytes: size.grownOthers, runs: 1, least: 0.1, aim: 0.07 })),
]
