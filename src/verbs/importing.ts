import type { SessError } from '../model/errors.ts'
import { defined, type JsonObject } from '../model/json.ts'
import type { DiscoveredFiles } from '../ops/discover.ts'
import type { ImportFilter } from '../ops/import/filter.ts'
import { UNREAD } from '../ops/import/result.ts'
import type { UnlinkedSubagent } from '../ops/import/spawnedagents.ts'
import { type InputOf, optional, several } from './input.ts'
import { described, integer, nullable, object, oneOf, string } from './schema.ts'
import { agent, file, folder, sourceFormat, time } from './values.ts'
import { IMPORTED, IMPORTED_SOMETIMES, unknownSchema } from './wire.ts'

/** Returns an error as JSON. */
export const errorData = (error: SessError): JsonObject => ({ ...error.data() })

/** The inputs by which files to import are chosen. */
export const CHOOSING = {
  path: several(file('path'), 'files and folders; by default, the sessions of all agents on this machine'),
  agent: optional(agent(), 'only sessions of this agent on this machine: claude, codex, pi, …', {
    excludes: ['path'],
  }),
  format: optional(sourceFormat(), 'only files of this format'),
  since: optional(time(), 'only files modified since: 12h, 3d, 2w, yesterday, 2026-04-01'),
  cwd: optional(folder(), 'only sessions of this folder and its subfolders'),
}

type Choosing = Pick<InputOf<typeof CHOOSING>, 'format' | 'since' | 'cwd'>

/** Returns which files are wanted. */
export const wantedBy = ({ format, since, cwd }: Choosing): ImportFilter => defined({ format, since, cwd })

/** Throws `bad-usage` where files of a format are chosen that is not known: before a store is opened for them. */
export async function checkChoice({ format }: Pick<Choosing, 'format'>): Promise<void> {
  if (format === undefined) return
  const { checkFormat } = await import('../ops/formats.ts')
  checkFormat(format)
}

/** A place of an agent that has sessions. */
export const placeSchema = object({ agent: string, folder: string, files: integer, bytes: integer })

/** Returns the JSON of a place. */
export const placeData = ({ agent: name, folder: at, files }: DiscoveredFiles): PlaceData => ({
  agent: name,
  folder: at,
  files: files.length,
  bytes: files.reduce((sum, { size }) => sum + size, 0),
})

interface PlaceData {
  readonly agent: string
  readonly folder: string
  readonly files: number
  readonly bytes: number
}

export const importedSchema = object(IMPORTED, IMPORTED_SOMETIMES)

export const skippedSchema = described(
  'a file of a folder that makes no session',
  object(
    { path: string, skipped: oneOf('no-conversation', 'no-message', 'symbolic-link', 'credentials') },
    {
      session: described('the session that has the file without a message among its own', string),
      shortened: described('the bytes that the file had before; the store has them', integer),
    },
  ),
)

export const unreadSchema = described(
  'what looks like sessions and was not read',
  object(
    { path: string, unread: oneOf(...UNREAD), name: string, count: integer },
    { note: string, session: string },
  ),
)

/** A file whose session got another id. */
export const movedSchema = object({ path: nullable(string), before: string, now: string }, { file: string })

export const unknownOfFormatSchema = described(
  'what is kept and not understood, of all files of a format together',
  object({ format: string, version: nullable(string), unknown: unknownSchema }),
)

/** A sub-agent whose file names a call that is missing. */
export const unlinkedSchema = object({ session: string, agent: string, call: string })

/** Returns the JSON of such a sub-agent. */
export const unlinkedData = ({ session, agent: name, call }: UnlinkedSubagent): UnlinkedSubagent => ({
  session,
  agent: name,
  call,
})
