// Windows of a long session: in its middle against its tip, and of all its branches against those of a short one.
import { median } from '../measure.mjs'
import { longSession } from './sessions.mjs'

const figures = (bench, entries) =>
  bench.once(`windows ${entries}`, () => {
    const { store, session } = longSession(bench, entries)
    return bench.work('windows', 'windows', { store, session, entries, times: bench.times(31) })
  })

const row = ({ size }, name, detail, run) => ({
  name: `${name}, a session of ${size.long} entries`,
  unit: 'ms',
  limit: 'times',
  ...detail,
  run,
})

const middle = (bench, what, tip, name, least) =>
  row(bench, name, { peer: 'sess, at the tip', least, aim: 1 }, (one) => {
    const found = figures(one, one.size.long)
    return { sess: found[what], peer: found[tip] }
  })

const growth = (bench, what, name) =>
  row(bench, name, { peer: `sess, ${bench.size.short} entries` }, (one) => ({
    sess: figures(one, one.size.long)[what],
    peer: figures(one, one.size.short)[what],
  }))

const treeFigures = (bench) =>
  bench.once('windows of the tree', () => {
    // The other windows are of the session without the branches that are added here.
    figures(bench, bench.size.long)
    const { store, session } = longSession(bench, bench.size.long)
    return bench.work('windows', 'tree', { store, session, entries: bench.size.long, times: bench.times(15) })
  })

const treeRow = (bench, what, name, least) =>
  row(bench, name, { peer: 'none: the limit is absolute', limit: 'most', least, aim: least / 2 }, (one) => ({
    sess: treeFigures(one)[what],
  }))

const rowFigures = (bench, entries) =>
  bench.once(`rows ${entries}`, () => {
    const { store, session } = longSession(bench, entries)
    return bench.work('windows', 'rows', { store, session })
  })

const perRow = (bench, what, name) =>
  row(bench, name, { unit: 'us', peer: `sess, ${bench.size.short} entries` }, (one) => ({
    sess: rowFigures(one, one.size.long)[what],
    peer: rowFigures(one, one.size.short)[what],
  }))

const coldRow = (bench) =>
  row(
    bench,
    'open a tree as the first work of a process',
    { peer: 'none: the limit is absolute', limit: 'most', least: 50, aim: 25 },
    (one) => {
      treeFigures(one)
      const { store, session } = longSession(one, one.size.long)
      const taken = Array.from({ length: one.times(5) }, () =>
        one.work('windows', 'coldTree', { store, session }),
      )
      return { sess: median(taken.map(({ first }) => first)) }
    },
  )

/** The rows on windows. */
export const windowRows = (bench) => [
  middle(bench, 'middle', 'tip', 'a page of 50 entries in the middle', 1.5),
  middle(bench, 'showMiddle', 'showTip', 'show an entry in the middle', 1.3),
  growth(bench, 'branches', 'list 64 branches'),
  growth(bench, 'all', 'a page of 50 entries of 64 branches'),
  growth(bench, 'search', 'search one session for a word that it lacks'),
  perRow(bench, 'entry', 'each entry of all of them'),
  perRow(bench, 'prompt', 'each prompt of the tree'),
  coldRow(bench),
  treeRow(bench, 'first', 'open a tree and give its first 50 rows', 50),
  treeRow(bench, 'other', '50 other rows of a tree', 16),
  treeRow(bench, 'exact', 'count all rows of a tree exactly', 2000),
]
