import { listObjects } from '../ops/lsobjects.ts'
import { flag, optional } from './input.ts'
import { first } from './page.ts'
import { arrayOf, described, integer, object, string } from './schema.ts'
import { count } from './values.ts'
import { list, output } from './verb.ts'
import { oidSchema } from './wire.ts'

export const lsObjects = list({
  name: 'ls-objects',
  summary: 'list every entry, reachable or not',
  input: {
    dangling: flag('only entries that no branch, label or HEAD reaches'),
    size: flag('print the bytes of each body too'),
    limit: optional(count(), 'print at most N'),
  },
  item: output(
    object(
      { oid: oidSchema, parents: arrayOf(oidSchema), type: string },
      { size: described('bytes of its body', integer) },
    ),
  ),
  cursor: ({ oid }) => oid,
  items: ({ repo }, { dangling, size, limit }) => first(listObjects(repo, { dangling, size }), limit),
})
