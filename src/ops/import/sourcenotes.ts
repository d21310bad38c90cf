import { asString, items, type Json, type JsonObject } from '../../model/json.ts'
import type { LogId } from '../../model/record.ts'
import { exportRef, fileRef, metaRef, type RefName, sourceLogRef } from '../../model/refname.ts'
import type { Reader } from '../../repo/reader.ts'
import type { SourceHead } from '../../repo/session.ts'
import { withinPath } from '../../sources/databases.ts'
import type { FileStat } from '../../sources/files.ts'
import { conversationOf } from './conversations.ts'
import type { Imported, Skipped } from './result.ts'
import type { Source } from './source.ts'

/** A file that was changed so shortly before it was read, in milliseconds, may change again within one tick. */
const FRESH = 2000

/**
 * Returns the note about a file that was read, by which an unchanged file costs a stat. `log` is the log of its records.
 */
export function noteOf(file: Imported, { stat, seen, packing }: Source, log: LogId): JsonObject {
  const { path: _, newEntries: _entries, newObjects: _objects, ...rest } = file
  return {
    ...(rest as unknown as { [key: string]: Json }),
    ...(packing && { size: stat.size }),
    mtime: stat.mtime,
    inode: stat.inode,
    settled: isSettled(stat, seen),
    log,
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
export const logRefOf = ({ session, exported }: Pick<Imported, 'session' | 'exported'>): RefName =>
  exported === undefined ? sourceLogRef(session) : exportRef(session, exported)

/** Returns whether a file that is read now would look otherwise were it changed again. */
export const isSettled = ({ mtime }: FileStat, seen: number): boolean => seen - mtime > FRESH

/** Returns whether a note is still true of its file. */
const holds = (note: JsonObject | undefined, stat: FileStat): note is JsonObject =>
  note?.settled === true &&
  (note.size ?? note.bytes) === stat.size &&
  note.mtime === stat.mtime &&
  note.inode === stat.inode

/**
 * Returns the ids of the sessions that a database is known to hold when it is as it was and all of them are; undefined when
 * it must be read.
 */
export async function notedWithin(
  reader: Reader,
  path: string,
  stat: FileStat,
): Promise<readonly string[] | undefined> {
  const note = await reader.cache.source(withinPath(path, ''))
  if (!holds(note, stat)) return undefined
  const ids = items(note.ids).map(String)
  for (const id of ids) if (!(await noted(reader, withinPath(path, id), stat))) return undefined
  return ids
}

/** Returns what a file is known to hold when it is as it was when it was last read; undefined when it must be read. */
export async function noted(
  reader: Reader,
  path: string,
  stat: FileStat,
): Promise<Imported | Skipped | undefined> {
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
    ...file
  } = note
  const held = { path, ...file } as unknown as Imported
  return (await hasLog(reader, note, held)) ? { ...held, newEntries: 0, newObjects: 0 } : undefined
}

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
  const source = (await reader.ref(name)) as unknown as SourceHead | undefined
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
  const session = (await reader.cache.source(path))?.session
  return typeof session === 'string' ? session : undefined
}
