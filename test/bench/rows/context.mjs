// The contexts of long sessions: compacted as agents do it, never, and once near the end.
import { inTurns } from '../measure.mjs'
import { AS_BEFORE } from '../table.mjs'
import { longSession, piSession } from './sessions.mjs'

/** Measures both sides of a context in turns, and checks that they give the same. */
const openContext = (bench, options) =>
  bench.once(`context ${options?.uncut}`, () => {
    const pi = bench.peer('pi')
    const { store, session, file } = piSession(bench, options)
    const peaks = { sess: [], peer: [] }
    const sums = new Set()
    const taken = inTurns(
      bench.times(3),
      () => keep(peaks.sess, sums, bench.work('sess', 'context', { store, session })),
      () => keep(peaks.peer, sums, bench.work('pi', 'context', { pi, file })),
    )
    if (sums.size !== 1) throw new Error('sess and pi give different contexts')
    return { taken, memory: { sess: Math.min(...peaks.sess), peer: Math.min(...peaks.peer) } }
  })

function keep(peaks, sums, { ms, before, sha }) {
  peaks.push(before)
  sums.add(sha)
  return ms
}

/** The rows on contexts. */
export const contextRows = ({ size }) => [
  {
    name: `open and give the context of ${size.entries} entries, in a new process`,
    peer: 'pi, the same file',
    unit: 'ms',
    limit: 'faster',
    least: 8,
    aim: 15,
    run: (bench) => openContext(bench).taken,
  },
  {
    name: `open and give the context of ${size.entries} entries: memory resident at most`,
    peer: 'pi, the same file',
    unit: 'MB',
    limit: 'smaller',
    least: 4,
    aim: 8,
    run: (bench) => openContext(bench).memory,
  },
  {
    name: `open and give the context of ${size.entries} entries, never compacted`,
    peer: 'pi, the same file',
    unit: 'ms',
    limit: 'faster',
    note: AS_BEFORE,
    run: (bench) => openContext(bench, { uncut: true }).taken,
  },
  {
    name: `open and give the context of ${size.entries} entries, never compacted: memory resident at most`,
    peer: 'pi, the same file',
    unit: 'MB',
    limit: 'smaller',
    note: AS_BEFORE,
    run: (bench) => openContext(bench, { uncut: true }).memory,
  },
  {
    name: `open and give the context of ${size.long} entries, compacted 500 before the tip`,
    peer: `sess, ${size.middle} entries`,
    unit: 'ms',
    limit: 'times',
    least: 1.5,
    aim: 1,
    run(bench) {
      const [long, middle] = [size.long, size.middle].map((entries) => longSession(bench, entries))
      const once = ({ store, session }) => bench.work('sess', 'context', { store, session }).ms
      return inTurns(
        bench.times(7),
        () => once(long),
        () => once(middle),
      )
    },
  },
]
