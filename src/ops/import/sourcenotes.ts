import { formatNamed } from '../../formats/registry.ts'
import { asString, type Json, type JsonObject } from '../../model/json.ts'
import type { LogId } from '../../model/record.ts'
import { exportRef, fileRef, metaRef, type RefName, sourceLogRef } from '../../model/refname.ts'
import { findRef } from '../../repo/findref.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import type { SessionState, SourceHead } from '../../repo/session.ts'
import { containerOf, withinPath } from '../../sources/databases.ts'
import { type FileStat, kindOf, statOf, unlessDenied } from '../../sources/files.ts'
import type { UnreadRows } from '../../sources/tables/agenttables.ts'
import { layoutsDigest } from '../../sources/tables/known.ts'
import { conversationOf } from './conversations.ts'
import type { Imported, Skipped } from './result.ts'
import type { Source } from './source.ts'

/** A file that was changed so shortly before it was read, in milliseconds, may change again within one tick. */
const FRESH = 2000

/**
 * Returns the note about a file that was read, by which an unchanged file costs a stat. `log` is the log of its records.
 */
export function noteOf(file: Imported, { stat, seen, packing, format }: Source, log: LogId): JsonObject {
  const { path: _, newEntries: _entries, newObjects: _objects, ...rest } = file
  return {
    ...(rest as unknown as { [key: string]: Json }),
    ...(packing && { size: stat.size }),
    mtime: stat.mtime,
    inode: stat.inode,
    settled: isSettled(stat, seen),
    log,
    reading: format.reading,
  }
}

/** Returns the note about a silent file, which session has it, and under which name, from a note about the same state. */
export const silentNote = ({
  note: { format, size, bytes, mtime, inode, settled },
  ...about
}: {
  readonly note: JsonObject
  readonly silent: string
  readonly session?: string
  readonly file?: string
  readonly shortened?: number
}): JsonObject => ({
  ...about,
  format: format ?? null,
  size: size ?? bytes ?? null,
  mtime: mtime ?? null,
  inode: inode ?? null,
  settled: settled ?? false,
})

/** Returns the ref of the log that a file was read into. */
export const logRefOf = ({
  session,
  exported,
}: Pick<Imported, 'session' | 'exported'>): RefName<SourceHead> =>
  exported === undefined ? sourceLogRef(session) : exportRef(session, exported)

/** Returns whether a file that is read now would look otherwise were it changed again. */
export const isSettled = ({ mtime }: FileStat, seen: number): boolean => seen - mtime > FRESH

/** Returns whether a note is still true of its file. */
const holds = (note: JsonObject | undefined, stat: FileStat): note is JsonObject =>
  note?.settled === true &&
  (note.size ?? note.bytes) === stat.size &&
  note.mtime === stat.mtime &&
  note.inode === stat.inode

/** A sidecar file that was read: of a session, by its name there, with the SHA-256 of its bytes. */
interface KnownSidecar {
  readonly session: string
  readonly name: string
  readonly path: string
  readonly sha256: string
}

const sidecarNotePath = ({ session, path }: Pick<KnownSidecar, 'session' | 'path'>): string =>
  withinPath(path, `sidecar of ${session}`)

/** Notes that a sidecar file was read, by which an unchanged file costs a stat. */
export function noteSidecar({ writer }: Change, known: KnownSidecar, stat: FileStat, seen: number): void {
  const { name, sha256 } = known
  const { size, mtime, inode } = stat
  writer.noteSource(sidecarNotePath(known), {
    name,
    sha256,
    size,
    mtime,
    inode,
    settled: isSettled(stat, seen),
  })
}

/** Returns whether a sidecar file is as it was when these bytes of it were read. */
export async function isKnownSidecar(reader: Reader, known: KnownSidecar, stat: FileStat): Promise<boolean> {
  const note = await reader.cache.source(sidecarNotePath(known))
  return holds(note, stat) && note.name === known.name && note.sha256 === known.sha256
}

/** The known content of a database: the ids of its sessions, where its tables are of a known agent, and what is not read. */
interface KnownDatabase {
  readonly ids?: readonly string[]
  readonly unread: readonly UnreadRows[]
}

/** Returns the note about a database that was read. It is true of this program's tables only. */
export const databaseNote = (known: KnownDatabase, stat: FileStat, settled: boolean): JsonObject => ({
  ...(known as unknown as { [key: string]: Json }),
  ...{ size: stat.size, mtime: stat.mtime, inode: stat.inode },
  settled,
  tables: layoutsDigest(),
})

/**
 * Returns what a database is known to hold when it is as it was and all of its sessions are; undefined when it must be
 * read.
 */
export async function notedWithin(
  reader: Reader,
  path: string,
  stat: FileStat,
): Promise<KnownDatabase | undefined> {
  const note = await reader.cache.source(withinPath(path, ''))
  if (!holds(note, stat) || note.tables !== layoutsDigest()) return undefined
  const known = note as unknown as KnownDatabase
  for (const id of known.ids ?? []) {
    const session = await noted(reader, withinPath(path, id), stat)
    if (!session || ('isOlder' in session && session.isOlder)) return undefined
  }
  return known
}

/** The note of a file that is as it was when it was last read. */
export interface KnownFile {
  readonly file: Imported
  /** Whether an earlier reading of its format wrote the note: what the file holds may mean more now. */
  readonly isOlder: boolean
  /** The id that its agent gave it, where another session had that when it was read. */
  readonly contested?: string
}

