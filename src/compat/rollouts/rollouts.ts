import { type FileSessions, fileSessions } from './files.ts'
import { type FolderSessions, folderSessions } from './folders.ts'
import { placeOf, type RolloutsOptions } from './place.ts'

/** The functions of rollouts: those over files, and over folders in `sessions`. */
export interface Rollouts extends FileSessions {
  readonly sessions: FolderSessions
  /** Resolves once the store holds what was written before; throws why it does not. */
  readonly settled: () => Promise<void>
  /** Has the store take what it does not hold yet, and lets it go. */
  readonly close: () => Promise<void>
}

/** Gives the functions of rollouts for a folder of sessions, and a store that follows it. */
export function rollouts(options: RolloutsOptions = {}): Rollouts {
  const place = placeOf(options)
  const { settled, close } = place
  return { ...fileSessions(place), sessions: folderSessions(place), settled, close }
}
