import { closeSync, openSync } from 'node:fs'
import { networkFileSystem } from '../../storage/folder/network.ts'
import { newSocketPath } from './socket.ts'

/**
 * Returns the name of the network file system that a store is on, for a warning: once for each store until the user's
 * runtime folder is emptied, as it is when the machine starts.
 */
export function networkToWarnOf(dir: string, store: string): string | undefined {
  const network = networkFileSystem(dir)
  return network !== undefined && isFirst(`network.${store}`) ? network : undefined
}

/** Records a name in the runtime folder. Returns false where it was recorded before. */
function isFirst(name: string): boolean {
  try {
    const path = newSocketPath(name)
    if (path !== undefined) closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST'
  }
}
