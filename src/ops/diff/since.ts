import { mergeBase } from '../../graph/mergebase.ts'
import { range } from '../../graph/range.ts'
import { path } from '../../graph/walk.ts'
import type { Backend, Row } from '../../repo/backend.ts'

/** Gives the newest entry that all of some reach; undefined where there is none. */
export async function commonBase(backend: Backend, rows: readonly Row[]): Promise<Row | undefined> {
  let base = rows[0]
  for (const row of rows.slice(1)) {
    if (base === undefined) return undefined
    base = await mergeBase(base, row, (node) => backend.node(node))
  }
  return base
}

/**
 * Gives the entries that a tip reaches and a base does not, children before parents; all that it reaches where there is
 * no base.
 */
export async function* since(backend: Backend, tip: Row, base: Row | undefined): AsyncGenerator<Row> {
  const look = (row: Row) => backend.node(row)
  if ((await look(tip)).merged) yield* range([tip], base === undefined ? [] : [base], look)
  else
    for await (const row of path(tip, look)) {
      if (row === base) return
      yield row
    }
}
