import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { namesIn } from './files.ts'
import { makeUserFolder } from './permissions.ts'
import { isRunning } from './processname.ts'

/**
 * Returns the folder for what a store's folder cannot take: the user's own one in the temporary folder, if there can be
 * one. Removes what killed processes left there, because no holder of a database does.
 */
export function temporaryFolder(): string {
  const uid = process.getuid?.()
  if (uid === undefined) return tmpdir()
  const folder = join(tmpdir(), `sess-${uid}`)
  if (!makeUserFolder(folder, uid)) return tmpdir()
  for (const name of namesIn(folder)) {
    const [, by] = /^sess-(?:snapshot|scratch)\.([^.]+)\./.exec(name) ?? []
    if (by !== undefined && isRunning(by) === false)
      rmSync(join(folder, name), { recursive: true, force: true })
  }
  return folder
}
