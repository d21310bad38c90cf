import { secretParts as partsIn } from '../ops/secrets/redaction.ts'
import { findSecretsIn } from './findsecrets.ts'
import { atLeastOne } from './input.ts'
import { arrayOf, described, integer, object, string } from './schema.ts'
import { text } from './values.ts'
import { listOf, output, verb } from './verb.ts'

const part = object({
  start: described('in UTF-16 units', integer),
  end: integer,
  mark: described('the text that stands for the secret, the same for the same secret in this store', string),
})

export const secretParts = verb({
  name: 'secret-parts',
  summary: 'find the parts of texts that are keys or tokens',
  effect: 'read',
  input: { text: atLeastOne(text(), 'texts that are to be shown') },
  output: listOf(output(arrayOf(part))),
  run: async (context, { text: texts }) =>
    partsIn(context.repo.identity.id, await findSecretsIn(context), texts),
})
