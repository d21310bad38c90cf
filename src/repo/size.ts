import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export { removeAside, setAsideIn } from '../storage/aside.ts'
export { formerCopies } from '../storage/generation.ts'

/** Gives the bytes of all files below a folder. What vanishes meanwhile counts nothing. */
export function bytesBelow(folder: string): number {
  let sum = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) sum += bytesBelow(path)
    else sum += statSync(path, { throwIfNoEntry: false })?.size ?? 0
  }
  return sum
}
