import { closeSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { folderIn } from '../../model/variables.ts'
import { networkFileSystem } from '../../storage/directory/networkfilesystem.ts'
import { isUserFolder, makeUserFolder } from '../../storage/directory/permissions.ts'
import { isRunning } from '../../storage/directory/processname.ts'
import { processVariables } from '../environment.ts'

/** Paths of sockets are cut at 104 bytes on some systems, at 108 on others. */
const LONGEST = 103

/**
 * Names a store and its folder for the first messages of the protocol: a copy of the folder has the same id, and its
 * `holder.json` names a process that holds the original.
 */
export function storeName(id: string, dir: string): string {
  const { dev, ino } = statSync(dir)
  return `${id} ${dev}:${ino}`
}

/**
 * Returns the folders in which sockets may be, the preferred one first. Processes of one user need not agree on the
 * environment: a job of cron has no `XDG_RUNTIME_DIR`, and some agents give their commands a `TMPDIR` of their own. So
 * the folder that it names comes last: a holder that listens where others do not look is taken for one that is stuck.
 */
function candidates(uid: number): string[] {
  const runtime = [folderIn(processVariables(), 'XDG_RUNTIME_DIR') ?? '', `/run/user/${uid}`]
  const temporary = ['/tmp', tmpdir()]
  const folders = [
    ...runtime.filter((folder) => folder !== '').map((folder) => join(folder, 'sess')),
    ...temporary.map((folder) => join(folder, `sess-${uid}`)),
  ]
  return [...new Set(folders)]
}

const fits = (path: string): boolean => Buffer.byteLength(path) <= LONGEST

/**
 * Returns a path for a new socket in the user's runtime folder, which is made where it is missing, and removes the
 * sockets of processes that are gone. Returns undefined where there is no such folder.
 */
export function newSocketPath(name: string): string | undefined {
  const uid = process.getuid?.()
  if (uid === undefined) return undefined
  const folder = candidates(uid).find(
    (candidate) => fits(join(candidate, name)) && makeUserFolder(candidate, uid),
  )
  if (folder === undefined) return undefined
  for (const left of readdirSync(folder)) {
    const [, by = ''] = left.split('.')
    if (left.endsWith('.sock') && isRunning(by) === false) rmSync(join(folder, left), { force: true })
  }
  return join(folder, name)
}

/** Returns the paths that a socket may have. The name comes from a file that anybody may have written. */
export function socketPaths(name: string): string[] {
  const uid = process.getuid?.()
  if (uid === undefined || name === '' || basename(name) !== name) return []
  return candidates(uid)
    .filter((folder) => isUserFolder(folder, uid))
    .map((folder) => join(folder, name))
    .filter(fits)
}

/**
 * Returns the name of the network file system that a store is on, for a warning: once for each store until the user's
 * runtime folder is emptied, as it is when the machine starts.
 */
export function networkToWarnOf(dir: string, store: string): string | undefined {
  const network = networkFileSystem(dir)
  return network !== undefined && isFirst(`network.${store}`) ? network : undefined
}

/** Records a name in the runtime folder. Returns false where it was recorded before. */
function isFirst(name: string): boolean {
  try {
    const path = newSocketPath(name)
    if (path !== undefined) closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST'
  }
}
