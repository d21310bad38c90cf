import { lstatSync, type Stats } from 'node:fs'
import { mkdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SessError } from '../model/errors.ts'
import { chunksOf, statOf } from './files.ts'
import { placeFile, removeLeftovers, syncFolder } from './replacefile.ts'
import { exists, writeError } from './writeerror.ts'

/** A file that was written. */
export interface WrittenFile {
  readonly path: string
  readonly bytes: number
  /** How many bytes the file had that was replaced; null where there was none. */
  readonly replaced: number | null
  /** How many files were written below it, where it is a folder. */
  readonly files?: number
  /** The files whose names are not allowed there, and what they are called instead. */
  readonly renamed?: readonly RenamedFile[]
}

/** A file that is called otherwise than it was. */
export interface RenamedFile {
  readonly name: string
  readonly as: string
}

/** How a new file is written. */
export interface NewFileOptions {
  /** Replace a file that is there, once all is written. */
  readonly force?: boolean
  /** Only count what would be written. */
  readonly dryRun?: boolean
}

/**
 * Writes pieces to a new file that only the user may read. Throws `exists` where there is one, unless it is forced. An
 * error or a kill midway leaves what was there: no file, or the former one.
 */
export const writeNewFile = (
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  options: NewFileOptions = {},
): Promise<WrittenFile> => writeFile(path, pieces, options, false)

async function writeFile(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  { force = false, dryRun = false }: NewFileOptions,
  isOneOfMany: boolean,
): Promise<WrittenFile> {
  let bytes = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      bytes += piece.length
      yield piece
    }
  }
  const replaced = sizeAt(path, force)
  if (dryRun) for await (const _ of counted());
  else await placeFile(path, counted(), { replace: replaced !== null, isOneOfMany })
  return { path, bytes, replaced }
}

/** The copy that was kept of a file, and whether this call made it. */
export interface KeptCopy {
  readonly path: string
  readonly isNew: boolean
}

/**
 * Keeps a copy of a file beside it, durably, with `.bak` after its name. A copy of that name with the same bytes is one
 * that a killed process made, and serves. Throws `exists` where another file has the name: the user's own, or the copy of
 * an earlier state.
 */
export async function keepCopy(
  path: string,
  { dryRun = false }: Pick<NewFileOptions, 'dryRun'> = {},
): Promise<KeptCopy> {
  const backup = `${path}.bak`
  const found = statAt(backup)
  if (found) {
    if (!found.isFile() || !(await isSame(path, backup)))
      throw new SessError('exists', backup, {
        hint: 'it is how the file once was: move it away first; nothing was overwritten',
      })
    if (!dryRun) finish(backup)
    return { path: backup, isNew: false }
  }
  if (!dryRun) await placeFile(backup, chunksOf(path, statOf(path).size))
  return { path: backup, isNew: true }
}

/**
 * Tells whether a file holds exactly some bytes already, as one does that a killed process replaced: then its name is made
 * durable, and what that process left is removed.
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

/** Does what a killed process left undone once a file had its name. */
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

/** A file on its way into a folder: its name from there, with `/`, and its bytes. */
export interface NamedFile {
  readonly name: string
  readonly pieces: AsyncIterable<Uint8Array>
}

/** Files, each to be written before the next is asked for. */
export type NamedFiles = AsyncIterable<NamedFile> | Iterable<NamedFile>

/**
 * Writes files into a folder, each new, under their names. A name stays below the folder: what in it would be an absolute
 * path or go up, and what no name may hold there, is escaped, and told; it leads through no link. Throws `exists`. What
 * fails midway leaves nothing of all.
 */
export async function writeNewFiles(
  folder: string,
  files: NamedFiles,
  { dryRun = false }: Pick<NewFileOptions, 'dryRun'> = {},
): Promise<WrittenFile> {
  /** Removes each file and folder that was made. */
  const made: (() => Promise<void>)[] = []
  const begin = async (path: string): Promise<void> => {
    const found = statAt(path)
    if (found?.isDirectory()) return
    if (found) throw exists(path)
    if (dryRun) return
    await makeFolder(path)
    made.push(() => rmdir(path))
  }
  const folders = new Set<string>()
  const taken = new Set<string>()
  const renamed: RenamedFile[] = []
  let [bytes, count] = [0, 0]
  try {
    await begin(folder)
    for await (const { name, pieces } of files) {
      let as = name.split('/').map(plainPart).join('/')
      // What one is called may be what another was escaped to.
      while (taken.has(as)) as += '%'
      taken.add(as)
      if (as !== name) renamed.push({ name, as })
      const parts = as.split('/')
      let path = folder
      for (const part of parts.slice(0, -1)) {
        path = join(path, part)
        await begin(path)
      }
      const file = join(path, parts.at(-1) as string)
      if (!dryRun && !folders.has(path)) removeLeftovers(path)
      folders.add(path)
      const written = await writeFile(file, pieces, { dryRun }, true)
      made.push(() => rm(file))
      bytes += written.bytes
      count++
    }
    if (!dryRun) for (const path of folders) syncFolder(path)
  } catch (error) {
    if (!dryRun) for (const unmake of made.reverse()) await unmake()
    throw error
  }
  return { path: folder, bytes, replaced: null, files: count, ...(renamed.length > 0 && { renamed }) }
}

const isWindows = process.platform === 'win32'

/** What the name of a file may not hold here: a separator, and what the system forbids. */
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = isWindows ? /[\\:*?"<>|\u0000-\u001f]|[. ]$/g : /[\\\u0000]/g

/** What names no file on Windows, whatever its ending. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/** Gives a part of a name as a file may be called, the very same one where it may: else escaped as in URLs. */
function plainPart(part: string): string {
  if (part === '') return '%'
  if (part === '.' || part === '..') return part.replaceAll('.', '%2E')
  const plain = part.replaceAll(FORBIDDEN, escaped)
  return isWindows ? plain.replace(RESERVED, (name) => `%${name}`) : plain
}

const escaped = (letter: string): string =>
  `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** Makes a folder and those above it, for the user alone, where they are not there. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw writeError(path, error)
  }
}

/** Makes the folder that a file is to lie in. */
export const makeFolderOf = (path: string): Promise<void> => makeFolder(dirname(path))

/**
 * Gives how many bytes the file has that is to be replaced, null where there is none. Throws `exists` where it must stay:
 * where nothing is forced, and always what is no plain file.
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
