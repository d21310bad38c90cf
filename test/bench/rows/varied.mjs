// Varied transcripts of Claude Code, Codex and pi: long imports, and searches of what they imported.
import { rmSync } from 'node:fs'
import { inTurns } from '../measure.mjs'
import { writeVaried } from '../varied.mjs'
import { REPARSING } from './corpus.mjs'

const LARGE = 1e9

const WORDS = { common: 'error', absent: 'zyzzogeton' }

/** Searches a store, and with grep the files that it was imported from. */
const searchesIn = (bench, store, folder, word) =>
  inTurns(
    bench.times(5),
    () => bench.timeSess(store, 'search', word),
    // Into a pipe: grep stops at the first hit where its output goes nowhere.
    () => bench.time('sh', ['-c', 'grep -rhiF -- "$0" "$1" | cat', word, folder]),
  )

/**
 * Imports so many bytes in turns with the peer. Returns the milliseconds of both, the largest peak memory, and the
 * milliseconds of searches.
 */
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
    const common = searchesIn(bench, store, folder, WORDS.common)
    const absent = searchesIn(bench, store, folder, WORDS.absent)
    for (const path of [folder, store]) rmSync(path, { recursive: true })
    return { taken, peak: Math.max(...peaks), common, absent }
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

/** The rows on varied transcripts; --quick has the small ones only. */
export function variedRows({ size, quick }) {
  const [bytes, times] = quick ? [size.varied, 3] : [LARGE, 1]
  const searchRow = (what, found) => ({
    name: `sess search, ${what}, ${bytes / 1e6} MB of varied transcripts`,
    peer: 'grep -riF on the files',
    unit: 'ms',
    limit: 'times',
    run: (bench) => longImport(bench, bytes, times)[found],
  })
  return [
    importRow(size.varied, 3),
    ...(quick ? [] : [importRow(LARGE, 1)]),
    {
      name: `import ${bytes / 1e6} MB of varied transcripts: memory resident at most`,
      peer: 'none: the limit is absolute',
      unit: 'MB',
      limit: 'most',
      least: 400e6,
      aim: 250e6,
      run: (bench) => ({ sess: longImport(bench, bytes, times).peak }),
    },
    searchRow('a word in most sessions', 'common'),
    searchRow('a word that occurs nowhere', 'absent'),
  ]
}
