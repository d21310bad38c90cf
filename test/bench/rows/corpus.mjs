// Real transcripts of many agents: imported, imported again, and as a store.
import { cpSync } from 'node:fs'
import { inTurns, pause, sizeOf } from '../measure.mjs'
import { machineHas } from '../peers.mjs'

/** Returns a copy of the transcripts that git may make a repository of. */
const tree = (bench) =>
  bench.once('tree', () => {
    machineHas('git')
    const folder = bench.path('tree')
    cpSync(bench.corpus(), folder, { recursive: true })
    bench.run('chmod', ['-R', 'u+w', folder])
    return folder
  })

export const REPARSING = 'a node program that parses, serialises, compares and hashes each record once'

const store = (bench) => bench.path('corpus')

/** Imports the transcripts several times, each in a new process; the last store stays. */
const firstImport = (bench) =>
  bench.once('first import', () =>
    inTurns(
      bench.times(3),
      () => bench.timeImport(store(bench), bench.corpus()).ms,
      () => bench.timeReparse(bench.corpus()),
    ),
  )

/** A file that changed within these milliseconds before an import is read again by the next one. */
const RECENT = 2500

/** Imports once more after the copies that --quick makes are no longer recent. */
function settle(bench) {
  if (!bench.quick) return
  pause(RECENT)
  bench.sess(store(bench), 'import', bench.corpus(), '--all')
}

/** Returns the store that holds the transcripts. */
export function corpusStore(bench) {
  firstImport(bench)
  return store(bench)
}

/** Returns a copy of that store after sess gc. */
export const packedStore = (bench) =>
  bench.once('packed store', () => {
    const packed = bench.path('packed')
    cpSync(corpusStore(bench), packed, { recursive: true })
    bench.sess(packed, 'gc')
    return packed
  })

/** Returns the bytes of the same transcripts in an aggressive pack of git. */
const aggressive = (bench) =>
  bench.once('aggressive', () => {
    bench.git(tree(bench), 'init', '-q')
    bench.git(tree(bench), 'add', '-A')
    bench.git(tree(bench), 'commit', '-qm', 'all')
    bench.git(tree(bench), 'gc', '-q', '--aggressive', '--prune=now')
    return sizeOf(`${tree(bench)}/.git/objects`)
  })

/** Returns the bytes of the same transcripts in one archive, packed by zstd with a window that holds all of it. */
const archived = (bench) => {
  machineHas('zstd')
  const script = 'tar -c --exclude .git . | zstd -q -19 --long=27 -c | wc -c'
  return Number(bench.run('sh', ['-c', script], { cwd: tree(bench) }))
}

/** The rows on real transcripts. */
export const corpusRows = () => [
  {
    name: 'import a folder of real transcripts, in a new process',
    peer: REPARSING,
    unit: 'ms',
    limit: 'times',
    least: 4,
    aim: 3,
    run: firstImport,
  },
  {
    name: 'import it again, nothing changed',
    peer: 'node -e 0',
    unit: 'ms',
    limit: 'times',
    least: 2,
    aim: 1.5,
    run(bench) {
      firstImport(bench)
      settle(bench)
      return inTurns(
        bench.times(7),
        () => bench.timeSess(store(bench), 'import', bench.corpus(), '--all', '--json'),
        () => bench.time(process.execPath, ['-e', '0']),
      )
    },
  },
  {
    name: 'the store after the import',
    peer: 'git gc --aggressive',
    unit: 'MB',
    limit: 'times',
    least: 1,
    aim: 0.6,
    run(bench) {
      firstImport(bench)
      return { sess: sizeOf(store(bench)), peer: aggressive(bench) }
    },
  },
  {
    name: 'the store after sess gc',
    peer: 'git gc --aggressive',
    unit: 'MB',
    limit: 'times',
    least: 0.85,
    aim: 0.6,
    run: (bench) => ({ sess: sizeOf(packedStore(bench)), peer: aggressive(bench) }),
  },
  {
    name: 'the store after sess gc, against one archive',
    peer: 'tar and zstd -19 --long=27',
    unit: 'MB',
    limit: 'times',
    aim: 1,
    run: (bench) => ({ sess: sizeOf(packedStore(bench)), peer: archived(bench) }),
  },
]
