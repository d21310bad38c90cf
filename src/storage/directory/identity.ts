import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SessError } from '../../model/errors.ts'
import type { WriterId } from '../../model/record.ts'
import { isMissing, namesIn, readText, replaceFile } from './files.ts'
import {
  FOLDER_ID_PARTS,
  type FolderId,
  folderIdOf,
  isSameFolder,
  type MachineId,
  machineId,
} from './folderid.ts'
import { databasesIn, writeGeneration } from './generation.ts'
import { REPAIR_FILE } from './quarantine.ts'
import { checkLocalStore } from './safefile.ts'

/** The version of everything in a store's folder. Another one is refused. */
export const STORE_FORMAT = 2

/** The content of `sess.json`, which identifies a store. */
export type Identity = {
  readonly format: number
  /** 32 hex digits, different for each store. */
  readonly id: string
  /** ISO 8601. */
  readonly created: string
  /** The writer that this folder is, and the folder that it was drawn for. */
  readonly writer?: FolderWriter
}

/** A writer id, and the folder that it belongs to. A copy of the folder differs from it. */
export type FolderWriter = FolderId & {
  /** 16 hex digits. */
  readonly id: string
}

const IDENTITY = 'sess.json'

/** The first parts of the names of a store's own files. */
const OURS = [
  'backup',
  'broken',
  'sess',
  'generation',
  'holder',
  'refs',
  'repair',
  'scratch',
  'snapshot',
  'tables',
]

/**
 * Returns a store's identity, undefined where the folder holds none. Throws `corrupt` where it cannot be read though a
 * database is there, `not-a-store` where none is, `newer-store` and `older-store`.
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
  const isFormat = typeof format === 'number' && Number.isSafeInteger(format) && format > 0
  if (!isFormat || typeof id !== 'string' || !/^[0-9a-f]{32}$/.test(id)) throw unreadableIdentity(dir)
  checkFormat(dir, format)
  return { format, id, created: String(created), ...(isWriter(writer) && { writer }) }
}

const isWriter = (writer: Partial<FolderWriter> | undefined): writer is FolderWriter =>
  typeof writer?.id === 'string' &&
  /^[0-9a-f]{16}$/.test(writer.id) &&
  FOLDER_ID_PARTS.every((part) => typeof writer[part] === 'string')

/**
 * Returns the error for an identity that cannot be read. Another program may have a file of this name, but no
 * databases.
 */
function unreadableIdentity(dir: string, detail = `${IDENTITY} names no store`, cause?: unknown): SessError {
  if (!namesIn(dir).some((name) => /^db\.\d+$/.test(name)))
    return new SessError('not-a-store', dir, { detail, cause })
  return new SessError('corrupt', `'${join(dir, IDENTITY)}' cannot be read`, {
    detail,
    remedy: { kind: 'repair-identity' },
    cause,
  })
}

/** Throws `newer-store` or `older-store` for another format than that of this version. */
export function checkFormat(dir: string, format: number): void {
  if (format === STORE_FORMAT) return
  throw new SessError(format > STORE_FORMAT ? 'newer-store' : 'older-store', dir, {
    detail: `format ${format}`,
  })
}

/** Returns whether a store may be made in a folder: it does not exist, is empty, or holds the beginnings of a store. */
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

/** Makes a folder a store whose first database exists; the identity is written last. */
export function beginStore(dir: string, identity: Identity): void {
  writeGeneration(dir, 1)
  // That of a store that lay in the folder before.
  rmSync(join(dir, REPAIR_FILE), { force: true })
  writeIdentity(dir, identity)
}

/** Writes a store's identity. */
export const writeIdentity = (dir: string, identity: Identity): void =>
  replaceFile(join(dir, IDENTITY), `${JSON.stringify(identity)}\n`)

/**
 * Returns whether a folder without an identity was a store once. One that is only half made has neither a journal nor a
 * second database, because both come after the identity.
 */
export const wasStore = (dir: string): boolean =>
  existsSync(join(dir, 'refs.journal')) || databasesIn(dir).some((number) => number > 1)

/** Returns the error of a folder that was a store and lacks its identity. */
export const missingIdentityError = (dir: string): SessError =>
  new SessError('corrupt', `'${join(dir, 'sess.json')}' is missing, though a store lies there`, {
    remedy: { kind: 'repair-identity' },
  })

/** Returns whether a folder is a backup: it is written to only by the next backup, and is read as a copy. */
export const isBackup = (dir: string): boolean =>
  namesIn(dir).some((name) => /^backup\.\d+\.json$/.test(name))

/** Throws `cannot-write` where a folder is a backup. */
export function refuseBackup(dir: string): void {
  if (isBackup(dir))
    throw new SessError('cannot-write', dir, {
      detail: 'it is a backup',
      remedy: { kind: 'restore-here' },
    })
}

/** The surroundings that a writer id depends on. */
export interface WriterOptions {
  readonly random?: (bytes: number) => Uint8Array
  readonly machine?: MachineId
}

/**
 * Returns the writer id of a store folder, and draws another one where the folder is not the one that the id was drawn
 * for: a copy must never continue the logs of the original. A folder that was renamed on its device keeps its id, and so
 * does one whose machine got another name.
 *
 * Call it only while holding the database to write it, because two processes would draw two ids. Throws `no-store`, and
 * `cannot-write` where what is new cannot be written down. A copy of a whole disk on a machine with the same id is not
 * recognised.
 */
export function writerId(
  dir: string,
  { random = randomBytes, machine = machineId() }: WriterOptions = {},
): WriterId {
  const identity = readIdentity(dir)
  if (!identity) throw new SessError('no-store', dir)
  const here = folderIdOf(dir, machine)
  const { writer } = identity
  const id = writer && isSameFolder(writer, here) ? (writer.id as WriterId) : newWriterId(random)
  const isWritten = writer?.id === id && FOLDER_ID_PARTS.every((part) => writer[part] === here[part])
  if (!isWritten) writeIdentity(dir, { ...identity, writer: { id, ...here } })
  return id
}

/**
 * Has another writer id drawn when the store is opened next. A database that was made again from what could be read may
 * lack records of its own logs, and must not write others in their place.
 */
export function forgetWriter(dir: string): void {
  const known = readIdentity(dir)
  if (!known?.writer) return
  const { writer: _, ...identity } = known
  writeIdentity(dir, identity)
}

/**
 * Returns the last writer id, for a dry run. Where there is none the id is random: a repair copies logs of a store that
 * a dry run made.
 */
export const lastWriter = (dir: string): WriterId =>
  (readIdentity(dir)?.writer?.id as WriterId | undefined) ?? newWriterId(randomBytes)

const newWriterId = (random: (bytes: number) => Uint8Array): WriterId =>
  Buffer.from(random(8)).toString('hex') as WriterId
