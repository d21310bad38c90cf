import { copyFileSync, lstatSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode, SessError } from '../model/errors.ts'
import {
  databaseFolder,
  databasesIn,
  MOST_GENERATION,
  newestDatabase,
  readGeneration,
  writeGeneration,
} from '../storage/directory/generation.ts'
import { HOLDER_FILE, readHolder } from '../storage/directory/holder.ts'
import {
  checkFormat,
  type Identity,
  readIdentity,
  refuseBackup,
  writeIdentity,
} from '../storage/directory/identity.ts'
import { makePrivate } from '../storage/directory/permissions.ts'
import { newQuarantine, REPAIR_FILE } from '../storage/directory/quarantine.ts'
import { checkLocalStore, isNotFile, problemAt } from '../storage/directory/safefile.ts'
import { newIdentity } from './createstore.ts'
import type { Env } from './env.ts'
import { beganAlike } from './oplog/sharedhistory.ts'
import type { Repo } from './repo.ts'

/** Small files that may be missing. */
const OPTIONAL = ['refs.journal', 'tables', HOLDER_FILE, REPAIR_FILE] as const

/** A problem of a file of a store. */
export interface FileProblem {
  /** The name of the file in its folder. */
  readonly file: string
  readonly problem: string
}

/** A problem of one of the small files of a store's folder. */
export interface FolderProblem extends FileProblem {
  readonly file: 'sess.json' | 'generation' | (typeof OPTIONAL)[number]
}

/** Returns the problems of the small files of a folder that holds a database. Throws `newer-store`. */
export function folderProblems(dir: string): FolderProblem[] {
  checkLocalStore(dir)
  if (databasesIn(dir).length === 0) return []
  return [
    ...problemsOf('sess.json', () => readIdentity(dir)),
    ...problemsOf('generation', () => checkCurrent(dir)),
    ...OPTIONAL.flatMap((file) => {
      const problem = problemAt(join(dir, file))
      return problem === undefined ? [] : [{ file, problem }]
    }),
  ]
}

/**
 * Returns the number of the current database. Throws `corrupt` where only newer ones exist: LevelDB would make an empty
 * one.
 */
function checkCurrent(dir: string): number {
  const generation = readGeneration(dir)
  if (newestDatabase(dir, generation) === undefined && readGeneration(dir) === generation)
    throw new SessError('corrupt', `'generation' names the database ${generation}, and only newer ones exist`)
  if (generation > MOST_GENERATION)
    throw new SessError('corrupt', `'generation' names the database ${generation}, and few numbers follow it`)
  return generation
}

function problemsOf(file: FolderProblem['file'], read: () => unknown): FolderProblem[] {
  try {
    return read() === undefined ? [{ file, problem: 'it is missing' }] : []
  } catch (error) {
    if (hasCode(error, 'corrupt')) return [{ file, problem: error.message }]
    throw error
  }
}

/** The repair of a store's folder. */
export interface RepairedFolder {
  /** The files that were written again. */
  readonly written: readonly FolderProblem['file'][]
  /** The folder that the broken files were moved to; null where there were none. */
  readonly aside: string | null
}

/**
 * Repairs the small files of a store's folder. The newest database becomes the current one: its name and its number
 * change in one moment. The identity is the one that the last holder of the database recorded; without a record the
 * store gets a new one. Throws `newer-store` where the record is of a newer format, `cannot-write` where the folder is
 * a backup.
 */
export function repairFolder(dir: string, problems: readonly FolderProblem[], env: Env): RepairedFolder {
  refuseBackup(dir)
  if (problems.length === 0) return { written: [], aside: null }
  makePrivate(dir)
  const known = knownIdentity(dir)
  const files = problems.map(({ file }) => file)
  const broken = files.filter((file) => isThere(join(dir, file)))
  const aside = broken.length > 0 ? newQuarantine(dir, env.now()) : null
  if (aside !== null) for (const file of broken) quarantine(join(dir, file), join(aside, file))
  if (files.includes('generation')) writeGeneration(dir, newestNumber(dir))
  if (files.includes('sess.json')) writeIdentity(dir, { ...newIdentity(env), ...known })
  // Opening the store makes the other files.
  return { written: files.filter((file) => file === 'sess.json' || file === 'generation'), aside }
}

/** Returns the number of the newest database, which gets the next of the usual numbers where it has another one. */
function newestNumber(dir: string): number {
  const numbers = databasesIn(dir)
  const newest = numbers.at(-1) ?? 1
  if (newest <= MOST_GENERATION) return newest
  const next = (numbers.findLast((number) => number < MOST_GENERATION) ?? 0) + 1
  renameSync(databaseFolder(dir, newest), databaseFolder(dir, next))
  return next
}

/** Returns whether a path exists; a link to nothing does. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** Saves a broken file: a regular one stays in place until it is replaced. */
function quarantine(path: string, aside: string): void {
  if (isNotFile(path)) renameSync(path, aside)
  else copyFileSync(path, aside)
}

/** Returns the id of a store as the last holder of its database recorded it; undefined without a record. */
export function knownIdentity(dir: string): Pick<Identity, 'id' | 'created'> | undefined {
  const holder = isNotFile(join(dir, HOLDER_FILE)) ? undefined : readHolder(dir)
  const { format, id, created } = holder?.store ?? {}
  if (typeof id !== 'string' || !/^[0-9a-f]{32}$/.test(id) || typeof created !== 'string') return undefined
  if (typeof format === 'number') checkFormat(dir, format)
  return { id, created }
}

/**
 * Writes the identity of another store into a store that is a copy of it, so that backups of that store remain backups
 * of this one.
 */
export async function takeIdentity(
  dir: string,
  other: Repo,
  open: (folder: string) => Promise<Repo>,
): Promise<void> {
  const here = await open(dir)
  let isCopy = false
  try {
    isCopy = await here.read(async (mine) => {
      // Where nothing is left, nothing speaks against it.
      if ((await mine.operationLog()).latest === 0) return true
      return other.read((theirs) => beganAlike(mine, theirs))
    })
  } finally {
    await here.close()
  }
  // Written once the store is closed: opening it writes down the identity that it has then.
  if (isCopy) writeIdentity(dir, other.identity)
}
