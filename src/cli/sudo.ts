import { type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Platform } from './platform.ts'

/**
 * Under sudo, has this process act from then on as the user who typed the command, where the store is that user's or would be
 * made in a folder of that user. Files that root makes in a store lock its owner out, and root should not write where another
 * user can exchange what lies there.
 */
export function actAsOwner(
  store: string,
  { variables, uid, become }: Pick<Platform, 'variables' | 'uid' | 'become'>,
): void {
  const typist = variables.SUDO_UID ?? ''
  if (uid() !== 0 || !/^[1-9]\d{0,9}$/.test(typist)) return
  const owner = nearest(store)
  if (owner?.uid === Number(typist)) become(owner.uid, owner.gid)
}

/** Returns the stats of a path, or of the nearest folder above it that is there; undefined where it can be no path. */
function nearest(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? nearest(dirname(path))
  } catch {
    return undefined // opening the store reports the error
  }
}
