import { SessError } from '../model/errors.ts'
import { defined } from '../model/json.ts'
import { addTo } from '../model/lists.ts'
import { countedFiles } from '../ops/export/countedfiles.ts'
import type { Files, WrittenFile } from '../ops/export/destinations.ts'
import { EXPORT_FORMATS, type ExportOptions, LOSSES, type Loss, type LossCode } from '../ops/export/export.ts'
import { findSecretsIn } from './findsecrets.ts'
import { current, flag, type InputOf, optional, several } from './input.ts'
import type { FolderContext, VerbContext } from './open.ts'
import {
  arrayOf,
  described,
  integer,
  nullable,
  object,
  oneOf,
  type Schema,
  string,
  type ValueOf,
} from './schema.ts'
import { branch, choice, count, revision, session, text } from './values.ts'
import { type Output, sentAs } from './verb.ts'

export { LOSSES, type Loss } from '../ops/export/export.ts'

/** The inputs by which a session and its form are chosen. */
export const EXPORTED = {
  session: current(
    session(),
    'its id, title, or a prefix of its id; or an entry, for the path to it; with the format html also A..B, to compare',
  ),
  format: optional(choice(EXPORT_FORMATS, 'name'), 'convert to another format'),
  branch: optional(branch(), 'export only the path to a branch or label', { excludes: ['below'] }),
  below: optional(revision(), 'export only an entry, its descendants and the path to it'),
  bare: flag('with --below: without the path', { needs: 'below' }),
  redact: flag('mask secrets'),
  allowSecrets: flag('with the format html: write the page even where secrets are found'),
  secret: several(text('secret'), 'with redact: secrets that no rule recognises'),
  noTools: flag('with a format for people: leave out tool calls and their results'),
  noSystem: flag('with a format for people: leave out what agents add, such as system prompts'),
}

/** The input by which only the beginning is exported. */
export const firstBytes = optional(count(), 'export only the first N bytes')

type Exported = Omit<InputOf<typeof EXPORTED>, 'session'> & { readonly bytes?: number }

/** Returns the options of an export, which reports its losses to a function. */
export async function optionsOf(
  context: Pick<VerbContext, 'findSecrets'>,
  { format, branch: path, below, bytes, redact, secret: secrets, ...flags }: Exported,
  onLoss: (loss: Loss) => void,
): Promise<ExportOptions> {
  const find = redact ? await findSecretsIn(context) : undefined
  if (secrets.length > 0 && !redact) throw new SessError('bad-usage', 'secrets are given, and none is masked')
  return { ...defined({ format, branch: path, below, bytes, redact: find }), ...flags, secrets, onLoss }
}

const lossSchema = object({
  code: oneOf(...(Object.keys(LOSSES) as LossCode[])),
  message: string,
  count: integer,
  entries: described('the entries that it was lost from', arrayOf(string)),
  subjects: described('the names that were lost', arrayOf(string)),
})

/** Content that a written form does not carry. */
export const lossesSchema = arrayOf(lossSchema)

/** Returns losses by their kind, in the order in which kinds first occur. */
export function lossGroups(losses: readonly Loss[]): [LossCode, Loss[]][] {
  const groups = new Map<LossCode, Loss[]>()
  for (const loss of losses) addTo(groups, loss.code, loss)
  return [...groups]
}

/** Returns losses as JSON: each kind with its entries and names. */
export const lossData = (losses: readonly Loss[]): readonly ValueOf<typeof lossSchema>[] =>
  lossGroups(losses).map(([code, those]) => ({
    code,
    message: LOSSES[code],
    count: those.length,
    entries: those.flatMap(({ oid }) => oid ?? []),
    subjects: those.flatMap(({ subject }) => subject ?? []),
  }))

/** The properties of a file that was written. */
export const WRITTEN = {
  session: string,
  path: string,
  bytes: integer,
  replaced: described('the size of the file that was replaced', nullable(integer)),
  losses: lossesSchema,
}

/** The properties that only some files have that were written. */
export const WRITTEN_SOMETIMES = {
  files: described('how many files were written into the folder', integer),
  further: described(
    'with --to-agent: how many more files were written: sidecar files, and sub-agents with theirs',
    integer,
  ),
  renamed: described(
    'files with names that are not allowed there, and their new names',
    arrayOf(object({ name: string, as: string })),
  ),
}

/** A session that was written to a file. */
export interface WrittenSession extends WrittenFile {
  readonly session: string
  readonly losses: readonly Loss[]
}

/** Declares the output of a verb that writes a session: losses are sent by their kinds. */
export const writtenOutput = <W extends WrittenSession>(schema: Schema<object>): Output<W> =>
  sentAs(schema, (written: W) => ({ ...written, losses: lossData(written.losses) }))

/** Returns what writes the files of a call. */
export const filesOf = (context: FolderContext, checkStop: () => void): Files =>
  countedFiles({
    dryRun: context.dryRun,
    checkStop,
    onBytes: (bytes) => context.onProgress?.({ step: 'writing', done: { bytes } }),
  })

/** Returns the files that a call on a store writes. */
export const filesIn = (context: VerbContext): Files => filesOf(context, () => context.repo.checkStop())
