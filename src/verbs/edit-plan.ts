import { type Editable, editable } from '../ops/edit.ts'
import { EDITED } from './edit.ts'
import { arrayOf, object, string } from './schema.ts'
import { sentAs, verb } from './verb.ts'
import { entryData, entrySchema, oidSchema } from './wire.ts'

export const editPlan = verb({
  name: 'edit-plan',
  summary: 'list the entries that a plan can edit',
  effect: 'read',
  input: EDITED,
  output: sentAs(
    object({ session: string, tip: oidSchema, entries: arrayOf(entrySchema) }),
    ({ entries, ...of }: Editable) => ({ ...of, entries: entries.map(entryData) }),
  ),
  run: ({ repo }, { revision: name, session: owner }) => editable(repo, name, owner),
})
