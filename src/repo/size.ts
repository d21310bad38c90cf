import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../storage/directory/files.ts'

/** Returns the bytes of all files below a folder. A file that is removed meanwhile counts nothing. */
export function bytesBelow(folder: string): number {
  let sum = 0
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats) sum += stats.isDirectory() ? bytesBelow(path) : stats.size
  }
  return sum
}
