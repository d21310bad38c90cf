import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { unreadableError, writeError } from '../ioerrors.ts'
import { processName } from './processname.ts'
import { checkLocalStore, withFile } from './safefile.ts'

/** The version of everything in a store's folder. A newer one is refused. */
export const STORE_FORMAT = 1

/** The content of the file beside the database that identifies a store and tells it from an empty folder. */
export type Identity = {
  readonly format: number
  /** 32 hex digits, different for each store. */
  readonly id: string
  /** ISO 8601. */
  readonly created: string
  /** The writer that this folder is, and the folder that it was drawn for: see writer.ts. */
  readonly writer?: Writer
}

/** A writer id, and the folder that it belongs to. A copy of the folder differs in at least one of the fields. */
export type Writer = FolderId & {
  /** 16 hex digits. */
  readonly id: string
}

/** What the system identifies a folder by. */
export type FolderId = {
  readonly device: string
  readonly inode: string
  /** Nanoseconds since 1970, 0 where the file system does not keep it. Inode numbers are used again; this is not. */
  readonly born: string
  readonly host: string
}

const IDENTITY = 'sess.json'
const GENERATION = 'generation'

/** The first parts of the names of a store's own files. */
const OURS = ['backup', 'broken', 'sess', 'generation', 'holder', 'refs', 'scratch', 'snapshot', 'tables']

/**
 * Returns a store's identity, undefined where the folder holds none. Throws `corrupt` where it cannot be read though a
 * database is there, `not-a-store` where none is, and `newer-store`.
 */
export function readIdentity(dir: string): Identity | undefined {
  checkLocalStore(dir)
  const text = readText(join(dir, IDENTITY))
  if (text === undefined) return undefined
  let value: Partial<Identity>
  try {
    value = JSON.parse(text) as Partial<Identity>
  } catch (cause) {
    throw unreadableIdentity(dir, `${IDENTITY} is no JSON`, cause)
  }
  const { format, id, created, writer } = value ?? {}
  if (typeof format !== 'number' || typeof id !== 'string' || !/^[0-9a-f]{32}$/.test(id))
    throw unreadableIdentity(dir)
  checkFormat(dir, format)
  return { format, id, created: String(created), ...(isWriter(writer) && { writer }) }
}

const isWriter = (writer: Partial<Writer> | undefined): writer is Writer =>
  typeof writer?.id === 'string' &&
  /^[0-9a-f]{16}$/.test(writer.id) &&
  [writer.device, writer.inode, writer.born, writer.host].every((part) => typeof part === 'string')

/** The error of an identity that cannot be read. Another program may have a file of this name, but no database beside it. */
function unreadableIdentity(dir: string, detail = `${IDENTITY} names no store`, cause?: unknown): SessError {
  if (!namesIn(dir).some((name) => /^db\.\d+$/.test(name)))
    return new SessError('not-a-store', dir, { detail, cause })
  return new SessError('corrupt', `'${join(dir, IDENTITY)}' cannot be read`, {
    detail,
    hint: IDENTITY_HINT,
    cause,
  })
}

/** The hint of a store whose identity is missing or cannot be read. */
export const IDENTITY_HINT = "type 'sess fsck --repair': it is written again, and nothing else is changed"

/** Throws `newer-store` where this version does not know a format. */
export function checkFormat(dir: string, format: number): void {
  if (format > STORE_FORMAT) throw new SessError('newer-store', dir, { detail: `format ${format}` })
}

/** Returns the text of a file, undefined where there is none. Throws `corrupt` where the path is no file. */
export function readText(path: string): string | undefined {
  try {
    return withFile(path, (file) => readFileSync(file, 'utf8'))
  } catch (error) {
    if (isMissing(error)) return undefined
    if (error instanceof SessError) throw error
    throw unreadableError(path, error)
  }
}

