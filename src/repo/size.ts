import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../storage/folder.ts'

export { removeAside, setAsideIn } from '../storage/aside.ts'
export { formerCopies } from '../storage/generation.ts'

/** Gives the bytes of all files below a folder. What vanishes meanwhile counts nothing. */
export function bytesBelow(folder: string): number {
  let sum = 0
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats) sum += stats.isDirectory() ? bytesBelow(path) : stats.size
  }
  return sum
}
