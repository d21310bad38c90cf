import type { Oid } from '../model/encoding/oid.ts'
import { defined } from '../model/json.ts'
import { append as appendEntries } from '../ops/append/append.ts'
import { sessionTarget } from '../ops/append/sessiontarget.ts'
import { entry } from './entry.ts'
import { atLeastOne, type InputOf, optional } from './input.ts'
import type { VerbContext } from './open.ts'
import { arrayOf, object, string } from './schema.ts'
import { branch, session } from './values.ts'
import { output, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

const what = {
  entry: atLeastOne(entry, 'the entries, in their order'),
  branch: optional(branch(), 'a branch of the session; its current branch by default'),
}

export const append = verb({
  name: 'append',
  summary: 'add entries to a session',
  effect: 'write',
  input: {
    session: optional(session(), 'its id, title, or a prefix of its id'),
    ...what,
  },
  output: output(object({ session: string, oids: arrayOf(oidSchema) })),
  run: async (context, { session: name, ...entries }) =>
    appendTo(context, { ...entries, session: await appendTarget(context, name) }),
})

/** Entries for a session that is named by its id. */
interface Appended extends InputOf<typeof what> {
  readonly session: string
  /** The tip that is expected there, null for none: checked by the process that appends, so that it need not be this one. */
  readonly expected?: Oid | null | undefined
}

/**
 * Appends to a session whose id is known: many appends resolve its name once. Throws as the append, and `conflict` where
 * the tip is not the expected one.
 */
export async function appendTo(
  { repo }: Pick<VerbContext, 'repo'>,
  { session: id, entry: entries, branch: onto, expected }: Appended,
): Promise<{ readonly session: string; readonly oids: Oid[] }> {
  return { session: id, oids: await appendEntries(repo, id, entries, defined({ branch: onto, expected })) }
}

/** Returns the id of the session that a name means, or the current one. Throws as the append. */
export const appendTarget = ({ repo }: VerbContext, name?: string): Promise<string> =>
  sessionTarget(repo, name)
