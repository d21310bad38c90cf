import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from './folder.ts'

/** Makes a folder of its own, in `broken` in a store's folder, for what is set aside. */
export function newAside(dir: string, now: number): string {
  const name = new Date(now).toISOString().replaceAll(':', '-')
  makeFolder(join(dir, 'broken'))
  for (let times = 1; ; times++) {
    const aside = join(dir, 'broken', times === 1 ? name : `${name}-${times}`)
    try {
      mkdirSync(aside, { mode: 0o700 })
      return aside
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
}
