import { statSync } from 'node:fs'
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
  const [user, group] = [idIn(variables.SUDO_UID), idIn(variables.SUDO_GID)]
  if (uid() !== 0 || user === undefined || group === undefined || user === 0) return
  if (ownerOf(store) === user) become(user, group)
}

const idIn = (text = ''): number | undefined => (/^\d{1,10}$/.test(text) ? Number(text) : undefined)

/** Returns the owner of a path, or of the nearest folder above it that is there. */
function ownerOf(path: string): number {
  for (let at = path; ; at = dirname(at)) {
    const stats = statSync(at, { throwIfNoEntry: false })
    if (stats) return stats.uid
  }
}
