// Entries by their oids, and the shape of a deep history.
import { cpSync, writeFileSync } from 'node:fs'
import { writeFiles, writeShape } from '../git.mjs'
import { inTurns, median } from '../measure.mjs'
import { machineHas } from '../peers.mjs'
import { bulk } from './append.mjs'
import { packedStore } from './corpus.mjs'

const READS = 1000

const linesOf = (text) => text.trim().split('\n')

/** Returns READS of some names, spread over all of them, in no order. */
const someOf = (names) => Array.from({ length: READS }, (_, i) => names[(i * 7919 + 13) % names.length])

/** Writes names to a file, one per line. Returns its path. */
function asked(bench, name, names) {
  writeFileSync(bench.path(name), `${names.join('\n')}\n`)
  return bench.path(name)
}

/** Makes the same bodies readable from sess and from an aggressive pack of git. Returns both and what to ask them. */
function sameEntries(bench) {
  machineHas('git')
  const store = packedStore(bench)
  const oids = linesOf(bench.sess(store, 'ls-objects')).map((line) => line.slice(0, 64))
  const batch = bench.sessWords(store, 'cat-file', '--batch')
  const bodies = linesOf(bench.run(process.execPath, batch, { input: `${oids.join('\n')}\n` })).map((line) =>
    JSON.stringify(JSON.parse(line).body),
  )
  const repo = bench.path('files.git')
  bench.timeFastImport(repo, writeFiles(bench.path('files'), bodies))
  bench.git(repo, 'gc', '-q', '--aggressive')
  const blobs = linesOf(bench.git(repo, 'ls-tree', '-r', 'main')).map((line) => line.split(/\s/)[2])
  const copy = bench.path('packed-copy')
  cpSync(store, copy, { recursive: true })
  return { store, copy, oids: someOf(oids), repo, blobs: asked(bench, 'blobs', someOf(blobs)) }
}

/** Returns the milliseconds per blob that git takes to print some blobs, without its start. */
function timeBlobs(bench, repo, blobs) {
  const words = ['-C', repo, 'cat-file', '--batch']
  const none = bench.time('git', words)
  return (bench.time('git', words, { input: blobs }) - none) / READS
}

/** Returns a deep history with a fork in its middle, in sess and in git with a commit graph. */
const deepHistory = (bench) =>
  bench.once('deep history', () => {
    machineHas('git')
    const depth = bench.size.entries
    const repo = bench.path('shape.git')
    bench.timeFastImport(repo, writeShape(bench.path('shape'), depth))
    bench.git(repo, 'gc', '-q')
    bench.git(repo, 'commit-graph', 'write', '--reachable')
    const { store, session } = bulk(bench, 0)
    const { session: other } = bench.work('sess', 'side', { store, session, back: depth >> 1 })
    const input = { store, session, other, back: depth >> 1, times: bench.times(101) }
    return { repo, back: depth >> 1, ours: bench.work('sess', 'ancestors', input) }
  })

/** Returns the milliseconds of a command of git less those that git takes to start. */
function withoutStart(bench, repo, ...words) {
  const times = Array.from({ length: bench.times(11) })
  const start = median(times.map(() => bench.timeGit(repo, 'version')))
  return median(times.map(() => bench.timeGit(repo, ...words))) - start
}

/** The rows on reading by oid and on ancestors. */
export const readRows = ({ size }) => [
  {
    name: `${READS} entries of the real transcripts by oid at random from the packed store, open, per entry`,
    peer: 'git cat-file --batch, the same bodies in an aggressive pack, without its start',
    unit: 'ms',
    limit: 'times',
    least: 3,
    aim: 1.5,
    run(bench) {
      const { store, copy, oids, repo, blobs } = sameEntries(bench)
      return inTurns(
        bench.times(7),
        () => bench.work('sess', 'entriesByOid', { store, copy, oids }).ms,
        () => timeBlobs(bench, repo, blobs),
      )
    },
  },
  {
    name: `merge base in an open store, ${size.entries} deep, fork in the middle`,
    peer: 'git merge-base with a commit graph, without its start',
    unit: 'ms',
    limit: 'faster',
    least: 50,
    aim: 500,
    run(bench) {
      const { repo, ours } = deepHistory(bench)
      return { sess: ours.base, peer: withoutStart(bench, repo, 'merge-base', 'main', 'side') }
    },
  },
  {
    name: `~N in an open store, ${size.entries} deep`,
    peer: `git rev-parse main~${size.entries / 2} with a commit graph, without its start`,
    unit: 'ms',
    limit: 'faster',
    least: 50,
    aim: 500,
    run(bench) {
      const { repo, back, ours } = deepHistory(bench)
      return { sess: ours.ancestor, peer: withoutStart(bench, repo, 'rev-parse', `main~${back}`) }
    },
  },
]
