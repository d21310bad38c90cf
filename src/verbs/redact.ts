import { redact as redactSession } from '../ops/secrets/redact.ts'
import { findSecretsIn } from './findsecrets.ts'
import { required, several } from './input.ts'
import { arrayOf, described, integer, nullable, object, string } from './schema.ts'
import { session, text } from './values.ts'
import { output, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

export const redact = verb({
  name: 'redact',
  summary: 'copy a session with its secrets masked',
  effect: 'write',
  input: {
    session: required(session(), 'its id, title, or a prefix of its id'),
    secret: several(text('secret'), 'secrets that no rule recognises'),
  },
  output: output(
    object({
      session: nullable(string),
      from: string,
      tip: nullable(oidSchema),
      replaced: integer,
      secrets: described('by the 8 digits that scan prints', arrayOf(string)),
    }),
  ),
  run: async (context, { session: name, secret: secrets }) =>
    redactSession(context.repo, name, { find: await findSecretsIn(context), secrets }),
})
