import { existsSync, lstatSync, readdirSync, rmSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { removeUnknownClaims } from '../leveldb/locks.ts'
import { namesIn } from './files.ts'
import { databaseFolder, generationOf, readGeneration } from './generation.ts'
import { HOLDER_FILE } from './holder.ts'
import { isRunning, processName } from './processname.ts'

/** The names of a process's own files and folders in a store's folder, with the name of the process. */
const LEFTOVER =
  /^(?:(?:snapshot|scratch|db\.\d+|backup\.\d+\.json|generation|sess\.json|refs\.journal|repair\.json|tables)\.(\d+(?:-[0-9a-f]+)?))(?:\.|$)/

/** Milliseconds without a change after which the files of an unknown process count as unused. */
const STALE = 86_400_000

/**
 * Removes the files of ended processes in a store's folder: copies of the database, and the databases of former
 * generations once nobody holds them. To be called by the holder of the database. Files of a process in another
 * container, or before the machine was started, are removed only when they are not in use and old.
 */
export async function removeLeftovers(
  dir: string,
  isHeld: (folder: string) => Promise<boolean>,
): Promise<void> {
  const current = readGeneration(dir)
  // After a takeover the database of the new generation is copied from the former one.
  const isMade = existsSync(databaseFolder(dir, current))
  for (const name of readdirSync(dir)) {
    const path = join(dir, name)
    const [, by] = LEFTOVER.exec(name) ?? []
    const former = generationOf(name) ?? current
    // Its holder, if there is one, is fenced, and has its lock where locks do something.
    if (former < current && isFolder(path) && !isYoung(dir, path)) removeUnknownClaims(path)
    const isLeft =
      former < current
        ? isMade && !(await isHeld(path))
        : by !== undefined && !(isRunning(by) ?? (isYoung(dir, path) || (await isHeldBelow(path, isHeld))))
    if (isLeft) removeFolder(path)
  }
}

/**
 * Removes the files that processes left in the folder of a backup, or in one that becomes a store. Files of a process
 * that is not known to run are removed too: it reports that its files are gone, and what was published stays.
 */
export function removeTemporaryFiles(folder: string): void {
  for (const name of namesIn(folder)) {
    const [, by] = LEFTOVER.exec(name) ?? []
    if (by !== undefined && isRunning(by) !== true) removeFolder(join(folder, name))
  }
}

/** The name of the database of a next generation, with that of the process that makes it. */
const MADE = /^db\.\d+\.(\d+(?:-[0-9a-f]+)?)\./

/** Milliseconds after the last change in which a running process may be about to open or publish its new database. */
const OPENING = 60_000

/**
 * Returns whether another process makes the next generation of a store's database. That a process of the same number
 * runs is not enough, as the one that made the folder may have been killed: it must hold the database, or have changed
 * it lately by the clock `now`. A process holds it except right before and after that, when opening it would disturb.
 */
export async function isBeingRewritten(
  dir: string,
  isHeld: (folder: string) => Promise<boolean>,
  now: number,
): Promise<boolean> {
  for (const name of readdirSync(dir)) {
    const [, by] = MADE.exec(name) ?? []
    if (by === undefined || by === processName()) continue
    const path = join(dir, name)
    const running = isRunning(by)
    // It may have been published or removed meanwhile: opening it would make the folder again.
    if (running === false || !isFolder(path)) continue
    if ((running && Math.abs(now - changedAt(path)) < OPENING) || (await isHeld(path))) return true
  }
  return false
}

/** Returns when a folder or something right below it changed last, in milliseconds since 1970. */
const changedAt = (path: string): number =>
  Math.max(...[path, ...below(path)].map((at) => statsOf(at)?.mtimeMs ?? 0))

/** Returns whether a file or folder changed lately, by the clock of the file system. */
function isYoung(dir: string, path: string): boolean {
  const now = statsOf(join(dir, HOLDER_FILE))?.mtimeMs ?? 0
  return now - changedAt(path) < STALE
}

/** Returns whether a process holds a database in a folder, or in one right below it. */
async function isHeldBelow(path: string, isHeld: (folder: string) => Promise<boolean>): Promise<boolean> {
  for (const folder of [path, ...below(path)].filter(isFolder)) if (await isHeld(folder)) return true
  return false
}

/** Follows no link: a store may come from somebody else, and LevelDB writes to each folder that it looks into. */
const statsOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })

const isFolder = (path: string): boolean => statsOf(path)?.isDirectory() ?? false

/** Returns the paths in a folder; none where there is no folder. */
const below = (path: string): string[] =>
  isFolder(path) ? namesIn(path).map((name) => join(path, name)) : []

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    // Another process reads or removes it too. The next call removes the rest.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error
  }
}