/** Returns what a file is known to hold when it is as it was when it was last read; undefined when it must be read. */
export async function noted(
  reader: Reader,
  path: string,
  stat: FileStat,
): Promise<KnownFile | Skipped | undefined> {
  const note = await reader.cache.source(path)
  if (!holds(note, stat)) return undefined
  if (note.silent !== undefined)
    return (await isSilentAsNoted(reader, note)) ? silentFile(path, note) : undefined
  const {
    size: _size,
    mtime: _mtime,
    inode: _inode,
    settled: _settled,
    lacks: _lacks,
    head: _head,
    log: _log,
    reading,
    original,
    contested,
    ...file
  } = note
  const held = { path, ...file } as unknown as Imported
  // A copy takes the place of its original once that is gone.
  if (typeof original === 'string' && !mayHold(original, held.bytes)) return undefined
  if (!(await hasLog(reader, note, held))) return undefined
  const isOlder = reading !== readingOf(held.format)
  return {
    file: { ...held, newEntries: 0, newObjects: 0 },
    isOlder,
    ...(typeof contested === 'string' && { contested }),
  }
}

/**
 * Returns the session of a file that has the size and the time that it had when it was read a moment ago; undefined for
 * any other, and where one of its sidecar files was missing. An import reads such a file once more, because what is
 * written in the same moment may have the same time, and holds the database meanwhile. Whoever follows the file need not:
 * it looks again, and what is appended changes the size.
 */
export async function sessionJustRead(
  reader: Reader,
  path: string,
  { size, mtime }: Pick<FileStat, 'size' | 'mtime'>,
): Promise<string | undefined> {
  const note = await reader.cache.source(path)
  if (!note || note.settled === true || note.lacks || typeof note.session !== 'string') return undefined
  if ((note.size ?? note.bytes) !== size || note.mtime !== mtime) return undefined
  const held = { path, ...note } as unknown as Imported
  return (await hasLog(reader, note, held)) ? note.session : undefined
}

/** Notes that a file which is as it was holds nothing that a newer reading of its format would read otherwise. */
export async function renewNote({ reader, writer }: Change, file: Imported): Promise<void> {
  const note = await reader.cache.source(file.path)
  const reading = readingOf(file.format)
  if (note && reading !== undefined) writer.noteSource(file.path, { ...note, reading }, logRefOf(file))
}

const readingOf = (format: string): number | undefined => formatNamed(format)?.reading
function silentFile(path: string, { session, shortened }: JsonObject): Skipped {
  return {
    path,
    skipped: 'no-message',
    ...(typeof session === 'string' && { session }),
    ...(typeof shortened === 'number' && { shortened }),
  }
}

/** Returns whether the session of a silent file still has it, or there still is none. */
async function isSilentAsNoted(reader: Reader, note: JsonObject): Promise<boolean> {
  const [id, session, file] = [asString(note.silent), asString(note.session), asString(note.file)]
  if (session === undefined) return id !== undefined && (await conversationOf(reader, id)) === undefined
  const name = file === undefined ? metaRef(session) : fileRef(session, file)
  return (
    (file !== undefined && (await reader.cache.isAsNoted(note, name))) ||
    (await reader.ref(name)) !== undefined
  )
}

/** Returns whether the session of a file still has its log: the notes of an import stay when it is undone. */
async function hasLog(reader: Reader, note: JsonObject, file: Imported): Promise<boolean> {
  const name = logRefOf(file)
  if (await reader.cache.isAsNoted(note, name)) return true
  const source = await findRef(reader, name)
  return source !== undefined && source.log === note.log && source.bytes >= file.bytes
}

/** Returns the number of bytes that a file had when it was last read, or before it was shortened. */
export async function bytesBefore(
  reader: Reader,
  path: string,
  session: string,
): Promise<number | undefined> {
  const note = await reader.cache.source(path)
  const bytes = note?.session === session ? (note.shortened ?? note.bytes) : undefined
  return typeof bytes === 'number' ? bytes : undefined
}

/** Returns the session that a path was last read into, if any. */
export async function sessionOfPath(reader: Reader, path: string): Promise<string | undefined> {
  const { session, silent, shortened } = (await reader.cache.source(path)) ?? {}
  // A file without a message was never that of the session that it is kept with, unless it took the place of that.
  const isKept = silent !== undefined && shortened === undefined
  return typeof session === 'string' && !isKept ? session : undefined
}

/** The names of compressed files, whose size does not show what they hold. */
const COMPRESSED = /\.(?:gz|zst)$/i

/**
 * Returns the path of a session whose source was read at a path: it stays where it was as long as the file there may hold
 * all of the session.
 */
export function pathAfter(
  known: Pick<SessionState, 'meta'> | undefined,
  { path, size }: { readonly path: string; readonly size: number },
): string {
  const former = known?.meta.path ?? path
  return former === path || mayHold(former, size) ? former : path
}

/** Returns whether what is at a path may hold a number of bytes of a session. */
function mayHold(path: string, bytes: number): boolean {
  const container = containerOf(path)
  const held = unlessDenied(() => {
    const kind = kindOf(container)
    if (kind === 'missing' || kind === 'loop') return 0
    return kind === 'file' && container === path && !COMPRESSED.test(path) ? statOf(path).size : bytes
  })
  return held === undefined || (held >= bytes && held > 0)
}
