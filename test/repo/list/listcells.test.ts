import { expect, it } from 'vitest'
import { CELLS, type CellKey, replaced, rowsOf, tableOf } from '../../../src/repo/list/listcells.ts'
import { listedSession } from '../../support/listed.ts'

it('is without the sessions that moved, and has them as they are now behind all others', () => {
  const before = ['a', 'b', 'c', 'd'].map((id) => listedSession({ id, title: 'Before' }))
  const now = [listedSession({ id: 'e', tokens: null }), listedSession({ id: 'b', title: 'Now', cost: 3 })]
  const table = replaced(tableOf(before), new Set(['b', 'd', 'e']), now)
  const rows = [before[0], before[2], ...now] as typeof before
  expect([table.count, rowsOf(table)]).toEqual([4, rows])
  for (const key of Object.keys(CELLS) as CellKey[])
    expect([key, table.column(key)]).toEqual([key, rows.map((row) => CELLS[key](row))])
})
