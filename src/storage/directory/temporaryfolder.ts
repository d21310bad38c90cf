import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { namesIn } from './files.ts'
import { makeUserFolder } from './permissions.ts'
import { isRunning } from './processname.ts'

/**
 * Returns the folder for temporary files that cannot be put into a store's folder: the user's own one in the temporary
 * folder, if there can be one. Removes what killed processes left there: nobody else would.
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
