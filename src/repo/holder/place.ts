import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'

/** The system takes no longer paths for a socket. */
const LONGEST = 100

/** A socket's path, and how to let go of what makes it short. */
export interface SocketPath {
  readonly path: string
  readonly free: () => void
}

/**
 * Gives the path of a socket in a folder, whose own path may be of any length: a long one is named through an open
 * handle on the folder. Gives undefined where this system knows no such names.
 */
export function socketPath(dir: string, name: string): SocketPath | undefined {
  const path = join(dir, name)
  if (Buffer.byteLength(path) <= LONGEST) return { path, free: () => undefined }
  if (process.platform !== 'linux') return undefined
  const folder = openSync(dir, 'r')
  return { path: `/proc/self/fd/${folder}/${name}`, free: () => closeSync(folder) }
}
