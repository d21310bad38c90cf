import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { typable } from '../../model/shellword.ts'
import { unreadableError } from '../ioerrors.ts'
import { temporaryEnd } from './processname.ts'

/** The problem reported for a path of a store that should be a file. */
export const NOT_FILE = 'it is not a regular file'

/** MiB that a file of a store has at most, by its name. A store may come from somebody else, and these are read whole. */
const LIMITS: readonly (readonly [names: RegExp, mebibytes: number])[] = [
  [/^(?:sess\.json|generation|holder\.json|repair\.json|tables|config\.json|backup\.\d+\.json|CURRENT)$/, 64],
  [/^(?:refs\.journal|MANIFEST-\d+)$/, 1024],
]

/** Returns the problem of a path that should be a file of a store: it is no plain file, or too large. */
function fileProblem(path: string, stats: Stats): string | undefined {
  if (!stats.isFile()) return NOT_FILE
  const [, most = Infinity] = LIMITS.find(([names]) => names.test(basename(path))) ?? []
  return stats.size > most * 2 ** 20 ? `it is larger than ${most} MiB` : undefined
}

/** The error codes of opening a folder, a link, a socket or a FIFO without a reader as a file. */
const NOT_FILE_CODES: ReadonlySet<string> = new Set(['EISDIR', 'ELOOP', 'EMLINK', 'ENXIO'])

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

/**
 * Opens a file of a store, for reading by default. Follows no link and does not block on a FIFO. Throws `corrupt` where
 * the path is not a regular file or too large, `not-owned` where the file belongs to another user than the folder, else the error of
 * the system. A file to be written that has a second name, which may be any file of the user, becomes a copy first.
 */
export function openFile(path: string, flags = constants.O_RDONLY): number {
  const file = openChecked(path, flags)
  if ((flags & constants.O_WRONLY) === 0 || fstatSync(file).nlink < 2) return file
  closeSync(file)
  const content = withFile(path, (opened) => readFileSync(opened))
  const fresh = `${path}.${temporaryEnd()}`
  writeFileSync(fresh, content, { flag: 'wx', mode: 0o600, flush: true })
  renameSync(fresh, path)
  return openChecked(path, flags)
}

function openChecked(path: string, flags: number): number {
  let file: number
  try {
    file = openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600)
  } catch (cause) {
    throw NOT_FILE_CODES.has(codeOf(cause)) ? notFileError(path, NOT_FILE, cause) : cause
  }
  try {
    const stats = fstatSync(file)
    const problem = fileProblem(path, stats)
    if (problem !== undefined) throw notFileError(path, problem)
    checkOwner(path, stats)
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

export const notFileError = (path: string, detail: string, cause?: unknown): SessError =>
  new SessError('corrupt', `the file '${path}'`, { detail, remedy: { kind: 'repair-file' }, cause })

/**
 * Opens a file of a store for the duration of `work`. Throws as `openFile`, and `unreadable-path`; other errors of the
 * system name the path.
 */
export function withFile<T>(path: string, work: (file: number) => T, flags?: number): T {
  const file = openFile(path, flags)
  try {
    return work(file)
  } catch (error) {
    throw withPath(error, path)
  } finally {
    closeSync(file)
  }
}

/** Returns the error of a call on an open file with the path, which the system does not name there. */
function withPath(error: unknown, path: string): unknown {
  if (error instanceof SessError || codeOf(error) === '') return error
  return (error as NodeJS.ErrnoException).syscall === 'read'
    ? unreadableError(path, error)
    : Object.assign(error as Error, { path })
}

/** Flags that create a missing file, to write over what it holds or at its end. */
export const OVERWRITE = constants.O_WRONLY | constants.O_CREAT
export const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND

/** Returns the problem of a path that exists and is no plain file, or too large. A link is none, whatever it leads to. */
export function problemAt(path: string): string | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats && fileProblem(path, stats)
  } catch (error) {
    // Opening the path reports any other error.
    return NOT_FILE_CODES.has(codeOf(error)) ? NOT_FILE : undefined
  }
}

/** Returns whether a path exists and cannot be read as a file of a store. */
export const isNotFile = (path: string): boolean => problemAt(path) !== undefined

/** The stats of a file or a folder that its owner is determined from. */
type OwnedStats = Pick<Stats, 'uid' | 'nlink' | 'isDirectory'>

/**
 * Returns whether a file in a folder may be another user's. The owner of the folder made it, or this process did. Of
 * the latter a file with a second name is refused: the owner of the folder may have linked it, so as to have it
 * overwritten. Tables are exempt, because snapshots and backups link them.
 */
