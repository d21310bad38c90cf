import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SessError } from '../../src/model/errors.ts'
import { newFolder } from './folder.ts'

/** The codes of errors by which damage may be reported. Any other error is a defect. */
export function damaged(error: unknown): void {
  if (error instanceof RangeError || (error instanceof SessError && error.kind !== 'bug')) return
  throw error
}

/** Reads bytes as the file that they are, in a folder of its own. */
export function fromFile<T>(name: string, bytes: Uint8Array, read: (path: string, dir: string) => T): T {
  const dir = newFolder()
  const path = join(dir, name)
  writeFileSync(path, bytes)
  return read(path, dir)
}
