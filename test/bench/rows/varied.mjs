// Long imports: varied transcripts of Claude Code, Codex and pi.
import { rmSync } from 'node:fs'
import { inTurns } from '../measure.mjs'
import { writeVaried } from '../varied.mjs'
import { REPARSING } from './corpus.mjs'

const LARGE = 1e9

/** Imports so many bytes in turns with the peer. Returns the milliseconds of both and the largest peak memory. */
const longImport = (bench, bytes, times) =>
  bench.once(`long import ${bytes}`, () => {
    const folder = writeVaried(bench.path(`varied-${bytes}`), bench.wholeCorpus(), bytes)
    const store = bench.path(`varied-store-${bytes}`)
    const peaks = []
    const taken = inTurns(
      bench.times(times),
      () => {
        const { ms, peak } = bench.timeImport(store, folder)
        peaks.push(peak)
        return ms
      },
      () => bench.timeReparse(folder),
    )
    for (const path of [folder, store]) rmSync(path, { recursive: true })
    return { taken, peak: Math.max(...peaks) }
  })

const importRow = (bytes, times) => ({
  name: `import ${bytes / 1e6} MB of varied transcripts`,
  peer: REPARSING,
  unit: 'ms',
  limit: 'times',
  least: 2.7,
  aim: 2,
  run: (bench) => longImport(bench, bytes, times).taken,
})

/** The rows on long imports; --quick has the small one only. */
export const variedRows = ({ size, quick }) => [
  importRow(size.varied, 3),
  ...(quick ? [] : [importRow(LARGE, 1)]),
  {
    name: `import ${(quick ? size.varied : LARGE) / 1e6} MB of varied transcripts: memory resident at most`,
    peer: 'none: the limit is absolute',
    unit: 'MB',
    limit: 'most',
    least: 400e6,
    aim: 250e6,
    run: (bench) => ({
      sess: (quick ? longImport(bench, size.varied, 3) : longImport(bench, LARGE, 1)).peak,
    }),
  },
]
