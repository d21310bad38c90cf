import { spelledValue } from '../../verbs/for-each-ref.ts'
import type { ListedRef } from '../../verbs/types.ts'
import type { TemplateFields } from './fields.ts'

/** Returns the value of a ref in one word: an oid, `ref:BRANCH`, or `-` for any other value. */
export const heldBy = ({ oid, value }: ListedRef): string => oid ?? spelledValue(value) ?? '-'

/** The fields of a ref. */
export const REFS: TemplateFields<ListedRef> = {
  name: { kind: 'text', is: 'its full name', of: ({ name }) => name },
  kind: {
    kind: 'text',
    is: 'branch, label, HEAD, leaf, meta, source, natives, export, file or other',
    of: ({ kind }) => kind,
  },
  session: { kind: 'text', is: 'the id of its session', of: ({ session }) => session },
  short: { kind: 'text', is: 'the name of the branch or label', of: ({ short }) => short },
  oid: { kind: 'oid', is: 'the oid of the entry that it names', of: ({ oid }) => oid },
  held: { kind: 'text', is: 'an oid, ref:BRANCH, or - for any other value', of: heldBy },
  value: { kind: 'other', is: 'its value, if that is not an oid', of: ({ value }) => value },
}
