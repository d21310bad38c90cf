import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { SessError } from '../model/errors.ts'
import { writeError } from '../model/writeerror.ts'
import { makePrivateFolders } from './makefolders.ts'

/** How a file is put in place. */
export interface PlaceOptions {
  /** Replace the file that has the name; without it `exists` is thrown. */
  readonly replace?: boolean
  /** The caller removes leftovers and syncs the folder, as for many files in one. */
  readonly isOneOfMany?: boolean
  /** The file whose mode it gets, and whose owner where this process may give files away; undefined for a private file. */
  readonly like?: string | undefined
}

/**
 * Writes a file outside of a store with mode 0600: writes a temporary file in the same folder, syncs it, renames it, and
 * syncs the folder. A process that is killed at any moment leaves the former or the new file, and at most a temporary
 * file, which the next call for the same name removes. Throws `exists`, `no-space` and `cannot-write`; an error leaves
 * the former file.
 */
export async function placeFile(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  { replace = false, isOneOfMany = false, like }: PlaceOptions = {},
): Promise<void> {
  if (!isOneOfMany) removeLeftovers(dirname(path), path)
  const file = new PendingFile(path)
  try {
    for await (const chunk of chunks) file.write(chunk)
    await file.sync(like === undefined ? undefined : statsOf(like))
    file.place(replace)
  } catch (error) {
    file.abandon()
    throw error instanceof SessError ? error : file.fault(error)
  }
  if (!isOneOfMany) syncFolder(dirname(path))
}

/** Returns the path of the file that a symbolic link leads to; the path itself where there is none. */
export function linkedFile(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/**
 * Replaces a file and keeps its owner and mode, or creates it: the steps of `placeFile`, without a turn of the event loop.
 * Throws as that.
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  removeLeftovers(dirname(path), path)
  const file = new PendingFile(path)
  try {
    file.write(content)
    file.syncNow(statsOf(path))
    file.place(true)
  } catch (error) {
    file.abandon()
    throw file.fault(error)
  }
  syncFolder(dirname(path))
}

/**
 * Adds a second name to a file, durably. Returns false where the file system has no hard links, or allows none to this
 * file. Throws `exists`.
 */
export function linkFile(path: string, name: string): boolean {
  try {
    linkSync(path, name)
  } catch (error) {
    if (NO_LINKS.has(codeOf(error))) return false
    throw writeError(name, error)
  }
  const file = openSync(name, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  syncFolder(dirname(name))
  return true
}

/** Makes the names in a folder durable: otherwise a power failure may undo a rename. */
export function syncFolder(folder: string): void {
  // Windows opens no folders.
  if (process.platform === 'win32') return
  try {
    const file = openSync(folder, 'r')
    try {
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    // Some file systems refuse to sync a folder; none of them needs it.
    if (!NO_SYNC.has(codeOf(error))) throw writeError(folder, error)
  }
}

const NO_SYNC: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EACCES'])

/** Creates a folder and its parents with mode 0700. Throws `cannot-write`. */
export function makeFolderSync(path: string): void {
  try {
    makePrivateFolders(path)
  } catch (error) {
    throw writeError(path, error)
  }
}

/** The end of a temporary name, which nobody can predict: `.<process>-<16 hex digits>.sess-tmp`. */
const TEMPORARY = /\.(\d+)-[0-9a-f]{16}\.sess-tmp$/

const RANDOM_BYTES = 8

/** The number of characters of a file's name in its temporary name, which must not exceed the maximum length of names. */
const KEPT = 40

const stemOf = (path: string): string => [...basename(path)].slice(0, KEPT).join('')

/** Returns a new path of this process for a temporary file beside a file, which `removeLeftovers` recognizes. */
export function temporaryPath(path: string): string {
  const end = `${process.pid}-${randomBytes(RANDOM_BYTES).toString('hex')}.sess-tmp`
  return join(dirname(path), `${stemOf(path)}.${end}`)
}

/**
 * Removes the temporary files that killed processes of this user left in a folder, or only those of one file. Recognizes
 * them by their names; what belongs to another user, what is no file, and files of running processes stay. For a process
 * on another machine that cannot be seen the removal makes its rename fail, and the former file stays.
 */
export function removeLeftovers(folder: string, path?: string): void {
  for (const name of leftoversIn(folder)) {
    const [end = '', pid] = TEMPORARY.exec(name) ?? []
    const isMeant = path === undefined || name.slice(0, -end.length) === stemOf(path)
    if (isMeant && !isAlive(Number(pid))) removeOwnFile(join(folder, name))
  }
}

/** Removes a file of this user. Throws nothing: what cannot be removed is in nobody's way. */
function removeOwnFile(path: string): void {
  try {
    const { uid } = lstatSync(path)
    // Unlike `rmSync`, which also removes the files of others in a folder of this user, `lstat` shows whose it is.
    if (uid === (process.geteuid?.() ?? uid)) unlinkSync(path)
  } catch {
    // It is a folder, it is gone, or it is in a folder of others.
  }
}

/** Returns the stats of a file; undefined where there is none, and of a link, which may lead anywhere. */
function statsOf(path: string): Stats | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isFile() ? stats : undefined
}

function leftoversIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => TEMPORARY.test(name))
  } catch {
    return [] // the folder is missing or may not be listed: the next step reports it if it matters
  }
}

