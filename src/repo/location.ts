import { lstatSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { SessError } from '../model/errors.ts'
import type { Variables } from '../model/variables.ts'
import { checkLocalStore } from '../storage/directory/safefile.ts'
import { readConfig } from './config.ts'
import type { Env } from './env.ts'
import { userFolder } from './environment.ts'

/** The environment variables and the working folder, which determine where the store is. */
export interface ProcessEnvironment {
  readonly variables: Variables
  readonly env: Pick<Env, 'cwd'>
}

/** The folder of a store, and whether it was found in the working folder or above rather than named. */
export interface StoreLocation {
  readonly dir: string
  readonly isFound: boolean
}

/** The name of the folder that `sess init` makes a store in. */
const LOCAL = '.sess'

/**
 * Returns the folder of the store: `--store`, else `$SESS_STORE`, else the nearest `.sess` upward, else
 * `$XDG_DATA_HOME/sess`, else `~/.local/share/sess`. One that was found may be another user's: see `checkTrusted`.
 */
export function findStore(option: string | undefined, world: ProcessEnvironment): StoreLocation {
  const name = named(option, world)
  const found = name === undefined ? nearest(world.env.cwd) : undefined
  return { dir: name ?? found ?? join(userFolder('data', world), 'sess'), isFound: found !== undefined }
}

/** Returns where `sess init` makes a store: the one that was named, else `.sess` in the folder. */
export const initLocation = (option: string | undefined, world: ProcessEnvironment): string =>
  named(option, world) ?? join(world.env.cwd, LOCAL)

function named(option: string | undefined, { variables, env }: ProcessEnvironment): string | undefined {
  const name = option ?? variables.SESS_STORE
  return name ? resolve(env.cwd, name) : undefined
}

function nearest(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (isThere(join(at, LOCAL))) return join(at, LOCAL)
    if (dirname(at) === at) return undefined
  }
}

/** Returns whether a path exists; a broken link does. Returns false in a folder that may not be searched. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** Returns the path of the user's settings. */
export const settingsPath = (world: ProcessEnvironment): string =>
  join(userFolder('config', world), 'sess/config.json')

/** The setting that names the stores of other users that may be used. Only the user's own file counts. */
export const SAFE_DIRECTORY = 'safe.directory'

/** The part of the setting that trusts every store. */
const ALL_STORES = '*'

/** Splits the value of the setting; undefined where a part is no absolute path. */
export function safeDirectories(text: string): readonly string[] | undefined {
  const parts = text.split(delimiter).map((part) => (part === '/' ? part : part.replace(/\/$/, '')))
  return parts.every((part) => part === ALL_STORES || resolve(part) === part) ? parts : undefined
}

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
    remedy: store.includes(delimiter)
      ? { kind: 'name-store' }
      : { kind: 'trust-store', setting: SAFE_DIRECTORY, value: trust },
  })
}

/** Returns the folder of the store as `findStore` does, and throws as `checkTrusted`. */
export function locateStore(option: string | undefined, world: ProcessEnvironment): string {
  const { dir, isFound } = findStore(option, world)
  if (isFound) checkTrusted(dir, world)
  return dir
}
