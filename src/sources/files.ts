import {
  closeSync,
  type Dirent,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { SessError } from '../model/errors.ts'

/** The part of a file's stat that shows whether it changed. */
export interface FileStat {
  readonly size: number
  /** Milliseconds since 1970, with fractions. */
  readonly mtime: number
  readonly inode: number
}

/** The kind of a path. `other` is neither a file nor a folder, `loop` a symbolic link that leads back to itself. */
export type PathKind = 'file' | 'folder' | 'other' | 'missing' | 'loop'

/** The error codes for a path below a file, a path that is too long, and a path with NUL: such paths do not exist. */
const MISSING_CODES: ReadonlySet<unknown> = new Set(['ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

function ifThere(stat: () => Stats | undefined): Stats | undefined {
  try {
    return stat()
  } catch (error) {
    if (MISSING_CODES.has(codeOf(error))) return undefined
    throw error
  }
}

/** Returns the kind of a path. Follows links. */
export function kindOf(path: string): PathKind {
  try {
    return kindBy(ifThere(() => statSync(path, { throwIfNoEntry: false })))
  } catch (error) {
    if (codeOf(error) === 'ELOOP') return 'loop'
    throw error
  }
}

function kindBy(stat: Stats | undefined): PathKind {
  if (!stat) return 'missing'
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other'
}

/** Returns the result of looking at a path; undefined where the system refuses it. */
export function unlessDenied<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (codeOf(error) !== undefined) return undefined
    throw error
  }
}

/** Returns whether a path is a folder. One that cannot be looked at is none. */
export const isFolder = (path: string): boolean => unlessDenied(() => kindOf(path)) === 'folder'

/** Returns the error for a symbolic link that leads back to itself. */
export const linkLoop = (path: string): SessError =>
  new SessError('unreadable-path', path, {
    detail: 'it is a symbolic link that leads back to itself',
    hint: 'name the file that the link should lead to',
  })

const lstatOf = (path: string): Stats | undefined => ifThere(() => lstatSync(path, { throwIfNoEntry: false }))

/** Called with the path of a symbolic link that was not followed. */
export type OnLink = (path: string) => void

/**
 * Returns the kind of a path in a folder. A symbolic link is not followed: it is reported and counts as missing. Steps
 * `..` at the beginning lead to folders above, which the user chose; links there are followed.
 */
export function kindWithin(folder: string, path: string, onLink?: OnLink): PathKind {
  let at = folder
  let kind: PathKind | undefined
  for (const step of path.split('/').filter((name) => name !== '')) {
    at = join(at, step)
    kind = undefined
    if (step === '..') continue
    const stat = lstatOf(at)
    kind = kindBy(stat)
    if (!stat?.isSymbolicLink()) continue
    onLink?.(at)
    return 'missing'
  }
  return kind ?? kindOf(at)
}

/** Returns the absolute path of a path relative to a folder. */
export const absolute = (folder: string, path: string): string => resolve(folder, path)

/** Returns the path of a file in a folder. */
export const within = (folder: string, name: string): string => join(folder, name)

/** Returns the name of a file without its folders. `basename` takes a millisecond for a hundred of them in a new process. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf(sep) + 1)

/** Returns the path of the folder that contains a file. */
export const parentFolder = (path: string): string => dirname(path)

/** Returns the name of the folder that contains a file. */
export const folderOf = (path: string): string => nameOf(dirname(path))

/** Returns whether the folder of a file has a file of a name that is not empty. Follows no link. */
export const hasContentBeside = (path: string, name: string): boolean =>
  kindWithin(dirname(path), name) === 'file' && statOf(join(dirname(path), name)).size > 0

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
  /** The project of its sessions, where the agent lists it. */
  readonly project?: string
  readonly error?: Error
}

interface Below {
  /** A subfolder that is skipped. */
  readonly without?: string
  /** Do not search subfolders. */
  readonly flat?: boolean
  readonly onLink?: OnLink
}

/**
 * Yields the files in a folder and its subfolders in the order of their names. Follows no links but one to the folder
 * itself.
 */
export function* filesBelow(
  folder: string,
  { without, flat = false, onLink }: Below = {},
): Generator<FoundFile> {
  const ahead = [folder]
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    if (path === without) continue
    try {
      const stat = path === folder ? undefined : lstatSync(path)
      if (stat && !stat.isDirectory()) yield { path, size: stat.size, mtime: stat.mtimeMs, inode: stat.ino }
      else if (path === folder || !flat) for (const found of inside(path, onLink).reverse()) ahead.push(found)
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

function inside(folder: string, onLink?: OnLink): string[] {
  // Joining each name takes a millisecond for a hundred.
  const prefix = join(folder, 'x').slice(0, -1)
  return entriesOf(folder, onLink)
    .filter((entry) => entry.isDirectory() || entry.isFile())
    .map(({ name }) => prefix + name)
    .sort()
}

/** Returns the sorted names of the files in a folder. Symbolic links are reported. */
export const namesIn = (folder: string, onLink?: OnLink): string[] =>
  entriesOf(folder, onLink)
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()

function entriesOf(folder: string, onLink?: OnLink): Dirent[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  if (onLink) for (const entry of entries) if (entry.isSymbolicLink()) onLink(join(folder, entry.name))
  return entries
}

const CREDENTIALS =
  /^(?:\.?credentials?(?:\.json)?|auth\.json|oauth_creds\.json|\.?netrc|\.env(?:\..*)?|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|key|p12|pfx|keystore)|(?:access|refresh|api)[-_]?(?:token|key)s?(?:\.json|\.txt)?|tokens?\.json|secrets?\.json|\.?npmrc|\.?pypirc)$/i

/** Returns whether a file holds credentials, by its name: such files are never imported from a folder. */
export const isCredential = (name: string): boolean => CREDENTIALS.test(name)

const CHUNK = 512 << 10

/** The buffer of the last source that was read with `reuse`, for the next one. */
let spare: Buffer | undefined

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
 * synchronously, because a stream costs more than reading a small file; the event loop runs between two chunks. With
 * `reuse` a chunk is valid until the next one is asked for.
 */
export async function* chunksOf(
  path: string,
  size: number,
  from = 0,
  { reuse = false }: { readonly reuse?: boolean } = {},
): AsyncGenerator<Uint8Array> {
  if (from >= size) return
  const buffer = reuse ? (spare ?? Buffer.allocUnsafeSlow(CHUNK)) : undefined
  if (reuse) spare = undefined
  const file = openSync(path, 'r')
  try {
    for (let at = from; at < size; ) {
      const chunk = readAt(file, at, Math.min(CHUNK, size - at), buffer)
      if (chunk.length === 0) return
      at += chunk.length
      yield chunk
      await setImmediate()
    }
  } finally {
    closeSync(file)
    spare = buffer ?? spare
  }
}

/** Reads `size` bytes at an offset of a file, or fewer where it ends. */
function readAt(file: number, from: number, size: number, buffer?: Buffer): Uint8Array {
  const bytes = buffer ?? Buffer.allocUnsafeSlow(size)
  let length = 0
  while (length < size) {
    const read = readSync(file, bytes, length, size - length, from + length)
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}
