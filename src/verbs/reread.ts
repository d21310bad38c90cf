import type { RereadOptions, RereadResult } from '../ops/reread/reread.ts'
import { several } from './input.ts'
import type { Store } from './open.ts'
import { anyOf, arrayOf, described, integer, nullable, object, string } from './schema.ts'
import { session } from './values.ts'
import { sentAs, verb } from './verb.ts'
import { graftSchema, oidSchema, warningsSchema } from './wire.ts'

const READING = { format: string, reading: integer }

/** A session whose source was read again. */
export const rereadSchema = object({
  session: string,
  before: object(READING),
  now: object(READING),
  records: integer,
  entries: integer,
  map: described(
    'each entry that changed and its new oid, null if it has none',
    arrayOf(arrayOf(nullable(oidSchema))),
  ),
  warnings: warningsSchema,
})

/** A session that the newest readers have read. */
export const unchangedReadingSchema = object({ session: string, ...READING })

export const reread = verb({
  name: 'reread',
  summary: 'parse stored sessions again with the newest readers',
  effect: 'write',
  operations: 'several',
  input: {
    session: several(session(), 'ids or titles of sessions, or paths of their sources; by default all'),
  },
  output: sentAs(
    object({ sessions: arrayOf(anyOf(rereadSchema, unchangedReadingSchema)), grafts: arrayOf(graftSchema) }),
    (result: RereadResult) => result,
  ),
  run: ({ repo, onProgress }, { session: names }) => {
    let sessions = 0
    return rereadWith(repo, names, {
      onSession: () => onProgress?.({ step: 'reading again', done: { sessions: ++sessions } }),
    })
  },
})

/** Reads again; calls back with the result of each session, which an interface can show as it comes. */
export async function rereadWith(
  repo: Store,
  names: readonly string[],
  options: RereadOptions,
): Promise<RereadResult> {
  const { rereadSources } = await import('../ops/reread/reread.ts')
  return rereadSources(repo, names, options)
}
