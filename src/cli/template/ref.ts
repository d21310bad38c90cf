import { type ListedRef, spelledValue } from '../../ops/refs.ts'
import type { Fields } from './fields.ts'

/** Gives what a ref holds in one word: an oid, `ref:BRANCH`, or `-` for what fits none. */
export const heldBy = ({ oid, value }: ListedRef): string => oid ?? spelledValue(value) ?? '-'

/** What templates show of a ref. */
export const REFS: Fields<ListedRef> = {
  name: { kind: 'text', is: 'its name, as it is stored', of: ({ name }) => name },
  kind: {
    kind: 'text',
    is: 'branch, label, HEAD, meta, source, native, natives or other',
    of: ({ kind }) => kind,
  },
  session: { kind: 'text', is: 'the id of its session', of: ({ session }) => session },
  short: { kind: 'text', is: 'of a branch or label its own name', of: ({ short }) => short },
  oid: { kind: 'oid', is: 'the entry that it names itself', of: ({ oid }) => oid },
  held: { kind: 'text', is: 'an oid, ref:BRANCH, or - for what fits no word', of: heldBy },
  value: { kind: 'other', is: 'what it holds where that is no oid', of: ({ value }) => value },
}
