import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { writeError } from '../model/writeerror.ts'

/** A file that lines are appended to. */
export interface LineFile {
  add(line: string): void
  close(): void
}

/** Opens a file to append lines to, private to the user where it is new. Throws `cannot-write`, also for a link. */
export function openLineFile(path: string): LineFile {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants
  let file: number
  try {
    file = openSync(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600)
  } catch (error) {
    throw writeError(path, error)
  }
  return { add: (line) => void writeSync(file, `${line}\n`), close: () => closeSync(file) }
}
