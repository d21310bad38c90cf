import { type ListedLabel, listLabels } from '../ops/label.ts'
import { flag, optional } from './input.ts'
import { nullable, object, string } from './schema.ts'
import { session, text } from './values.ts'
import { listOf, sentAs, verb } from './verb.ts'
import { oidSchema, roleSchema } from './wire.ts'

const listedLabel = sentAs(
  object({
    session: string,
    name: string,
    oid: oidSchema,
    role: nullable(roleSchema),
    text: nullable(string),
  }),
  ({ entry, ...one }: ListedLabel) => ({ ...one, role: entry.role, text: entry.text }),
)

export const labels = verb({
  name: 'labels',
  summary: 'list labels and the entries that they name',
  effect: 'read',
  input: {
    session: optional(session(), 'the session of the label (@)'),
    all: flag('list the labels of all sessions'),
    find: optional(text('text'), 'list labels with this text in their name or entry'),
  },
  output: listOf(listedLabel),
  run: ({ repo }, { session: owner = '@', all, find }) => listLabels(repo, all ? undefined : owner, find),
})
