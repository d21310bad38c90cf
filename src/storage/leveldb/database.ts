import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { sha256 } from '../../model/encoding/sha256.ts'
import { asSessError, SessError } from '../../model/errors.ts'
import { checkDatabaseFiles, recordTables, tablesOf } from '../check/databasefiles.ts'
import { monotonicNow } from '../clock.ts'
import { makeFolder } from '../directory/files.ts'
import { databaseFolder, generationMark, readGeneration } from '../directory/generation.ts'
import { type Holder, hadOtherHolder, readHolder, readOtherHolder, writeHolder } from '../directory/holder.ts'
import { refuseBackup, writerId } from '../directory/identity.ts'
import { keepPrivate } from '../directory/permissions.ts'
import { isAlive } from '../directory/processname.ts'
import { quarantineStray } from '../directory/quarantine.ts'
import { generationFolder } from '../directory/takeover.ts'
import { ioError, isIoError, isNoSpace, isSystemError, messagesOf, pathIn } from '../ioerrors.ts'
import { checkCommitLog } from '../levelbackend/commitlog.ts'
import type { KeyValueDatabase as Bytes } from '../levelbackend/keyvalue.ts'
import { LevelBackend } from '../levelbackend/levelbackend.ts'
import { ExclusiveLevel, isOpenHere, LevelAdapter } from './exclusivelevel.ts'
import { isClaimed, isLocked } from './locks.ts'
import { OverlayDatabase } from './overlay.ts'

export interface OpenDatabaseOptions {
  /** Make the database where there is none: only while a store is being made. */
  readonly create?: boolean
  readonly holder: Holder
  /** Called where another process, or another store object of this one, may have held the database meanwhile. */
  readonly onOtherHolder?: () => void
}

const NO_BYTES = new Uint8Array(0)

/** Milliseconds between two attempts to open a database that another process holds. */
const WAIT = 8

/**
 * Opens the database of a store's current generation. Returns undefined where another process holds it: LevelDB admits
 * one at a time.
 */
export async function tryDatabase(
  dir: string,
  { create = false, holder, onOtherHolder }: OpenDatabaseOptions,
): Promise<LevelBackend | undefined> {
  if (!create) refuseBackup(dir)
  for (;;) {
    const generation = create ? 1 : readGeneration(dir)
    const folder = create ? databaseFolder(dir, 1) : generationFolder(dir, generation)
    if (create) makeFolder(folder)
    else if (isOpenHere(folder) || (mayBeHeld(dir) && isLocked(folder))) return undefined
    const untouched = create ? new Set<string>() : checkDatabaseFiles(dir, folder)
    const keptPrivate = keepPrivate(folder)
    const level = newLevel(folder, create)
    level.isChecked = !create
    const direct = new LevelAdapter(level)
    const began = Date.now()
    const closing = (): (() => void) => {
      const tables = tablesOf(folder)
      return () => {
        keptPrivate()
        recordTables(dir, folder, tables, untouched)
      }
    }
    try {
      const opened = level.open()
      // LevelDB opens in a thread. Meanwhile the parts of Node are loaded that all reads need: 2 ms of each command.
      sha256(NO_BYTES)
      crc32(NO_BYTES)
      await opened
    } catch (error) {
      if (isLockedError(error)) return undefined
      // It was removed meanwhile: another generation is current.
      if (!create && readGeneration(dir) !== generation) continue
      throw openError(dir, error, began)
    }
    try {
      if (onOtherHolder && hadOtherHolder(dir, holder)) onOtherHolder()
      writeHolder(dir, holder)
      let mark = create ? '' : generationMark(dir)
      if (!create && readGeneration(dir) !== generation) {
        await level.close()
        continue
      }
      if (!create) quarantineStray(dir, generation)
      const confirm = (): void => {
        const now = create ? mark : generationMark(dir)
        if (now === mark) return
        if (readGeneration(dir) !== generation) throw new SessError('fenced', dir)
        mark = now
      }
      await checkCommitLog(direct)
      return new LevelBackend(direct, {
        confirm,
        existing: !create,
        closing,
        ...(!create && { writer: () => writerId(dir) }),
      })
    } catch (error) {
      // A database that stays open would keep other processes out for as long as this one runs.
      await level.close()
      throw openError(dir, error)
    }
  }
}

/**
 * Returns whether the last holder of the database still runs, or is another thread of this process. Only then its lock
 * is looked up in the system, instead of opening LevelDB (see `ExclusiveLevel`).
 */
