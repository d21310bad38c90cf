import { type FoundSecret, scan as secretsIn } from '../ops/secrets/scan.ts'
import { findSecretsIn } from './findsecrets.ts'
import { optional, several } from './input.ts'
import { first } from './page.ts'
import { described, nullable, object, string } from './schema.ts'
import { count, revision } from './values.ts'
import { list, output } from './verb.ts'
import { oidSchema } from './wire.ts'

export const scan = list({
  name: 'scan',
  summary: 'find keys and tokens in the store',
  input: {
    revision: several(revision(), 'sessions, ranges or entries; by default the whole store'),
    limit: optional(count(), 'find at most N places'),
  },
  item: output<FoundSecret>(
    object({
      session: nullable(string),
      oid: nullable(oidSchema),
      field: described('where in the record, or what else holds it', string),
      rule: string,
      masked: described('its first characters, and how many it has', string),
      secret: described('8 hex digits, the same for the same secret in this store', string),
    }),
  ),
  cursor: ({ session, oid, field, secret }) => JSON.stringify([session, oid, field, secret]),
  items: async function* (context, { revision: revisions, limit }) {
    const { repo, onProgress } = context
    const find = await findSecretsIn(context)
    let places = 0
    const found = secretsIn(repo, {
      find,
      revisions,
      onProgress: ({ entries, records }) =>
        onProgress?.({ step: 'scanning', done: { entries, records, places } }),
    })
    for await (const one of first(found, limit)) {
      places++
      yield one
    }
  },
})
