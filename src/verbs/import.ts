import type { ImportEvents, SessionImport } from '../ops/import/importsessions.ts'
import {
  CHOOSING,
  checkChoice,
  errorData,
  importedSchema,
  movedSchema,
  placeData,
  placeSchema,
  skippedSchema,
  unknownOfFormatSchema,
  unlinkedData,
  unlinkedSchema,
  unreadSchema,
  wantedBy,
} from './importing.ts'
import { flag, type InputOf } from './input.ts'
import { machineOf, type VerbContext } from './open.ts'
import { anything, arrayOf, described, integer, mapOf, nullable, object, string } from './schema.ts'
import { sentAs, verb } from './verb.ts'
import { basedSchema, graftSchema, IMPORT_COUNTS } from './wire.ts'

const input = {
  ...CHOOSING,
  all: flag('import every file of a folder, also those without a conversation'),
}

/** The sums over all files of an import. */
export const totalsSchema = object({ files: integer, sessions: integer, ...IMPORT_COUNTS })

export const importVerb = verb({
  name: 'import',
  summary: 'import session files of agents',
  effect: 'write',
  operations: 'several',
  input,
  output: sentAs(
    object({
      found: described('the places of agents; null where paths were named', nullable(arrayOf(placeSchema))),
      files: arrayOf(importedSchema),
      refused: described(
        'the paths that could not be imported',
        arrayOf(object({ path: string, error: mapOf(anything) })),
      ),
      skipped: arrayOf(skippedSchema),
      unread: arrayOf(unreadSchema),
      bases: arrayOf(basedSchema),
      unknown: arrayOf(unknownOfFormatSchema),
      moved: arrayOf(movedSchema),
      grafts: arrayOf(graftSchema),
      unlinked: arrayOf(unlinkedSchema),
      totals: totalsSchema,
    }),
    ({ wanted: _wanted, ...result }: SessionImport) => ({
      ...result,
      found: result.found && result.found.map(placeData),
      refused: result.refused.map(({ path, error }) => ({ path, error: errorData(error) })),
      unlinked: result.unlinked.map(unlinkedData),
    }),
  ),
  run: (context, asked) => importInto(context, asked),
})

/** Imports; calls back with the places and with the result of each file, which an interface can show as it comes. */
export async function importInto(
  context: VerbContext,
  { path: paths, all, agent, ...choosing }: InputOf<typeof input>,
  events: Omit<ImportEvents, 'onProgress'> = {},
): Promise<SessionImport> {
  await checkChoice(choosing)
  const { importSessions } = await import('../ops/import/importsessions.ts')
  const wanted = { paths, all, only: wantedBy(choosing), machine: machineOf(context) }
  return importSessions(context.repo, agent === undefined ? wanted : { ...wanted, agent }, {
    ...events,
    onProgress: ({ files, bytes, ofFiles, ofBytes }) =>
      context.onProgress?.({
        step: 'importing',
        done: { files, bytes },
        of: { files: ofFiles, bytes: ofBytes },
      }),
  })
}
