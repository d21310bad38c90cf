import { createReadStream, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'

/** What a stat tells of a file: enough to know whether it is as it was. */
export interface FileStat {
  readonly size: number
  /** Milliseconds since 1970, with fractions. */
  readonly mtime: number
  readonly inode: number
}

/** What a path is. Links that are named are followed; `other` is no file and no folder. */
export type PathKind = 'file' | 'folder' | 'other' | 'missing'

/** A path that goes on below a file names nothing either. */
function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined
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

/** Gives the name of a file without its folders. */
export const nameOf = (path: string): string => basename(path)

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
  readonly error?: Error
}

/**
 * Gives the files below a folder in the order of their names, without following links but to the folder itself, and
 * without what lies in one folder that is left out.
 */
export function* filesBelow(folder: string, without?: string): Generator<Below> {
  const ahead = [folder]
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    if (path === without) continue
    try {
      const stat = path === folder ? undefined : lstatSync(path)
      if (stat && !stat.isDirectory()) yield { path, size: stat.size }
      else for (const found of inside(path).reverse()) ahead.push(found)
    } catch (error) {
      yield { path, size: 0, error: error instanceof Error ? error : new Error(String(error)) }
    }
  }
}

const inside = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.isFile())
    .map((entry) => join(folder, entry.name))
    .sort()

const CREDENTIALS =
  /^(?:\.?credentials?(?:\.json)?|auth\.json|oauth_creds\.json|\.?netrc|\.env(?:\..*)?|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|key|p12|pfx|keystore)|(?:access|refresh|api)[-_]?(?:token|key)s?(?:\.json|\.txt)?|tokens?\.json|secrets?\.json|\.?npmrc|\.?pypirc)$/i

/** Tells by its name whether a file holds credentials: such files are never taken from a folder. */
export const isCredential = (name: string): boolean => CREDENTIALS.test(name)

const CHUNK = 512 << 10

/** Gives the first bytes of a file, at most `limit`. */
export async function headOf(path: string, limit: number): Promise<Uint8Array> {
  const file = await open(path, 'r')
  try {
    const bytes = Buffer.alloc(limit)
    let length = 0
    while (length < limit) {
      const { bytesRead } = await file.read(bytes, length, limit - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return bytes.subarray(0, length)
  } finally {
    await file.close()
  }
}

/** Gives the first `size` bytes of a file in chunks: what is appended meanwhile is left for the next time. */
export async function* chunksOf(path: string, size: number): AsyncGenerator<Uint8Array> {
  if (size === 0) return
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK, end: size - 1 }))
    yield chunk as Buffer
}
