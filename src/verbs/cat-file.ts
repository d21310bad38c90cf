import type { JsonObject } from '../model/json.ts'
import { catFiles, catFile as fileOf } from '../ops/catfile.ts'
import { atLeastOne } from './input.ts'
import type { VerbContext } from './open.ts'
import { anyOf, anything, arrayOf, object, type Schema, string } from './schema.ts'
import { revision } from './values.ts'
import { listOf, output, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

const fileSchema = anyOf(
  object(
    { oid: oidSchema, parents: arrayOf(oidSchema), type: string, body: anything },
    { links: object({}, { firstKept: oidSchema, kept: arrayOf(oidSchema), target: oidSchema }) },
  ),
  object({ missing: string }),
  object({ ambiguous: string }),
) as Schema<JsonObject>

export const catFile = verb({
  name: 'cat-file',
  summary: 'print entries as JSON',
  effect: 'read',
  input: { revision: atLeastOne(revision(), 'sessions or entries') },
  output: listOf(output(fileSchema)),
  run: ({ repo }, { revision: revisions }) => catFiles(repo, revisions),
})

/** Returns one entry in the same form. Throws where the revision names none, or several. */
export const oneFile = ({ repo }: VerbContext, name: string): Promise<JsonObject> => fileOf(repo, name)
