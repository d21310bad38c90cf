import { defined } from '../model/json.ts'
import { setLabel } from '../ops/label.ts'
import { flag, optional, required } from './input.ts'
import { nullable, object, string } from './schema.ts'
import { label as labelName, revision, session } from './values.ts'
import { output, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

export const label = verb({
  name: 'label',
  summary: 'label an entry',
  effect: 'write',
  input: {
    label: required(labelName(), 'the label'),
    revision: optional(revision(), 'the entry to label; the current entry by default'),
    session: optional(session(), 'the session of the label (@)'),
    force: flag('move an existing label'),
  },
  output: output(object({ session: string, name: string, oid: oidSchema, before: nullable(oidSchema) })),
  run: ({ repo }, { label: name, revision: at, session: owner, force }) =>
    setLabel(repo, name, at, { force, ...defined({ session: owner }) }),
})
