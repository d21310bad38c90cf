import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { sha256Oid } from '../model/encoding/sha256.ts'
import { hasCode, SessError } from '../model/errors.ts'
import { asString, field, type Json } from '../model/json.ts'
import { tryParse } from '../model/value.ts'
import { isMissing, makeFolder, readText, replaceFile, sync } from '../storage/directory/files.ts'
import {
  databaseFolder,
  databasesIn,
  readGeneration,
  writeGeneration,
} from '../storage/directory/generation.ts'
import {
  beginStore,
  type Identity,
  mayBecomeStore,
  readIdentity,
  refuseBackup,
  wasStore,
  writeIdentity,
} from '../storage/directory/identity.ts'
import { removeTemporaryFiles } from '../storage/directory/leftovers.ts'
import { isExposed } from '../storage/directory/permissions.ts'
import { temporaryEnd } from '../storage/directory/processname.ts'
import { REPAIR_FILE } from '../storage/directory/quarantine.ts'
import { withFile } from '../storage/directory/safefile.ts'
import { copyCurrent } from '../storage/directory/snapshot.ts'
import { isNoSpace, writeError } from '../storage/ioerrors.ts'
import type { Env } from './env.ts'

/**
 * The name of the list of files of a backup. It contains the generation of the database, so that both change at once.
 */
const listName = (generation: number): string => `backup.${generation}.json`

const JOURNAL = 'refs.journal'
const GENERATION = 'generation'

/** A file of a backup. */
type BackupFile = {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

type BackupList = {
  readonly store: Identity
  readonly time: string
  readonly files: readonly BackupFile[]
}

/** The size of a backup. */
export interface BackedUp {
  /** The files of the database and the journal. */
  readonly files: number
  readonly bytes: number
  /** Of these, those that an earlier backup had already. */
  readonly kept: number
}

/** The exposure of a backup's folder: others may enter one of this user, or one of another user. */
export type BackupExposure = 'private' | 'exposed' | 'foreign'

/** A backup that was made. */
export interface MadeBackup extends BackedUp {
  readonly exposure: BackupExposure
}

/** Does some work on the files of a backup: a repair of the store would not help where one of them is no file. */
function inBackup<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!hasCode(error, 'corrupt') || error.remedy?.kind !== 'repair-file') throw error
    throw error.with({ remedy: { kind: 'use-other-backup' } })
  }
}

const listed = (folder: string, name: string, path = join(folder, name)): BackupFile => {
  const bytes = withFile(path, (file) => readFileSync(file))
  return { name, bytes: bytes.length, sha256: sha256Oid(bytes) }
}

function readList(target: string): BackupList | undefined {
  if (!existsSync(join(target, GENERATION))) return undefined
  const text = inBackup(() => readText(join(target, listName(readGeneration(target)))))
  if (text === undefined) return undefined
  const list = tryParse(text)
  const files = field(list ?? null, 'files')
  if (field(list ?? null, 'store') === undefined || !Array.isArray(files) || !files.every(isListed))
    throw new SessError('corrupt', `the backup '${target}' has no valid list of its files`, {
      remedy: { kind: 'use-other-backup' },
    })
  return list as BackupList
}

/** The allowed names in a list of files: a list may come from somebody else, and must not lead out of its folder. */
const LISTED = /^(?:CURRENT|MANIFEST-\d+|\d+\.(?:ldb|sst|log))$/

const isListed = (file: Json): boolean =>
  LISTED.test(asString(field(file, 'name')) ?? '') &&
  typeof field(file, 'bytes') === 'number' &&
  typeof field(file, 'sha256') === 'string'

const notBackup = (target: string, detail: string, hint: string): SessError =>
  new SessError('not-a-store', target, { detail, hint })

const ANOTHER = 'name an empty or new folder, or an earlier backup of this store'

/**
 * Backs up a store into a folder, while others may write: the backup has everything that was acknowledged before.
 * Tables of an earlier backup in the folder are reused. The backup is itself a store, and is replaced atomically.
 * Throws `not-a-store` where the folder holds something else.
 */