function mayBeHeld(dir: string): boolean {
  try {
    const holder = readOtherHolder(dir)
    return holder !== undefined && isAlive(holder.pid)
  } catch {
    return true // unknown
  }
}

/**
 * Opens the database, waiting for it at most `lockTimeout` milliseconds. Throws `busy` with the holder where that is
 * known.
 */
export async function openDatabase(
  dir: string,
  { lockTimeout, ...options }: OpenDatabaseOptions & { readonly lockTimeout: number },
): Promise<LevelBackend> {
  const until = monotonicNow() + lockTimeout
  for (;;) {
    const backend = await tryDatabase(dir, options)
    if (backend) return backend
    if (monotonicNow() >= until) throw busyError(dir)
    await pause(WAIT)
  }
}

/**
 * Returns whether a process holds the database in a folder. LevelDB is not opened where another thread of this process
 * may hold it: see `ExclusiveLevel`.
 */
export async function isHeld(folder: string): Promise<boolean> {
  if (isClaimed(folder) || isLocked(folder)) return true
  const level = newLevel(folder, false)
  try {
    await level.open()
  } catch (error) {
    return isLockedError(error)
  }
  await level.close()
  return false
}

/** The default block size of LevelDB's tables. */
const BLOCK_BYTES = 4096

/** Returns the database in a folder, not open yet. */
export const newLevel = (folder: string, create: boolean, part = BLOCK_BYTES): ExclusiveLevel =>
  new ExclusiveLevel(folder, {
    blockSize: part,
    keyEncoding: 'view',
    valueEncoding: 'view',
    createIfMissing: create,
    writeBufferSize: 2 << 20,
    // Open tables are mapped into memory, 2 MB each; LevelDB's default is 1,000 of them.
    maxOpenFiles: 32,
  })

/** Opens a database that no other process uses. Throws as `openError`. */
export async function openOwn(level: Pick<Bytes, 'location'> & { open(): Promise<void> }): Promise<void> {
  try {
    await level.open()
  } catch (error) {
    throw openError(level.location ?? '', error)
  }
}

/** Puts an empty database over another one, which receives all writes. */
export async function withOverlay(below: Bytes, scratch: string): Promise<OverlayDatabase> {
  const above = newLevel(scratch, true)
  await openOwn(above)
  return new OverlayDatabase(below, above)
}

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined)

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

const isLockedError = (error: unknown): boolean =>
  codeOf(error) === 'LEVEL_LOCKED' || codeOf(causeOf(error)) === 'LEVEL_LOCKED'

/** Milliseconds by which the times of files may lag behind the clock. */
const LAG = 20

/**
 * Returns whether an error is about a file that was written since a time: opening a database replays its log, and writes
 * tables and a manifest.
 */
function isOfWriting(error: unknown, since: number | undefined): boolean {
  if (asSessError(error).code === 'cannot-write') return true
  const path = pathIn(messagesOf(error))
  if (since === undefined || path === '') return false
  const stats = statSync(path, { throwIfNoEntry: false })
  // A table that could not be written is removed at once.
  return stats === undefined || stats.mtimeMs >= since - LAG
}

/** Returns the error for a database that could not be opened; with the time at which that began where it may write. */
export function openError(dir: string, error: unknown, began?: number): unknown {
  if (error instanceof SessError) return error
  const cause = causeOf(error) ?? error
  if (cause instanceof SessError) return cause
  const detail = cause instanceof Error ? cause.message : String(cause)
  // First: data behind an I/O error may be sound, and must not be repaired.
  // LevelDB does not say what it was doing.
  if (isIoError(cause))
    return ioError(isOfWriting(cause, began) ? 'cannot-write' : 'unreadable-path', cause, dir)
  if (isNoSpace(cause)) return new SessError('no-space', dir, { detail, cause })
  if (isSystemError(cause) || /\b(?:EACCES|EROFS|EPERM|EMFILE|ENFILE|ENOMEM|EFBIG)\b/.test(detail))
    return new SessError('cannot-write', dir, { detail, cause })
  return new SessError('corrupt', `its database does not open`, { detail, cause })
}

/** Returns the error that names the holder of a store's database. */
export function busyError(dir: string, more?: string): SessError {
  const holder = readHolder(dir)
  const detail =
    holder && isAlive(holder.pid)
      ? `by process ${holder.pid}, '${holder.command}', since ${holder.since}`
      : ''
  return new SessError('busy', dir, { detail: [detail, more ?? ''].filter((part) => part !== '').join('; ') })
}
