import type { Facts } from '../../formats/core/format.ts'
import { defined } from '../../model/json.ts'
import { metaRef } from '../../model/refname.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { type BaseFinder, originOf, standingOf } from './base.ts'
import { type Match, matchLog } from './comparesource.ts'
import { type FormerTips, formerTips } from './deletedtips.ts'
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
import { bytesBefore, logRefOf, noteOf, pathAfter } from './sourcenotes.ts'
import { factsOfFile, type Origin, type ReadFile, writeSession } from './writesession.ts'

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
  const origin = await originIn(reader, source, match, context.bases)
  const standing = origin.head ? await standingOf(reader, { origin: origin.head }) : {}
  const tips = await formerTips(reader, match, source)
  const read = await readSource(change, source, match, standing, {
    ...context,
    ...(tips.size > 0 && { onNative: withoutNative(tips, context.onNative) }),
    onBytes: (count) => {
      repo.checkStop()
      onBytes(count)
    },
  })
  if (match.kind !== 'new' && source.base && !match.source.origin && (await isFirstNaming(reader, source)))
    context.onBase?.({ session: match.session.id, base: source.base.session, outcome: 'unread' })
  if (read.isPart) context.onPart()
  const session =
    match.kind === 'new' ? await freeId(change, source.native, read.digest, made) : match.session.id
  const file: ReadFile = { source, match, read, session, origin }
  const sidecars = await importSidecarsOf(change, file, context)
  const { target } = read
  const removed = target
    ? await writeSession(change, { ...file, read: { ...read, target }, deleted: tips }, sidecars, context)
    : []
  if (!target && match.kind !== 'new') updateUnchanged(change, { ...file, match }, sidecars.facts, context)
  if (sidecars.facts.spawns) context.subagents.all.add(session)
  const newEntries = writer.created.entries - created.entries
  const newObjects = newEntries + writer.created.blobs - created.blobs
  const warnings = [...read.ingester.notices, ...linkWarnings(source.links), ...sidecars.warnings, ...removed]
  const before = match.kind === 'contained' ? await bytesBefore(reader, source.path, session) : undefined
  const shortened = before !== undefined && before > source.size ? before : undefined
  const imported = resultOf(file, { newEntries, newObjects, warnings, ...defined({ shortened }) })
  remember(change, file, imported, sidecars)
  return imported
}

/** Returns where a source begins: where it was found to begin when it was first read, else by the base that it names. */
async function originIn(
  reader: Reader,
  { base, format, page }: Source,
  match: Match,
  bases: BaseFinder,
): Promise<Origin> {
  if (match.kind !== 'new') return match.source.origin ? { head: match.source.origin } : {}
  if (!base) return {}
  const found = await bases.find(base, format, page)
  return { head: await originOf(reader, base, found), found }
}

/** Returns whether no reading that knows bases has noted a file yet. */
const isFirstNaming = async (reader: Reader, { path, format }: Source): Promise<boolean> =>
  (await reader.cache.source(path))?.reading !== format.reading

/** A match with a log that is known. */
type KnownMatch = Exclude<Match, { readonly kind: 'new' }>

/** Returns whether a file is the source of the session that it matched, not an earlier state or an export of it. */
const isSource = ({ kind, exported }: KnownMatch): boolean => kind !== 'contained' && !exported

/** Sets the facts of a session whose file has nothing new: it may have moved, and sidecar files may have changed. */
function updateUnchanged(
  change: Change,
  file: ReadFile & { readonly match: KnownMatch },
  sidecarFacts: Facts,
  context: ImportContext,
): void {
  const { match, source } = file
  const { session } = match
  const path = isSource(match) ? pathAfter(session, source) : (session.meta.path ?? undefined)
  const facts = path === session.meta.path ? sidecarFacts : factsOfFile(file, sidecarFacts, context)
  updateFacts(change, session, facts, path)
}

/** Returns a listener that removes the tips whose messages are still there. */
const withoutNative =
  (tips: FormerTips, listener: ((native: string) => void) | undefined) =>
  (native: string): void => {
    tips.delete(native)
    listener?.(native)
  }

/** Imports the sidecar files of a session whose own file was read: neither an export nor an earlier state has any. */
async function importSidecarsOf(
  change: Change,
  { source, match, read, session }: ReadFile,
  context: SidecarContext,
): Promise<ImportedSidecars> {
  const { sidecars } = read.format
  const { path, seen, about, beside } = source
  const hasNone = !sidecars && !beside
  if (hasNone || match.kind === 'contained' || (match.kind !== 'new' && match.exported))
    return about ? { ...NO_SIDECARS, facts: about } : NO_SIDECARS
  const { blobs } = read.ingester.facts
  const owner = { session, path, seen, ...defined({ sidecars, blobs, made: beside }) }
  const imported = await importSidecars(change, owner, context)
  return about ? { ...imported, facts: { ...imported.facts, ...about } } : imported
}

/** Returns the result for a file, with its fields in the order in which they are shown. */
function resultOf(
  { source, match, read, session }: ReadFile,
  news: Pick<Imported, 'newEntries' | 'newObjects' | 'warnings' | 'shortened'>,
): Imported {
  const { ingester, format } = read
  const { newEntries, newObjects, warnings, shortened } = news
  const exported = match.kind === 'new' ? undefined : match.exported
  const unknown = read.target && ingester.unknown.found
  const { version } = ingester.facts
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
    ...(unknown && { unknown, ...(version !== undefined && { version }) }),
    ...defined({ shortened }),
  }
}

/** Returns whether another session has the id that a file's agent gave it. */
export const isContested = (
  { session, exported }: Pick<Imported, 'session' | 'exported'>,
  { native }: Pick<Source, 'native'>,
): boolean => session !== native && exported === undefined

/** Notes the state of a file, and keeps that of its reading. */
function remember(
  { writer }: Change,
  { source, match, read }: ReadFile,
  imported: Imported,
  { lacks }: Pick<ImportedSidecars, 'lacks'>,
): void {
  const { path } = source
  const { ingester, target } = read
  const log = target?.log ?? (match.kind === 'new' ? undefined : match.source.log)
  if (log === undefined) return
  const original = match.kind === 'new' || !isSource(match) ? path : pathAfter(match.session, source)
  const note = {
    ...noteOf(imported, source, log),
    ...(lacks.length > 0 && { lacks }),
    ...(original !== path && { original }),
    ...(isContested(imported, source) && { contested: source.native }),
  }
  writer.noteSource(path, note, logRefOf(imported))
  if (ingester.state) writer.keepReaderState(log, ingester.state)
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
