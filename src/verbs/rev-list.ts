import { revList as entriesOf } from '../ops/revlist.ts'
import { flag, optional, several } from './input.ts'
import { arrayOf, object } from './schema.ts'
import { count, revision } from './values.ts'
import { list, output } from './verb.ts'
import { oidSchema } from './wire.ts'

/** The inputs that say which entries are meant. */
export const REACHED = {
  revision: several(revision(), 'sessions, entries, ranges A..B or A...B, and ^A to exclude'),
  all: flag('start at every branch, label and HEAD of every session'),
  limit: optional(count(), 'print at most N, newest first'),
  firstParent: flag('follow only the first parent of a merge'),
}

export const revList = list({
  name: 'rev-list',
  summary: 'print the oids that revisions reach',
  input: REACHED,
  item: output(object({ oid: oidSchema, parents: arrayOf(oidSchema) })),
  cursor: ({ oid }) => oid,
  items: ({ repo }, { revision: revisions, ...how }) => entriesOf(repo, revisions, how),
})
