import { defined } from '../../model/json.ts'
import { metaRef } from '../../model/refname.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { matchLog } from './comparesource.ts'
import { type ImportContext, readSource } from './readsource.ts'
import type { Imported, Skipped } from './result.ts'
import { updateFacts } from './sessionrefs.ts'
import {
  type ImportedSidecars,
  importSidecars,
  linkWarnings,
  NO_SIDECARS,
  type SidecarContext,
} from './sidecars.ts'
import { takeSilentFile } from './silentfiles.ts'
import type { Source } from './source.ts'
import { bytesBefore, logRefOf, noteOf } from './sourcenotes.ts'
import { type ReadFile, writeSession } from './writesession.ts'

/**
 * Imports one file: into a new session, into the log that it continues, or not at all if the store has it already. Notes
 * the state of the file. Returns undefined where it continues a log that its batch has changed: it has to wait; 'waits' for
 * a silent file that has to wait for all others.
 */
export async function importFile(
  repo: Repo,
  change: Change,
  source: Source,
  context: ImportContext,
): Promise<Imported | Skipped | 'waits' | undefined> {
  const { reader, writer } = change
  const { made, onBytes } = context
  const created = { ...writer.created }
  const match = await matchLog(reader, source, context.sessions)
  if (match.kind !== 'new' && made.has(match.session.id)) return undefined
  const silent = await takeSilentFile(change, source, match, context)
  if (silent) return silent
  const read = await readSource(change, source, match, {
    ...context,
    onBytes: (count) => {
      repo.checkStop()
      onBytes(count)
    },
  })
  const session =
    match.kind === 'new' ? await freeId(change, source.native, read.digest, made) : match.session.id
  const file: ReadFile = { source, match, read, session }
  const sidecars = await importSidecarsOf(change, file, context)
  const { target } = read
  const removed = target
    ? await writeSession(change, { ...file, read: { ...read, target } }, sidecars.facts, context)
    : []
  if (!target && match.kind !== 'new') updateFacts(change, match.session, sidecars.facts)
  const newEntries = writer.created.entries - created.entries
  const newObjects = newEntries + writer.created.blobs - created.blobs
  const warnings = [...read.ingester.notices, ...linkWarnings(source.links), ...sidecars.warnings, ...removed]
  const before = match.kind === 'contained' ? await bytesBefore(reader, source.path, session) : undefined
  const shortened = before !== undefined && before > source.size ? before : undefined
  const imported = resultOf(file, { newEntries, newObjects, warnings, ...defined({ shortened }) })
  remember(change, file, imported, { lacks: sidecars.lacks, following: context.following })
  return imported
}

/** Imports the sidecar files of a session whose own file was read: neither an export nor an earlier state has any. */
async function importSidecarsOf(
  change: Change,
  { source, match, read, session }: ReadFile,
  context: SidecarContext,
): Promise<ImportedSidecars> {
  const { sidecars } = read.format
  if (!sidecars || match.kind === 'contained' || (match.kind !== 'new' && match.exported)) return NO_SIDECARS
  const { path, seen } = source
  const { blobs } = read.ingester.facts
  return importSidecars(change, { session, path, sidecars, seen, ...(blobs && { blobs }) }, context)
}

/** Returns the result for a file, with its fields in the order in which they are shown. */
function resultOf(
  { source, match, read, session }: ReadFile,
  news: Pick<Imported, 'newEntries' | 'newObjects' | 'warnings' | 'shortened'>,
): Imported {
  const { ingester, format } = read
  const { newEntries, newObjects, warnings, shortened } = news
  const exported = match.kind === 'new' ? undefined : match.exported
  return {
    path: source.path,
    format: format.name,
    session,
    records: ingester.records,
    entries: exported ? ingester.held : ingester.sourceEntries.entries.size,
    newEntries,
    newObjects,
    bytes: ingester.bytes,
    contained: match.kind === 'contained',
    ...(exported && { exported: exported.native }),
    salvaged: ingester.salvaged,
    warnings,
    ...defined({ shortened }),
  }
}

/** Notes the state of a file, and keeps that of its reading for a process that watches it. */
function remember(
  { writer }: Change,
  { source, match, read }: ReadFile,
  imported: Imported,
  { lacks, following }: Pick<ImportedSidecars, 'lacks'> & Pick<ImportContext, 'following'>,
): void {
  const { path } = source
  const { ingester, format, target } = read
  const log = target?.log ?? (match.kind === 'new' ? undefined : match.source.log)
  if (log === undefined) return
  const note = { ...noteOf(imported, source, log), ...(lacks.length > 0 && { lacks }) }
  writer.noteSource(path, note, logRefOf(imported))
  if (imported.exported === undefined) following?.keep(path, { ingester, format, log })
}

/** Returns the id of a new session: that of the source, followed by 8 hex digits of the content's hash if another session has it. */
async function freeId(
  { reader }: Change,
  native: string,
  digest: string,
  made: ReadonlySet<string>,
): Promise<string> {
  const isFree = async (id: string): Promise<boolean> =>
    !made.has(id) && (await reader.ref(metaRef(id))) === undefined
  if (await isFree(native)) return native
  for (let digits = 8; ; digits += 4) {
    const id = `${native}-${digest.slice(0, digits)}`
    if (await isFree(id)) return id
  }
}
