import { operations } from '../ops/operations.ts'
import { operationCursor } from '../ops/rows/cursor.ts'
import { operationPage } from '../ops/rows/operationpage.ts'
import { optional, several } from './input.ts'
import { object } from './schema.ts'
import { count, text } from './values.ts'
import { list, output } from './verb.ts'
import { OPERATION } from './wire.ts'

export const opLog = list({
  name: 'op-log',
  summary: 'list operations, newest first',
  input: {
    limit: optional(count(), 'list at most N'),
    refs: several(text('ref'), 'only those that moved this ref or one below it, such as sessions/ID'),
  },
  item: output(object(OPERATION)),
  cursor: ({ number }) => operationCursor(number),
  items: ({ repo }, range) => operations(repo, range),
  page: ({ repo }, filter, options) => operationPage(repo, { ...filter, ...options }),
})
