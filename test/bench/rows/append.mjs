// Appends: one at a time, many on their way, and all at once.
import { rmSync } from 'node:fs'
import { messages } from '../conversation.mjs'
import { writeCommits } from '../git.mjs'
import { inTurns, median, pause, sizeOf } from '../measure.mjs'
import { machineHas } from '../peers.mjs'
import { AS_BEFORE } from '../table.mjs'

const fresh = (path) => {
  rmSync(path, { recursive: true, force: true })
  return path
}

/** Appends all entries at once to a store of its own for each run; the store stays, for rows on deep histories. */
export const bulk = (bench, run) =>
  bench.once(`bulk ${run}`, () => {
    const store = bench.path(`bulk-${run}`)
    return { store, ...bench.work('sess', 'bulk', { store, entries: bench.size.entries }) }
  })

/**
 * Appends one at a time: what each of the first 1,000 takes, and of as many again once twice as many were appended. The
 * same numbers with --quick: with fewer the engine has not compiled what it runs, and the rows would say something else.
 */
const oneByOne = (bench) =>
  bench.once('one by one', () =>
    bench.work('appends', 'oneByOne', {
      store: bench.path('appends'),
      database: bench.path('puts'),
      times: 1001,
    }),
  )

/** Appends from eight processes at once, half of them to one branch. */
const beside = (bench) =>
  bench.once('processes', () => {
    const sqlite = bench.peer('sqlite')
    const input = { sqlite, store: bench.path('beside'), database: bench.path('beside.db') }
    return bench.work('processes', 'beside', { ...input, processes: 8, times: bench.times(2001) })
  })

/** Times a command on a store at rest, then beside a process that appends to it all the time. */
function besideBusy(bench) {
  const store = bench.path('busy')
  const { session } = bench.work('sess', 'bulk', { store, entries: bench.size.short })
  const times = bench.times(11)
  const timed = () =>
    median(Array.from({ length: times }, () => bench.timeSess(store, 'log', session, '-n', '5')))
  const idle = timed()
  const writer = bench.begin('processes', 'busy', { store, session })
  try {
    for (const before = sizeOf(store), began = performance.now(); sizeOf(store) === before; pause(5))
      if (performance.now() - began > 30_000) throw new Error('the process beside appends nothing')
    return { sess: timed(), peer: idle }
  } finally {
    writer.kill()
    pause(100)
  }
}

/** The rows on appends. */
export const appendRows = ({ size }) => [
  {
    name: 'append one entry, durable, each of the first 1000 of a process',
    oneSize: true,
    peer: 'one synced LevelDB put of the same bytes',
    unit: 'ms',
    limit: 'times',
    least: 3,
    aim: 1.5,
    run: (bench) => oneByOne(bench).first,
  },
  {
    name: 'append one entry, durable, by a process that has appended 2000',
    oneSize: true,
    peer: 'one synced LevelDB put of the same bytes',
    unit: 'ms',
    limit: 'times',
    least: 2,
    aim: 1.5,
    run: (bench) => oneByOne(bench).later,
  },
  {
    name: 'append one entry each 200 ms, durable',
    oneSize: true,
    peer: 'one synced LevelDB put of the same bytes each 200 ms',
    unit: 'ms',
    limit: 'times',
    least: 5,
    aim: 2,
    run: (bench) =>
      bench.work('appends', 'paced', {
        store: bench.path('paced'),
        database: bench.path('paced-puts'),
        times: bench.times(101),
        every: 200,
      }),
  },
  {
    name: 'append from 4 processes, one entry each 400 ms, durable',
    oneSize: true,
    peer: 'one synced LevelDB put of the same bytes each 100 ms, one process',
    unit: 'ms',
    limit: 'times',
    least: 10,
    aim: 4,
    run: (bench) =>
      bench.work('processes', 'besidePaced', {
        store: bench.path('beside-paced'),
        database: bench.path('beside-paced-puts'),
        processes: 4,
        times: bench.times(51),
        every: 400,
      }),
  },
  {
    name: 'append with 64 on their way, durable, per entry',
    peer: 'SQLite, WAL, synchronous=FULL, a transaction each',
    unit: 'ms',
    limit: 'faster',
    note: AS_BEFORE,
    run(bench) {
      const sqlite = bench.peer('sqlite')
      const input = { sqlite, store: bench.path('flight'), database: bench.path('flight.db') }
      return bench.work('appends', 'inFlight', { ...input, times: bench.times(1000) * 10 })
    },
  },
  {
    name: 'append from 8 processes at once, half of them to one branch, durable, per entry',
    peer: 'SQLite, WAL, synchronous=FULL, 8 processes, a transaction each',
    unit: 'ms',
    limit: 'faster',
    note: AS_BEFORE,
    run: beside,
  },
  {
    name: 'append from 8 processes at once: what 99 of 100 take at most',
    peer: 'none: the limit is absolute',
    unit: 'ms',
    limit: 'most',
    least: 250,
    aim: 250,
    run: (bench) => ({ sess: beside(bench).slow }),
  },
  {
    name: 'sess log -n 5 beside a process that appends all the time',
    peer: 'the same with nobody beside it',
    unit: 'ms',
    limit: 'times',
    least: 3,
    aim: 1.5,
    run: besideBusy,
  },
  {
    name: `append ${size.entries} entries at once`,
    peer: 'git fast-import, a commit each',
    unit: 'ms',
    limit: 'faster',
    note: AS_BEFORE,
    run(bench) {
      machineHas('git')
      const stream = writeCommits(bench.path('commits'), [...messages(size.entries, 5)])
      const repo = bench.path('commits.git')
      const taken = inTurns(
        bench.times(3),
        (i) => bulk(bench, i).ms,
        () => bench.timeFastImport(repo, stream),
      )
      for (const path of [stream, repo]) fresh(path)
      return taken
    },
  },
  {
    name: `append ${size.entries} entries at once`,
    peer: 'SQLite, one transaction',
    unit: 'ms',
    limit: 'times',
    note: AS_BEFORE,
    run(bench) {
      const sqlite = bench.peer('sqlite')
      const once = () =>
        bench.work('appends', 'sqliteBulk', {
          sqlite,
          database: fresh(bench.path('bulk.db')),
          entries: size.entries,
        }).ms
      return inTurns(bench.times(3), (i) => bulk(bench, i).ms, once)
    },
  },
]