/** Tells whether an error of the file system says that a path does not exist. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

/** Returns the names in a folder, none where it does not exist: processes remove their folders at any time. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Returns the number of the generation that holds the database now. Throws `corrupt`. */
export function readGeneration(dir: string): number {
  const text = readText(join(dir, GENERATION))
  const number = text === undefined ? Number.NaN : Number(text)
  if (!Number.isSafeInteger(number) || number < 1)
    throw new SessError('corrupt', `'${join(dir, GENERATION)}' does not say which database is current`)
  return number
}

const MARK = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Longer than any content of the file that holds the generation. */
const mark = Buffer.alloc(32)

/**
 * Returns text that changes once another generation holds the database. The file is opened and read: network file systems
 * answer `stat` from a cache, and look at the server when a file is opened. Each append reads it twice, so this takes three
 * system calls instead of seven; what a changed text says is read with all checks by `readGeneration`.
 */
export function generationMark(dir: string): string {
  const path = `${dir}/${GENERATION}`
  let file: number
  try {
    file = openSync(path, MARK)
  } catch {
    return readText(path) ?? 'missing'
  }
  try {
    return mark.toString('latin1', 0, readSync(file, mark, 0, mark.length, 0))
  } catch {
    return readText(path) ?? 'missing'
  } finally {
    closeSync(file)
  }
}

/** Makes another generation hold the database; `how` as in `replaceFile`. */
export const writeGeneration = (dir: string, generation: number, how?: ReplaceHooks): void =>
  replaceFile(join(dir, GENERATION), `${generation}\n`, how)

/** Returns the path of the database of a generation. */
export const databaseFolder = (dir: string, generation: number): string => join(dir, `db.${generation}`)

/** Tells whether a store may be made in a folder: it does not exist, is empty, or holds the beginnings of a store. */
export function mayBecomeStore(dir: string): boolean {
  try {
    return readdirSync(dir).every(
      (name) => name.startsWith('db.') || OURS.includes(name.split('.')[0] as string),
    )
  } catch (error) {
    if (isMissing(error)) return true
    throw new SessError('unreadable-path', dir, { cause: error })
  }
}

/** Makes a private folder and those above it. Throws `cannot-write`. */
export function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException
    const isInTheWay = code === 'EEXIST' || code === 'ENOTDIR'
    throw new SessError('cannot-write', dir, {
      detail: message,
      cause,
      ...(isInTheWay && { hint: IN_THE_WAY }),
    })
  }
}

const IN_THE_WAY = 'a file lies where the folder would: name another one'

/** Makes a folder a store whose first database exists; the identity is written last. */
export function beginStore(dir: string, identity: Identity): void {
  writeGeneration(dir, 1)
  writeIdentity(dir, identity)
}

/** Writes a store's identity. */
export const writeIdentity = (dir: string, identity: Identity): void =>
  replaceFile(join(dir, IDENTITY), `${JSON.stringify(identity)}\n`)

/** Steps around the rename that replaces a file. */
export interface ReplaceHooks {
  /** Called right before the rename, after everything that takes time: where it returns false, nothing is replaced. */
  readonly mayReplace?: () => boolean
  /** Called right after the rename, before it is durable. */
  readonly afterRename?: () => void
}

/** Replaces a private file of a store, durably: readers see the old content or the new one. Throws as `writeFault`. */
export function replaceFile(
  path: string,
  text: string,
  { mayReplace: isStill, afterRename: withIt }: ReplaceHooks = {},
): void {
  const fresh = `${path}.${processName()}.new`
  try {
    const file = createFile(fresh)
    try {
      // Not `writeSync`, which may write a part and reports it only in its result.
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (isStill?.() === false) {
      rmSync(fresh, { force: true })
      return
    }
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw writeError(error, path)
  }
  try {
    withIt?.()
  } finally {
    sync(dirname(path))
  }
}

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Creates a file. Whatever has its name, a killed process of this one's number left it, or it is a trap: it is removed. */
function createFile(path: string): number {
  try {
    return openSync(path, NEW, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    rmSync(path)
    return openSync(path, NEW, 0o600)
  }
}

/** Makes a file durable, or the names in a folder: without it a power cut may undo a rename. */
export function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
