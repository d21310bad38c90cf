import { closeSync, lstatSync, openSync, readdirSync, readSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'

/** What a stat tells of a file: enough to know whether it is as it was. */
export interface FileStat {
  readonly size: number
  /** Milliseconds since 1970, with fractions. */
  readonly mtime: number
  readonly inode: number
}

/** What a path is. Links that are named are followed; `other` is no file and no folder. */
export type PathKind = 'file' | 'folder' | 'other' | 'missing'

/** What is thrown for a path that goes on below a file, is longer than any may be, or holds NUL: it names nothing either. */
const NOWHERE: ReadonlySet<unknown> = new Set(['ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOWHERE.has(error.code)) return undefined
    throw error
  }
}

/** Tells what a path is. */
export function kindOf(path: string): PathKind {
  const stat = statIfThere(path)
  if (!stat) return 'missing'
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other'
}

/** Gives a path as it is from a folder, absolute. */
export const absolute = (folder: string, path: string): string => resolve(folder, path)

/** Gives the path of a file in a folder. */
export const within = (folder: string, name: string): string => join(folder, name)

/** Gives the name of a file without its folders. */
export const nameOf = (path: string): string => basename(path)

/** Gives the name of the folder that a file lies in. */
export const folderOf = (path: string): string => basename(dirname(path))

/** Gives the stat of a file. */
export function statOf(path: string): FileStat {
  const { size, mtimeMs, ino } = statSync(path)
  return { size, mtime: mtimeMs, inode: ino }
}

/** A file that was found below a folder, or a folder that could not be read. */
export interface Below {
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** As of a stat; 0 where there is an error. */
  readonly mtime: number
  readonly inode: number
  /** The path that it had before it was put aside: whether it is one to be taken that one says. */
  readonly former?: string
  readonly error?: Error
}

/**
 * Gives the files below a folder in the order of their names, without following links but to the folder itself, and
 * without what lies in one folder that is left out; where it is `flat` those in the folder itself.
 */
export function* filesBelow(
  folder: string,
  { without, flat = false }: { readonly without?: string; readonly flat?: boolean } = {},
): Generator<Below> {
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

/** Gives the names of the files in a folder, in order. */
export const namesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()

const CREDENTIALS =
  /^(?:\.?credentials?(?:\.json)?|auth\.json|oauth_creds\.json|\.?netrc|\.env(?:\..*)?|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|key|p12|pfx|keystore)|(?:access|refresh|api)[-_]?(?:token|key)s?(?:\.json|\.txt)?|tokens?\.json|secrets?\.json|\.?npmrc|\.?pypirc)$/i

/** Tells by its name whether a file holds credentials: such files are never taken from a folder. */
export const isCredential = (name: string): boolean => CREDENTIALS.test(name)

const CHUNK = 512 << 10

/** Gives the first bytes of a file, at most `limit`. */
export function headOf(path: string, limit: number): Uint8Array {
  const file = openSync(path, 'r')
  try {
    return filled(file, 0, limit)
  } finally {
    closeSync(file)
  }
}

/**
 * Gives the first `size` bytes of a file in chunks, those from a place on: what is appended meanwhile is left for the next time. A chunk is read
 * at once, because a stream costs more than reading a small file; between two the event loop has its turn.
 */
export async function* chunksOf(path: string, size: number, from = 0): AsyncGenerator<Uint8Array> {
  if (from >= size) return
  const file = openSync(path, 'r')
  try {
    for (let at = from; at < size; ) {
      const chunk = filled(file, at, Math.min(CHUNK, size - at))
      if (chunk.length === 0) return
      at += chunk.length
      yield chunk
      await setImmediate()
    }
  } finally {
    closeSync(file)
  }
}

/** Reads so many bytes at a place of a file, or fewer where it ends. */
function filled(file: number, from: number, size: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(size)
  let length = 0
  while (length < size) {
    const read = readSync(file, bytes, length, size - length, from + length)
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}
