import { type ListedRef, listRefs } from '../ops/listrefs.ts'
import { optional, several } from './input.ts'
import { first } from './page.ts'
import { anything, described, nullable, object, oneOf, string } from './schema.ts'
import { count, ref } from './values.ts'
import { list, sentAs } from './verb.ts'
import { oidSchema } from './wire.ts'

export { spelledValue } from '../ops/listrefs.ts'

export const forEachRef = list({
  name: 'for-each-ref',
  summary: 'list refs',
  input: {
    pattern: several(ref('pattern'), 'a name, a prefix ending at a /, or a glob with * ** and ?'),
    limit: optional(count(), 'print at most N'),
  },
  item: sentAs(
    object({
      name: string,
      kind: oneOf('branch', 'label', 'HEAD', 'leaf', 'meta', 'source', 'natives', 'export', 'file', 'other'),
      session: nullable(string),
      short: described('the name of a branch or label within its session', nullable(string)),
      oid: described('the entry that it names', nullable(oidSchema)),
      value: described('its value, if that is not an oid', anything),
    }),
    (one: ListedRef) => one,
  ),
  cursor: ({ name }) => name,
  items: ({ repo }, { pattern: patterns, limit }) => first(listRefs(repo, patterns), limit),
})
