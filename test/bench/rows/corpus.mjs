// Real transcripts of many agents: imported, imported again, and as a store.
import { cpSync, rmSync } from 'node:fs'
import { inTurns, sizeOf } from '../measure.mjs'
import { machineHas } from '../peers.mjs'

/** Gives a copy of the transcripts that git may make a repository of. */
const tree = (bench) =>
  bench.once('tree', () => {
    machineHas('git')
    const folder = bench.path('tree')
    cpSync(bench.corpus(), folder, { recursive: true })
    bench.run('chmod', ['-R', 'u+w', folder])
    return folder
  })

const store = (bench) => bench.path('corpus')

/** Imports and commits, several times each; the last ones stay. */
const firstImport = (bench) =>
  bench.once('first import', () => {
    const folder = tree(bench)
    const corpus = bench.corpus()
    return inTurns(
      bench.times(3),
      () => {
        rmSync(store(bench), { recursive: true, force: true })
        return bench.timeSess(store(bench), 'import', corpus, '--all', '--json')
      },
      () => {
        rmSync(`${folder}/.git`, { recursive: true, force: true })
        return (
          bench.timeGit(folder, 'init', '-q') +
          bench.timeGit(folder, 'add', '-A') +
          bench.timeGit(folder, 'commit', '-qm', 'all')
        )
      },
    )
  })

/** Gives the store that holds the transcripts. */
function corpusStore(bench) {
  firstImport(bench)
  return store(bench)
}

/** Gives a copy of that store after sess gc. */
export const packedStore = (bench) =>
  bench.once('packed store', () => {
    const packed = bench.path('packed')
    cpSync(corpusStore(bench), packed, { recursive: true })
    bench.sess(packed, 'gc')
    return packed
  })

/** Gives the bytes of the same transcripts in an aggressive pack of git. */
const aggressive = (bench) =>
  bench.once('aggressive', () => {
    bench.git(tree(bench), 'gc', '-q', '--aggressive', '--prune=now')
    return sizeOf(`${tree(bench)}/.git/objects`)
  })

/** Gives the bytes of the same transcripts in one archive, packed by zstd with a window that holds all of it. */
const archived = (bench) => {
  machineHas('zstd')
  const script = 'tar -c --exclude .git . | zstd -q -19 --long=27 -c | wc -c'
  return Number(bench.run('sh', ['-c', script], { cwd: tree(bench) }))
}

/** The rows on real transcripts. */
export const corpusRows = () => [
  {
    name: 'import a folder of real transcripts, command line',
    peer: 'git init, add -A, commit',
    unit: 'ms',
    limit: 'times',
    least: 1.5,
    aim: 1,
    run: firstImport,
  },
  {
    name: 'import it again, nothing changed',
    peer: 'git add -A',
    unit: 'ms',
    limit: 'times',
    least: 2,
    aim: 1,
    run(bench) {
      firstImport(bench)
      return inTurns(
        bench.times(7),
        () => bench.timeSess(store(bench), 'import', bench.corpus(), '--all', '--json'),
        () => bench.timeGit(tree(bench), 'add', '-A'),
      )
    },
  },
  {
    name: 'the store after the import',
    peer: 'git gc --aggressive',
    unit: 'MB',
    limit: 'times',
    least: 0.95,
    aim: 0.8,
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
    least: 0.75,
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
