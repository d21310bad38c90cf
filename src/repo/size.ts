import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../storage/folder/folder.ts'

export { formerCopies } from '../storage/folder/generation.ts'
export { quarantinesIn, removeQuarantines } from '../storage/repair/quarantine.ts'

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