/** Returns whether a process runs on this machine. */
export function isAlive(pid: number): boolean {
  if (pid === process.pid) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

const synced = promisify(fsync)

/** The bits of a mode that say who may read, write and execute a file. */
const PERMISSIONS = 0o777

/** A file that is written under a temporary name. It is created by the first write, so that earlier failures leave nothing. */
class PendingFile {
  readonly #path: string
  readonly #temporary: string
  #file: number | undefined
  #isThere = false

  constructor(path: string) {
    this.#path = path
    this.#temporary = temporaryPath(path)
  }

  #open(): number {
    // 'wx' does not follow a link and does not open an existing file.
    this.#file ??= openSync(this.#temporary, 'wx', 0o600)
    this.#isThere = true
    return this.#file
  }

  write(bytes: Uint8Array | string): void {
    // Unlike `writeSync`, which may write only a part, this writes everything or throws.
    writeFileSync(this.#open(), bytes)
  }

  /** Makes its content durable, and gives it the owner and the mode of another file. */
  async sync(like?: Stats): Promise<void> {
    this.#adopt(like)
    await synced(this.#open())
    this.#close()
  }

  syncNow(like?: Stats): void {
    this.#adopt(like)
    fsyncSync(this.#open())
    this.#close()
  }

  #adopt(like: Stats | undefined): void {
    if (!like) return
    const file = this.#open()
    const { uid, gid } = fstatSync(file)
    if (like.uid !== uid || like.gid !== gid)
      try {
        fchownSync(file, like.uid, like.gid)
      } catch (error) {
        // Only root may give a file away. With another group the mode would let others read it.
        if (codeOf(error) !== 'EPERM') throw error
        return
      }
    fchmodSync(file, like.mode & PERMISSIONS)
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  /** Names the file, atomically. */
  place(replace: boolean): void {
    if (replace) renameSync(this.#temporary, this.#path)
    else {
      this.#link()
      rmSync(this.#temporary, { force: true })
    }
    this.#isThere = false
  }

  /** Names the file by a link, which unlike a rename never replaces an existing file. */
  #link(): void {
    try {
      linkSync(this.#temporary, this.#path)
    } catch (error) {
      if (!NO_LINKS.has(codeOf(error))) throw error
      // On a file system without hard links an empty file reserves the name first.
      closeSync(openSync(this.#path, 'wx', 0o600))
      renameSync(this.#temporary, this.#path)
    }
  }

  /** Returns the error of a failed step, with the path of the file in place of the temporary one. */
  fault(error: unknown): SessError {
    if (error instanceof Error) error.message = error.message.replaceAll(this.#temporary, this.#path)
    return writeError(this.#path, error)
  }

  abandon(): void {
    this.#close()
    if (this.#isThere) rmSync(this.#temporary, { force: true })
  }
}

/** The errors of a file system without hard links, or that allows none to a file. */
export const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])
