// Forks, at any entry of a long path.
import { median } from '../measure.mjs'
import { piSession } from './sessions.mjs'

const ours = (bench) =>
  bench.once('forks', () => {
    const { store, session, entries } = piSession(bench)
    return bench.work('sess', 'fork', { store, session, entries, times: bench.times(1024) })
  })

const theirs = (bench) =>
  bench.once('forks of pi', () => {
    const pi = bench.peer('pi')
    const { file } = piSession(bench)
    const made = Array.from({ length: bench.times(3) }, () =>
      bench.work('pi', 'fork', { pi, file, folder: bench.temp }),
    )
    return { ms: median(made.map(({ ms }) => ms)), bytes: made[0].bytes }
  })

/** The rows on forks. */
export const forkRows = ({ size }) => [
  {
    name: `fork at any of ${size.entries} entries, durable`,
    peer: 'pi, in the middle, not synced',
    unit: 'ms',
    limit: 'faster',
    least: 500,
    aim: 500,
    run: (bench) => ({ sess: ours(bench).ms, peer: theirs(bench).ms }),
  },
  {
    name: `fork at any of ${size.entries} entries: bytes on the disk`,
    peer: 'pi, in the middle',
    unit: 'bytes',
    limit: 'most',
    least: 1024,
    aim: 1024,
    run: (bench) => ({ sess: ours(bench).bytes, peer: theirs(bench).bytes }),
  },
]