export function backUp(dir: string, target: string, { now }: Pick<Env, 'now'>, dryRun = false): MadeBackup {
  const identity = readIdentity(dir)
  if (!identity) throw new SessError('no-store', dir)
  const before = readList(target)
  if (
    before ? before.store.id !== identity.id : !mayBecomeStore(target) || inBackup(() => readIdentity(target))
  )
    throw notBackup(
      target,
      before ? 'it is the backup of another store' : 'the folder holds something else',
      ANOTHER,
    )
  // The journal is copied first: it may miss the last commits, but must not have any that are not in the database.
  const journal = readText(join(dir, JOURNAL)) ?? ''
  const snapshot = copyCurrent(dir)
  const pathOf = (name: string): string => realpathSync(join(snapshot, name))
  try {
    const files = readdirSync(snapshot).map((name) => listed(snapshot, name, pathOf(name)))
    const known = new Map(before?.files.map((file) => [file.name, file.sha256]))
    const kept = files.filter(({ name, sha256 }) => known.get(name) === sha256).length
    const made = { files: files.length, bytes: files.reduce((sum, file) => sum + file.bytes, 0), kept }
    if (dryRun) return { ...made, exposure: 'private' }
    makeFolder(target)
    removeTemporaryFiles(target)
    const generation = before ? readGeneration(target) : 0
    const [former, next] = [databaseFolder(target, generation), databaseFolder(target, generation + 1)]
    const listPath = join(target, listName(generation + 1))
    // Files that a killed backup left.
    removeAll(next, listPath)
    makeDatabase(next, (fresh) => {
      for (const { name, sha256 } of files)
        if (known.get(name) === sha256 && isThere(former, name, sha256))
          linkSync(join(former, name), join(fresh, name))
        else copyFile(pathOf(name), join(fresh, name))
    })
    try {
      const list: BackupList = { store: identity, time: new Date(now()).toISOString(), files }
      replaceFile(listPath, `${JSON.stringify(list)}\n`)
      // Opening a store rewrites a missing journal; one that knows of more commits than the database would report a loss.
      rmSync(join(target, JOURNAL), { force: true })
      writeGeneration(target, generation + 1)
    } catch (error) {
      const isPublished = existsSync(join(target, GENERATION)) && readGeneration(target) > generation
      if (!isPublished) removeAll(next, listPath)
      throw error
    }
    writeIdentity(target, identity)
    rmSync(join(target, REPAIR_FILE), { force: true })
    replaceFile(join(target, JOURNAL), journal)
    for (const name of readdirSync(target))
      if (/^(?:backup|db)\.\d/.test(name) && Number(name.split('.')[1]) <= generation)
        rmSync(join(target, name), { recursive: true, force: true })
    return { ...made, exposure: exposureOf(target) }
  } finally {
    rmSync(snapshot, { recursive: true, force: true })
  }
}

/**
 * Makes the folder of a database, which `copy` copies files into. Leaves nothing where that fails. Throws `no-space`, which names the
 * folder that it is in.
 */
function makeDatabase(folder: string, copy: (fresh: string) => void): void {
  const fresh = `${folder}.${temporaryEnd()}`
  makeFolder(fresh)
  try {
    copy(fresh)
    sync(fresh)
    renameSync(fresh, folder)
  } catch (error) {
    removeAll(fresh)
    throw isNoSpace(error) ? writeError(error, dirname(folder)) : error
  }
}

function removeAll(...paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { recursive: true, force: true })
}

const isThere = (folder: string, name: string, sha256: string): boolean =>
  existsSync(join(folder, name)) && inBackup(() => listed(folder, name)).sha256 === sha256

/** Returns who may enter the folder of a backup. Root may change the permissions of any folder. */
export function exposureOf(target: string, user = process.geteuid?.()): BackupExposure {
  if (!isExposed(target)) return 'private'
  return user === undefined || user === 0 || statSync(target).uid === user ? 'exposed' : 'foreign'
}

/** Throws `cannot-write` where a store is a backup, which only the next backup changes. */
export const checkNotBackup = (dir: string): void => refuseBackup(dir)

/** Returns the problems of a backup. Reads all of it. Throws `not-a-store` where the folder is not a backup. */
export function verifyBackup(target: string): string[] {
  const list = readList(target)
  if (!list)
    throw notBackup(target, 'the folder holds no backup', 'name the folder that a backup was made in')
  const folder = databaseFolder(target, readGeneration(target))
  return list.files.flatMap(({ name, bytes, sha256 }) => {
    try {
      const now = listed(folder, name)
      if (now.bytes !== bytes) return [`${name} has ${now.bytes} bytes, not ${bytes}`]
      return now.sha256 === sha256 ? [] : [`${name} is not what was backed up`]
    } catch (error) {
      if (isMissing(error)) return [`${name} is missing`]
      if (hasCode(error, 'corrupt')) return [`${name}: ${error.detail}`]
      throw error
    }
  })
}

/**
 * Restores a backup as a store in a folder. Throws `exists` where the folder has a store, `corrupt` where the backup is
 * damaged.
 */
export function restore(target: string, dir: string, dryRun = false): BackedUp {
  const [problem] = verifyBackup(target)
  if (problem !== undefined)
    throw new SessError('corrupt', `the backup '${target}': ${problem}`, {
      remedy: { kind: 'use-other-backup' },
    })
  const there = readIdentity(dir)
  // The existing files may be the remains of a store.
  if (there || wasStore(dir) || databasesIn(dir).length > 0 || !mayBecomeStore(dir))
    throw new SessError('exists', dir, {
      remedy: { kind: 'name-empty-folder', hasStore: there !== undefined },
    })
  const folder = databaseFolder(target, readGeneration(target))
  // Copies only verified files: any other file of the folder may be a link.
  const list = readList(target) as BackupList
  const names = list.files.map(({ name }) => name)
  const bytes = names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  const made = { files: names.length, bytes, kept: 0 }
  if (dryRun) return made
  makeFolder(dir)
  removeTemporaryFiles(dir)
  makeDatabase(databaseFolder(dir, 1), (fresh) => {
    for (const name of names) copyFile(join(folder, name), join(fresh, name))
  })
  beginStore(dir, list.store)
  const journal = inBackup(() => readText(join(target, JOURNAL)))
  if (journal !== undefined) replaceFile(join(dir, JOURNAL), journal)
  return made
}

/** Copies a file and syncs the copy. */
function copyFile(from: string, to: string): void {
  // `withFile` refuses links; the copy itself is made by name, by the operating system.
  withFile(from, () => copyFileSync(from, to))
  sync(to)
}
