import { type ReflogStep, reflog as stepsOf } from '../ops/reflog.ts'
import { operationCursor } from '../ops/rows/cursor.ts'
import { reflogPage } from '../ops/rows/operationpage.ts'
import { current, optional } from './input.ts'
import { boolean, described, integer, nullable, object, string } from './schema.ts'
import { count, revision } from './values.ts'
import { list, sentAs } from './verb.ts'
import { oidSchema, timestamp } from './wire.ts'

const step = sentAs(
  object({
    session: string,
    name: described('the branch or label, or HEAD', string),
    index: integer,
    oid: nullable(oidSchema),
    branch: described('of a HEAD on a branch', nullable(string)),
    root: described('whether it is a HEAD before the first entry', boolean),
    operation: integer,
    time: nullable(timestamp),
    who: string,
    command: string,
    text: nullable(string),
  }),
  ({ entry, ...move }: ReflogStep) => ({ ...move, text: entry?.text ?? null }),
)

export const reflog = list({
  name: 'reflog',
  summary: 'show former values of a branch, label or HEAD',
  input: {
    ref: current(revision('ref'), 'a session, SESSION/BRANCH, SESSION/LABEL or SESSION/HEAD'),
    limit: optional(count(), 'show at most N moves'),
  },
  item: step,
  // The number of an operation, unlike the index, stays when the ref moves on.
  cursor: ({ operation }) => operationCursor(operation),
  items: ({ repo }, { ref, ...range }) => stepsOf(repo, ref, range),
  page: ({ repo }, { ref }, options) => reflogPage(repo, ref, options),
})
