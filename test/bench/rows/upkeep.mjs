// The CPU of what keeps a store in order, against that of the import; and of the question of every evening.
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { inTurns } from '../measure.mjs'
import { corpusStore } from './corpus.mjs'
import { manySessions } from './sessions.mjs'

/** A word that real transcripts hold. It is erased as a secret would be. */
const ERASED = 'TypeError'

/** Measures a command on copies of the store of real transcripts, against importing them. */
function againstImport(bench, name, ...args) {
  const input = bench.path('erased')
  writeFileSync(input, ERASED)
  const imported = corpusStore(bench)
  const [copy, fresh] = [bench.path(`upkeep-${name}`), bench.path('upkeep-import')]
  const taken = inTurns(
    bench.times(3),
    () => {
      rmSync(copy, { recursive: true, force: true })
      cpSync(imported, copy, { recursive: true })
      return bench.cpuOfSessReading(input, copy, ...args)
    },
    () => {
      rmSync(fresh, { recursive: true, force: true })
      return bench.cpuOfSess(fresh, 'import', bench.corpus(), '--all')
    },
  )
  for (const path of [copy, fresh]) rmSync(path, { recursive: true, force: true })
  return taken
}

const upkeepRow = (name, detail, ...args) => ({
  name: `${name} in a store of real transcripts: CPU`,
  peer: 'sess, the CPU of importing them',
  unit: 'ms',
  limit: 'times',
  ...detail,
  run: (bench) => againstImport(bench, args[0], ...args),
})

const statsRow = ({ size }, by) => ({
  name: `sess stats --by ${by}, a store of ${size.sessions} sessions: CPU above sess --version`,
  peer: 'none: the limit is absolute',
  unit: 'ms',
  limit: 'most',
  least: 300,
  aim: 150,
  run(bench) {
    const { store } = manySessions(bench)
    const { sess, peer } = inTurns(
      bench.times(7),
      () => bench.cpuOfSess(store, 'stats', '--by', by),
      () => bench.cpuOfSess(store, '--version'),
    )
    return { sess: sess - peer }
  },
})

/** The rows on upkeep. */
export const upkeepRows = (bench) => [
  upkeepRow('sess gc', { least: 2, aim: 1 }, 'gc'),
  upkeepRow('sess gc --aggressive', {}, 'gc', '--aggressive'),
  upkeepRow('erase one word', { least: 2, aim: 1 }, 'expunge', '--secret', '-', '--force', '--yes'),
  statsRow(bench, 'day'),
  statsRow(bench, 'model'),
]
