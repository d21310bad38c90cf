import { required } from '../../verbs/input.ts'
import { label as labelVerb } from '../../verbs/label.ts'
import { nullable, object, string } from '../../verbs/schema.ts'
import { revision } from '../../verbs/values.ts'
import { perform } from '../../verbs/verb.ts'
import { CITED, shortOidOrNull, shortOidSchema } from '../cited.ts'
import { lineOrNull } from '../quoted.ts'
import { shownIn } from '../shownin.ts'
import { writeTool } from '../tool.ts'
import { WRITTEN, writtenData } from './written.ts'

const { label: name, session, force } = labelVerb.input

export const label = writeTool({
  name: 'label',
  title: 'Label an entry',
  description: `Give an entry a name, so that it is found again: search, sessions and tree show labels. Writes one operation and says its number; "sess undo NUMBER" takes it back. Nothing that was said changes.`,
  isIdempotent: true,
  input: { label: name, revision: required(revision(), 'the oid of the entry'), session, force },
  about: WRITTEN,
  item: object({ ...CITED, label: nullable(string), before: nullable(shortOidSchema) }),
  run: async ({ context }, { label: given, revision: at, session: owner, force: isForced }, terms) => {
    const entry = await shownIn(context, at, owner)
    const of = owner ?? entry?.session ?? undefined
    const asked = { label: given, revision: at, force: isForced, ...(of !== undefined && { session: of }) }
    const written = await perform(labelVerb, context, asked, terms)
    const made = written.result
    const data = {
      session: made?.session ?? of ?? null,
      oid: shortOidOrNull(made?.oid ?? entry?.oid),
      time: entry?.time ?? null,
      label: lineOrNull(given),
      before: shortOidOrNull(made?.before),
    }
    return { about: writtenData(written, terms), items: [{ data }] }
  },
})
