import type { Json } from '../model/json.ts'
import { sourceLogRef } from '../model/refname.ts'
import type { Backend, SourceNote } from '../repo/backend.ts'
import type { SourceHead } from '../repo/session.ts'
import type { FileStat } from '../sources/files.ts'
import type { Imported } from './import.ts'
import type { Source } from './take.ts'

/** A file that was changed so shortly before it was read, in milliseconds, may change again within one tick. */
const FRESH = 2000

/**
 * Gives what is to be remembered of a file that was read, so that it costs a stat while it stays as it is; `log` is the
 * one that holds what it holds.
 */
export function noteOf(file: Imported, { stat, seen }: Source, log: number): SourceNote {
  const { path: _, newEntries: _entries, newObjects: _objects, ...rest } = file
  const settled = seen - stat.mtime > FRESH
  return {
    ...(rest as unknown as { [key: string]: Json }),
    mtime: stat.mtime,
    inode: stat.inode,
    settled,
    log,
  }
}

/** Gives what a file is known to hold when it is as it was when it was last read; undefined when it must be read. */
export async function noted(backend: Backend, path: string, stat: FileStat): Promise<Imported | undefined> {
  const note = await backend.noted(path)
  if (!note?.settled || note.bytes !== stat.size || note.mtime !== stat.mtime || note.inode !== stat.inode)
    return undefined
  const { mtime: _mtime, inode: _inode, settled: _settled, log, ...file } = note
  const held = { path, ...file } as unknown as Imported
  // An undone import leaves its notes behind: what they say holds only while the session has the log.
  const source = (await backend.ref(sourceLogRef(held.session))) as unknown as SourceHead | undefined
  if (!source || source.log !== log || source.bytes < held.bytes) return undefined
  return { ...held, newEntries: 0, newObjects: 0 }
}

/** Gives the session that a path was last read into, if any. */
export async function sessionOfPath(backend: Backend, path: string): Promise<string | undefined> {
  const session = (await backend.noted(path))?.session
  return typeof session === 'string' ? session : undefined
}
