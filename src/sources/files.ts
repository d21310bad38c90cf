import { closeSync, lstatSync, openSync, readdirSync, readSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'

/** The part of a file's stat that shows whether it changed. */
export interface FileStat {
  readonly size: number
  /** Milliseconds since 1970, with fractions. */
  readonly mtime: number
  readonly inode: number
}

/** The kind of a path. Links are followed. `other` is neither a file nor a folder. */
export type PathKind = 'file' | 'folder' | 'other' | 'missing'

/** The error codes for a path below a file, a path that is too long, and a path with NUL: such paths do not exist. */
const MISSING_CODES: ReadonlySet<unknown> = new Set(['ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (error instanceof Error && 'code' in error && MISSING_CODES.has(error.code)) return undefined
    throw error
  }
}

/** Returns the kind of a path. */
export function kindOf(path: string): PathKind {
  const stat = statIfThere(path)
  if (!stat) return 'missing'
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other'
}

/** Returns the absolute path of a path relative to a folder. */
export const absolute = (folder: string, path: string): string => resolve(folder, path)

/** Returns the path of a file in a folder. */
export const within = (folder: string, name: string): string => join(folder, name)

/** Returns the name of a file without its folders. */
export const nameOf = (path: string): string => basename(path)

/** Returns the name of the folder that contains a file. */
export const folderOf = (path: string): string => basename(dirname(path))

/** Returns the stat of a file. Follows links. */
export function statOf(path: string): FileStat {
  const { size, mtimeMs, ino } = statSync(path)
  return { size, mtime: mtimeMs, inode: ino }
}

/** A file that was found in a folder or its subfolders, or a folder that could not be read. */
export interface FoundFile {
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** As in `FileStat`; 0 where there is an error. */
  readonly mtime: number
  readonly inode: number
  /** The path that it had before it was renamed. That path decides whether the file is a session. */
  readonly former?: string
  readonly error?: Error
}

/**
 * Yields the files in a folder and its subfolders in the order of their names. Follows no links but one to the folder
 * itself. Skips the subfolder `without`. With `flat` subfolders are not searched.
 */
export function* filesBelow(
  folder: string,
  { without, flat = false }: { readonly without?: string; readonly flat?: boolean } = {},
): Generator<FoundFile> {
  const ahead = [folder]
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    if (path === without) continue
    try {
      const stat = path === folder ? undefined : lstatSync(path)
      if (stat && !stat.isDirectory()) yield { path, size: stat.size, mtime: stat.mtimeMs, inode: stat.ino }
      else if (path === folder || !flat) for (const found of inside(path).reverse()) ahead.push(found)
    } catch (error) {
      yield {
        path,
        size: 0,
        mtime: 0,
        inode: 0,
        error: error instanceof Error ? error : new Error(String(error)),
      }
    }
  }
}

const inside = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.isFile())
    .map((entry) => join(folder, entry.name))
    .sort()

/** Returns the sorted names of the files in a folder. */
export const namesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()

const CREDENTIALS =
  /^(?:\.?credentials?(?:\.json)?|auth\.json|oauth_creds\.json|\.?netrc|\.env(?:\..*)?|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|key|p12|pfx|keystore)|(?:access|refresh|api)[-_]?(?:token|key)s?(?:\.json|\.txt)?|tokens?\.json|secrets?\.json|\.?npmrc|\.?pypirc)$/i

/** Tells by its name whether a file holds credentials: such files are never imported from a folder. */
export const isCredential = (name: string): boolean => CREDENTIALS.test(name)

const CHUNK = 512 << 10

/** Returns the first bytes of a file, at most `limit`. */
export function headOf(path: string, limit: number): Uint8Array {
  const file = openSync(path, 'r')
  try {
    return readAt(file, 0, limit)
  } finally {
    closeSync(file)
  }
}

/**
 * Yields the bytes of a file between two offsets in chunks; bytes that are appended meanwhile are not read. Chunks are read
 * synchronously, because a stream costs more than reading a small file; the event loop runs between two chunks.
 */
export async function* chunksOf(path: string, size: number, from = 0): AsyncGenerator<Uint8Array> {
  if (from >= size) return
  const file = openSync(path, 'r')
  try {
    for (let at = from; at < size; ) {
      const chunk = readAt(file, at, Math.min(CHUNK, size - at))
      if (chunk.length === 0) return
      at += chunk.length
      yield chunk
      await setImmediate()
    }
  } finally {
    closeSync(file)
  }
}

/** Reads `size` bytes at an offset of a file, or fewer where it ends. */
function readAt(file: number, from: number, size: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(size)
  let length = 0
  while (length < size) {
    const read = readSync(file, bytes, length, size - length, from + length)
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}