export function isForeign(name: string, file: OwnedStats, folder: Pick<Stats, 'uid'>, user: number): boolean {
  if (file.uid === folder.uid) return false
  return file.uid !== user || (file.nlink > 1 && !file.isDirectory() && !TABLE.test(name))
}

const TABLE = /^\d+\.(?:ldb|sst)$/

/** Throws `not-owned` where a file belongs to another user than the folder that it is in. */
function checkOwner(path: string, stats: Stats, folder?: Stats): void {
  const user = process.geteuid?.()
  if (user === undefined || (stats.uid === user && stats.nlink === 1)) return
  const owner = folder ?? lstatSync(dirname(path))
  if (isForeign(basename(path), stats, owner, user)) throw foreignError(path, stats, owner)
}

/** A file with a second name may be any file of the machine: nobody is told to give that away. */
const foreignError = (path: string, { nlink }: Stats, folder: Stats): SessError =>
  new SessError('not-owned', path, {
    detail: 'the folder that it is in does not',
    hint:
      nlink > 1
        ? 'find out who put it there; nothing was changed'
        : `if sudo made it, type 'sudo chown ${folder.uid} ${typable(path, 'FILE')}'; nothing was changed`,
  })

/**
 * Checks a folder of a store, without following a link. Returns its stats, undefined where there is none. Throws
 * `corrupt` where it is no folder, and `not-owned`.
 */
export function checkFolder(path: string): Stats | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return undefined
  if (!stats.isDirectory()) throw notFolderError(path, stats, 'move it away; nothing was changed')
  checkOwner(path, stats)
  return stats
}

const notFolderError = (path: string, stats: Stats, hint: string): SessError =>
  new SessError('corrupt', `'${path}' is no folder`, {
    detail: stats.isSymbolicLink() ? 'it is a link' : 'it is a file or something else',
    hint,
  })

/** The name of a store's folder in the folder of a project. */
const LOCAL_STORE = '.sess'

/**
 * Throws `corrupt` where the store's folder of a project is a link: a project may come from somebody else, and the link
 * leads anywhere. A folder of another name was chosen by the user, who may keep it behind a link.
 */
export function checkLocalStore(dir: string): void {
  if (basename(dir) !== LOCAL_STORE) return
  let stats: Stats | undefined
  try {
    stats = lstatSync(dir, { throwIfNoEntry: false })
  } catch {
    return // opening the store reports the error
  }
  if (stats?.isSymbolicLink())
    throw notFolderError(dir, stats, 'name the folder that it leads to with --store; nothing was changed')
}

/** The files that LevelDB opens, writes, renames or removes by name (db/filename.cc). */
const LEVELDB = /^(?:CURRENT|LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(?:ldb|sst|log|dbtmp))$/

/** How the files of a database are checked. */
export interface DatabaseChecks {
  /** Returns the error for a file. */
  readonly errorFor?: (path: string, problem: string) => SessError
  readonly linkedTables?: boolean
}

/** Returns whether LevelDB would take a name in the folder of a database for a file of its own. */
export const isLevelDbName = (name: string): boolean => LEVELDB.test(name)

/**
 * Checks the files of a database. LevelDB follows links and truncates the files that it makes, so each path with a name
 * that it uses must be a plain file of the folder's owner. Other names are ignored: LevelDB never opens them. With
 * `linkedTables` a table may be a link to one on another volume: only for a snapshot that this process made. The name of
 * a folder does not show that. Returns the stats of these files by name. Throws `corrupt` naming the path, and
 * `not-owned`.
 */
export function checkDatabaseFolder(
  folder: string,
  { errorFor = notFileError, linkedTables = false }: DatabaseChecks = {},
): ReadonlyMap<string, Stats> {
  const own = checkFolder(folder)
  const files = new Map<string, Stats>()
  if (!own) return files
  for (const name of readdirSync(folder)) {
    if (!isLevelDbName(name)) continue
    // Not `join`: of 140 files it takes 0.8 ms.
    const path = `${folder}/${name}`
    const stats = lstatSync(path, { throwIfNoEntry: false })
    // Another process that had the database may remove files that it no longer needs.
    if (!stats) continue
    if (!(linkedTables && stats.isSymbolicLink() && TABLE.test(name))) {
      const problem = fileProblem(path, stats)
      if (problem !== undefined) throw errorFor(path, problem)
      checkOwner(path, stats, own)
    }
    files.set(name, stats)
  }
  return files
}
