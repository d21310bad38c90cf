import type { Repo } from '../../repo/repo.ts'
import { type LoggedOperation, type OperationFilter, operationsIn } from '../operations.ts'
import { type ReflogStep, stepsOf } from '../reflog.ts'
import { decodeCursor, operationCursor } from './cursor.ts'
import {
  type Page,
  type PageOptions,
  type PageQuery,
  pageOf,
  pageQuery,
  readPage,
  type Side,
} from './page.ts'

/** Returns a page of the operation log, the newest first. Throws `bad-usage` for a cursor of another list. */
export async function operationPage(
  repo: Repo,
  options: PageOptions & OperationFilter = {},
): Promise<Page<LoggedOperation>> {
  const query = pageQuery(options)
  const sideOf = sideOfOperation(query)
  const open = await repo.openOperation()
  const found = await repo.read((reader) =>
    readPage(operationsIn(reader, open, options), query, ({ number }) => sideOf(number)),
  )
  return pageOf(found, query, ({ number }) => operationCursor(number))
}

/** Returns a page of the moves of a ref, the newest first. Throws as `reflog`, and `bad-usage` for a cursor of another list. */
export async function reflogPage(
  repo: Repo,
  ref: string,
  options: PageOptions = {},
): Promise<Page<ReflogStep>> {
  const query = pageQuery(options)
  const sideOf = sideOfOperation(query)
  const found = await repo.read((reader) =>
    readPage(stepsOf(reader, ref), query, ({ operation }) => sideOf(operation)),
  )
  return pageOf(found, query, ({ operation }) => operationCursor(operation))
}

/** Returns on which side of the row of a page an operation is. */
function sideOfOperation({ from }: PageQuery): (number: number) => Side {
  const [at] = from === undefined ? [0] : decodeCursor('operation', from)
  return (number) => (number === at ? 'at' : number > at ? 'before' : 'after')
}
