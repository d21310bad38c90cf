import { type Label, removeLabel } from '../ops/label.ts'
import { optional, required } from './input.ts'
import { object, string } from './schema.ts'
import { label, session } from './values.ts'
import { sentAs, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

export const labelDelete = verb({
  name: 'label-delete',
  summary: 'delete a label; its entry stays',
  effect: 'write',
  input: {
    label: required(label(), 'the label'),
    session: optional(session(), 'the session of the label (@)'),
  },
  output: sentAs(
    object({ session: string, deleted: string, oid: oidSchema }),
    ({ session: owner, name, oid }: Label) => ({ session: owner, deleted: name, oid }),
  ),
  run: ({ repo }, { label: name, session: owner }) => removeLabel(repo, name, owner),
})
