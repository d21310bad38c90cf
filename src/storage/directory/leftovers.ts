import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from './files.ts'
import { databaseFolder, readGeneration } from './generation.ts'
import { HOLDER_FILE } from './holder.ts'
import { isRunning } from './processname.ts'

/** The names of what a process keeps in a store's folder for itself, with the name of the process. */
const LEFTOVER =
  /^(?:(?:snapshot|scratch|db\.\d+|generation|sess\.json|refs\.journal|tables)\.(\d+(?:-[0-9a-f]+)?))(?:\.|$)/

/** What lies untouched for so many milliseconds is no longer used by a process that nothing is known of. */
const STALE = 86_400_000

/**
 * Removes what processes left in a store's folder that are no more, to be called by the process that holds the database:
 * copies of it, sockets, and the databases of former generations once nobody can hold them. Of what is left by a process
 * of which nothing can be told from here, as that of another container, nothing is removed that is held or young.
 */
export async function removeLeftovers(
  dir: string,
  isHeld: (folder: string) => Promise<boolean>,
): Promise<void> {
  const current = readGeneration(dir)
  // Who takes the store over makes the database of the new generation from the one before.
  const isMade = existsSync(databaseFolder(dir, current))
  for (const name of readdirSync(dir)) {
    const path = join(dir, name)
    const [, by] = LEFTOVER.exec(name) ?? []
    const former = Number(/^db\.(\d+)$/.exec(name)?.[1] ?? current)
    const isLeft =
      former < current
        ? isMade && !(await isHeld(path))
        : by !== undefined && !(isRunning(by) ?? (isYoung(dir, path) || (await isHeldBelow(path, isHeld))))
    if (isLeft) removeFolder(path)
  }
}

/** Tells whether something was written lately, by the clock that gives files their times. */
function isYoung(dir: string, path: string): boolean {
  const now = statSync(join(dir, HOLDER_FILE), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const times = [path, ...below(path)].map((at) => statSync(at, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return now - Math.max(...times) < STALE
}

/** Tells whether a process holds a database in a folder, or in one right below it. */
async function isHeldBelow(path: string, isHeld: (folder: string) => Promise<boolean>): Promise<boolean> {
  const folders = [path, ...below(path)].filter((at) =>
    statSync(at, { throwIfNoEntry: false })?.isDirectory(),
  )
  for (const folder of folders) if (await isHeld(folder)) return true
  return false
}

/** Gives what lies in a folder; nothing where it is none, or no more. */
const below = (path: string): string[] => namesIn(path).map((name) => join(path, name))

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    // Another process looks at it, or removes it too: what is left of it the next one removes.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error
  }
}
