import { fsck as checkStore, type Fsck, type FsckOptions } from '../ops/fsck/fsck.ts'
import { flag } from './input.ts'
import type { FolderContext } from './open.ts'
import { arrayOf, boolean, described, integer, nullable, object, type Schema, string } from './schema.ts'
import { output, verb } from './verb.ts'
import { basedSchema, oidSchema } from './wire.ts'

/** The properties of a finding. */
export const FINDING = {
  code: string,
  subject: string,
  message: string,
  refs: described('the refs that it affects', arrayOf(string)),
  lastGood: described('the nearest undamaged entry before it', nullable(oidSchema)),
}

type CheckProperties<F> = { readonly [K in keyof Omit<Fsck, 'findings'>]: Schema<Fsck[K]> } & {
  readonly findings: Schema<readonly F[]>
}

/** Returns the properties of a check, with findings as an interface prints them. */
export const checkProperties = <F>(finding: Schema<F>): CheckProperties<F> => ({
  ok: boolean,
  findings: arrayOf(finding),
  lacking: described(
    'how many entries lack the parent that their source names, and how many of them have a graft',
    arrayOf(object({ session: string, lacking: integer, grafted: integer })),
  ),
  waiting: described('sessions that refer to a history that the store lacks', arrayOf(basedSchema)),
  checked: object({ entries: integer, sessions: integer, records: integer, operations: integer }),
})

/** The result of a check. */
export const checkSchema: Schema<Fsck> = object(checkProperties(object(FINDING)))

/** The input of all checks. */
export const CHECKED = { context: flag('also report paths that model APIs would reject') }

export const fsck = verb({
  name: 'fsck',
  summary: 'check the store',
  effect: 'read',
  input: CHECKED,
  output: output(checkSchema),
  run: async (context, { context: contexts }) =>
    checkStore(context.repo, { contexts, onProgress: progressOf(context) }),
})

/** Returns a function that reports how far a check is. */
export const progressOf =
  ({ onProgress }: FolderContext): NonNullable<FsckOptions['onProgress']> =>
  (entries, sessions) =>
    onProgress?.({ step: 'checking', done: { entries, sessions } })
