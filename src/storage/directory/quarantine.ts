import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from './directory.ts'
import { checkFolder } from './safefile.ts'

/** The folder in a store's folder that damaged files are moved to. */
export const QUARANTINE = 'broken'

/** Makes a new folder in `broken` in a store's folder, for damaged files. */
export function newQuarantine(dir: string, now: number): string {
  const name = new Date(now).toISOString().replaceAll(':', '-')
  if (!checkFolder(join(dir, QUARANTINE))) makeFolder(join(dir, QUARANTINE))
  for (let times = 1; ; times++) {
    const aside = join(dir, QUARANTINE, times === 1 ? name : `${name}-${times}`)
    try {
      mkdirSync(aside, { mode: 0o700 })
      return aside
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
}
