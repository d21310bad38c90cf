import { meeting } from '../../graph/mergebase.ts'
import { range } from '../../graph/range.ts'
import { isAncestor, path } from '../../graph/walk.ts'
import type { Backend, Row } from '../../repo/backend.ts'

/**
 * Gives the newest entry of another entry's path that a tip reaches: what the path has behind it only that side has.
 * Undefined where they share nothing. Where histories crossed and have several best common ancestors, it is the one on
 * that path.
 */
export async function meetingOf(backend: Backend, tip: Row, other: Row): Promise<Row | undefined> {
  const look = (row: Row) => backend.node(row)
  if (await isAncestor(other, tip, look)) return other
  if (!(await look(tip)).merged) return meeting(tip, other, look)
  let last: Row | undefined = other
  for await (const row of range([other], [tip], look, { firstParent: true }))
    last = (await look(row)).parents[0]
  return last
}

/** Gives what the path of one entry has and another does not reach, in path order. */
export async function pathSince(backend: Backend, tip: Row, other: Row | undefined): Promise<Row[]> {
  const look = (row: Row) => backend.node(row)
  const end = other === undefined ? undefined : await meetingOf(backend, other, tip)
  const rows: Row[] = []
  for await (const row of path(tip, look)) {
    if (row === end) break
    rows.push(row)
  }
  return rows.reverse()
}
