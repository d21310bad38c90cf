import { operations } from '../ops/operations.ts'
import { operationCursor } from '../ops/rows/cursor.ts'
import { operationPage } from '../ops/rows/operationpage.ts'
import { optional } from './input.ts'
import { object } from './schema.ts'
import { count } from './values.ts'
import { list, output } from './verb.ts'
import { OPERATION } from './wire.ts'

export const opLog = list({
  name: 'op-log',
  summary: 'list operations, newest first',
  input: { limit: optional(count(), 'list at most N') },
  item: output(object(OPERATION)),
  cursor: ({ number }) => operationCursor(number),
  items: ({ repo }, range) => operations(repo, range),
  page: ({ repo }, _input, options) => operationPage(repo, options),
})
