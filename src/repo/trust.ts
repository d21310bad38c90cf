import { lstatSync } from 'node:fs'
import { delimiter } from 'node:path'
import { SessError } from '../model/errors.ts'
import { checkLocalStore } from '../storage/directory/safefile.ts'
import { readConfig } from './config.ts'
import {
  ALL_STORES,
  findStore,
  type ProcessEnvironment,
  SAFE_DIRECTORY,
  safeDirectories,
  settingsPath,
} from './location.ts'

/** The user of this process and the owners of files; passed in by tests. */
export interface Ownership {
  /** The effective user id of this process, undefined on a system that has none. */
  readonly uid: number | undefined
  /** Returns the user id of the owner of a path, without following a link. */
  readonly ownerOf: (path: string) => number
}

const OF_SYSTEM: Ownership = { uid: process.geteuid?.(), ownerOf: (path) => lstatSync(path).uid }

/**
 * Throws `not-owned` where a store that was found, not named, belongs to another user: that user could read what is
 * written there, and choose what is read. Under sudo root may use the stores of the user who typed it; the user's own
 * settings may trust others. Throws `corrupt` where the store is a link.
 */
export function checkTrusted(store: string, world: ProcessEnvironment, { uid, ownerOf } = OF_SYSTEM): void {
  checkLocalStore(store)
  const owner = uid === undefined ? undefined : ownerOf(store)
  const { SUDO_UID: typist = '' } = world.variables
  if (owner === uid || (uid === 0 && /^\d+$/.test(typist) && owner === Number(typist))) return
  const value = readConfig(settingsPath(world), { links: true })[SAFE_DIRECTORY]
  const safe = (typeof value === 'string' && safeDirectories(value)) || []
  if (safe.includes(ALL_STORES) || safe.includes(store)) return
  const trust = [...safe, store].join(delimiter)
  throw new SessError('not-owned', store, {
    detail: 'it was found, not named',
    hint: store.includes(delimiter)
      ? `${NAME_IT}; nothing was read or written`
      : `to trust it type 'sess config ${SAFE_DIRECTORY} ${trust}', or ${NAME_IT}; nothing was read or written`,
  })
}

const NAME_IT = 'name it with --store or $SESS_STORE'

/** Returns the folder of the store as `findStore` does, and throws as `checkTrusted`. */
export function locateStore(option: string | undefined, world: ProcessEnvironment): string {
  const { dir, isFound } = findStore(option, world)
  if (isFound) checkTrusted(dir, world)
  return dir
}
