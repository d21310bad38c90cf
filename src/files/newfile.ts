import { closeSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import { rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SessError } from '../model/errors.ts'
import { exists, writeError } from '../model/writeerror.ts'
import { chunksOf, statOf } from '../sources/files.ts'
import { linkFile, makeFolderSync, placeFile, removeLeftovers, syncFolder } from './replacefile.ts'

/** A file that was written. */
export interface WrittenFile {
  readonly path: string
  readonly bytes: number
  /** The size of the file that was replaced, or null. */
  readonly replaced: number | null
  /** The number of files that were written, where it is a folder. */
  readonly files?: number
  /** The number of further files that were written with it. */
  readonly further?: number
  /** The files that were renamed because their names are not allowed in a file system. */
  readonly renamed?: readonly RenamedFile[]
}

/** The name of a file, and the name that it was written under. */
export interface RenamedFile {
  readonly name: string
  readonly as: string
}

/** How a new file is written. */
export interface NewFileOptions {
  /** Replace an existing file, once everything is written. */
  readonly force?: boolean
  /** Only count the bytes; write nothing. */
  readonly dryRun?: boolean
}

/**
 * Writes chunks to a new file with mode 0600, or with the owner and the mode of the file that it replaces. Throws `exists`
 * where the file exists, unless `force` is set. An error or a kill midway leaves no file, or the former one.
 */
export const writeNewFile = (
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  options: NewFileOptions = {},
): Promise<WrittenFile> => writeFile(path, chunks, options, false)

async function writeFile(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  { force = false, dryRun = false }: NewFileOptions,
  isOneOfMany: boolean,
): Promise<WrittenFile> {
  let bytes = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length
      yield chunk
    }
  }
  const replaced = sizeAt(path, force)
  if (dryRun) for await (const _ of counted());
  else
    await placeFile(path, counted(), {
      replace: replaced !== null,
      isOneOfMany,
      like: replaced === null ? undefined : path,
    })
  return { path, bytes, replaced }
}

/** The backup copy of a file, and whether this call made it. */
export interface KeptCopy {
  readonly path: string
  readonly isNew: boolean
}

/**
 * Keeps a file in its folder with `.bak` after its name, before it is replaced: as a second name of the file, so that what
 * another process adds to it meanwhile is kept too, or as a durable copy where the file system has no hard links. What a
 * killed process kept is used as it is. Throws `exists` where the name belongs to another file: the user's own, or a copy
 * of an earlier state; and where the path is a link.
 */
export async function keepCopy(
  path: string,
  { dryRun = false }: Pick<NewFileOptions, 'dryRun'> = {},
): Promise<KeptCopy> {
  const backup = `${path}.bak`
  const [original, found] = [statAt(path), statAt(backup)]
  if (original && !original.isFile())
    throw new SessError('cannot-write', path, { detail: LINK, hint: 'name the file that it leads to' })
  if (found) {
    if (!found.isFile() || !(await isKept(path, backup)))
      throw new SessError('exists', backup, {
        hint: 'it may be an earlier backup: move it away first; nothing was overwritten',
      })
    if (!dryRun) finish(backup)
    return { path: backup, isNew: false }
  }
  if (!dryRun && !linkFile(path, backup))
    await placeFile(backup, chunksOf(path, statOf(path).size), { like: path })
  return { path: backup, isNew: true }
}

const LINK = 'it is a symbolic link'

/**
 * Removes what `keepCopy` made, because the file was not replaced. It stays where another process has replaced the file
 * meanwhile: then it is the original.
 */
export async function removeCopy(path: string, { path: backup, isNew }: KeptCopy): Promise<void> {
  if (isNew && (await isKept(path, backup))) await rm(backup)
}

/** Returns whether a file and its backup are one file, or have the same bytes. */
async function isKept(path: string, backup: string): Promise<boolean> {
  const [original, kept] = [statAt(path), statAt(backup)]
  if (!original || !kept) return false
  return (original.ino === kept.ino && original.dev === kept.dev) || isSame(path, backup)
}

/**
 * Returns whether a file has exactly some bytes already, because a killed process replaced it. In that case syncs its folder
 * and removes the temporary files of that process.
 */
export async function isWritten(
  path: string,
  bytes: Uint8Array,
  { dryRun = false }: Pick<NewFileOptions, 'dryRun'> = {},
): Promise<boolean> {
  const { size } = statOf(path)
  if (size !== bytes.length) return false
  let at = 0
  for await (const chunk of chunksOf(path, size)) {
    if (Buffer.compare(chunk, bytes.subarray(at, at + chunk.length)) !== 0) return false
    at += chunk.length
  }
  if (!dryRun) finish(path)
  return true
}

/** Completes the replacement of a file by a killed process, after the rename. */
function finish(path: string): void {
  removeLeftovers(dirname(path), path)
  syncFolder(dirname(path))
}

async function isSame(a: string, b: string): Promise<boolean> {
  const { size } = statOf(a)
  if (statOf(b).size !== size) return false
  const other = chunksOf(b, size)
  for await (const chunk of chunksOf(a, size)) {
    const next = (await other.next()) as IteratorResult<Uint8Array, undefined>
    if (next.done || Buffer.compare(chunk, next.value) !== 0) return false
  }
  return true
}

/** Returns whether a file has exactly some bytes, `size` of them. */
export async function hasBytes(
  path: string,
  size: number,
  chunks: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  if (statOf(path).size !== size) return false
  let at = 0
  const file = openSync(path, 'r')
  try {
    for await (const chunk of chunks) {
      const there = Buffer.alloc(chunk.length)
      const read = readSync(file, there, 0, chunk.length, at)
      if (read !== chunk.length || Buffer.compare(there, chunk) !== 0) return false
      at += chunk.length
    }
  } finally {
    closeSync(file)
  }
  return at === size
}

/** A file to be written: its name relative to a folder, with `/`, and its bytes. */
export interface NamedFile {
  readonly name: string
  readonly chunks: AsyncIterable<Uint8Array>
}

/** Files to be written. Each is written before the next one is requested. */
export type NamedFiles = AsyncIterable<NamedFile> | Iterable<NamedFile>

/**
 * Writes new files into a folder. Names cannot leave the folder: absolute paths, `..` and characters that the file system
 * forbids are escaped and reported as renamed, and links are not followed. Throws `exists`. A failure midway removes
 * everything that was written, but for files that were replaced.
 */
export async function writeNewFiles(
  folder: string,
  files: NamedFiles,
  { dryRun = false, force = false }: NewFileOptions = {},
): Promise<WrittenFile> {
  /** Functions that remove each file and folder that was made. */
  const undo: (() => Promise<void>)[] = []
  const begin = (path: string): void => {
    const found = statAt(path)
    if (found?.isDirectory()) return
    if (found) throw exists(path)
    if (dryRun) return
    makeFolderSync(path)
    undo.push(() => rmdir(path))
  }
  const folders = new Set<string>()
  const taken = new Set<string>()
  const renamed: RenamedFile[] = []
  let [bytes, count] = [0, 0]
  let replaced: number | null = null
  try {
    begin(folder)
    for await (const { name, chunks } of files) {
      let as = name.split('/').map(plainPart).join('/')
      // An escaped name may be equal to another name.
      while (taken.has(as)) as += '%'
      taken.add(as)
      if (as !== name) renamed.push({ name, as })
      const parts = as.split('/')
      let path = folder
      for (const part of parts.slice(0, -1)) {
        path = join(path, part)
        begin(path)
      }
      const file = join(path, parts.at(-1) as string)
      if (!dryRun && !folders.has(path)) removeLeftovers(path)
      folders.add(path)
      const written = await writeFile(file, chunks, { dryRun, force }, true)
      if (written.replaced === null) undo.push(() => rm(file))
      else replaced = (replaced ?? 0) + written.replaced
      bytes += written.bytes
      count++
    }
    if (!dryRun) for (const path of folders) syncFolder(path)
  } catch (error) {
    if (!dryRun) for (const remove of undo.reverse()) await remove()
    throw error
  }
  return { path: folder, bytes, replaced, files: count, ...(renamed.length > 0 && { renamed }) }
}

const isWindows = process.platform === 'win32'

/** Characters that a file name must not contain: separators, and what the system forbids. */
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = isWindows ? /[\\:*?"<>|\u0000-\u001f]|[. ]$/g : /[\\\u0000]/g

/** Device names on Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/** Returns a part of a path as an allowed file name, escaped as in URLs where needed. */
function plainPart(part: string): string {
  if (part === '') return '%'
  if (part === '.' || part === '..') return part.replaceAll('.', '%2E')
  const plain = part.replaceAll(FORBIDDEN, escaped)
  return isWindows ? plain.replace(RESERVED, (name) => `%${name}`) : plain
}

const escaped = (letter: string): string =>
  `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** Creates the folder of a file. */
export const makeFolderOf = (path: string): void => makeFolderSync(dirname(path))

/**
 * Returns the size of the file that is to be replaced, or null. Throws `exists` where there is a file and `force` is not
 * set, and where the path is not a regular file.
 */
function sizeAt(path: string, force: boolean): number | null {
  const found = statAt(path)
  if (found === undefined) return null
  if (!force || !found.isFile()) throw exists(path)
  return found.size
}

function statAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw writeError(path, error)
  }
}
