import { SessError } from '../model/errors.ts'
import { makeFolder } from '../storage/directory/files.ts'
import { newHolder } from '../storage/directory/holder.ts'
import {
  beginStore,
  type Identity,
  mayBecomeStore,
  missingIdentityError,
  readIdentity,
  STORE_FORMAT,
  wasStore,
} from '../storage/directory/identity.ts'
import { type Exposure, makePrivate } from '../storage/directory/permissions.ts'
import { openDatabase } from '../storage/leveldb/database.ts'
import { type Env, realEnv } from './env.ts'
import type { OpeningOptions } from './repooptions.ts'
import { makeScratch, scratchStore } from './scratch.ts'

/** Returns an identity for a store that has none. */
export const newIdentity = ({ now, random }: Env): Identity => ({
  format: STORE_FORMAT,
  id: Buffer.from(random(16)).toString('hex'),
  created: new Date(now()).toISOString(),
})

/**
 * Returns the identity of the store in a folder; undefined where one is to be created. Throws as `readIdentity`, and
 * `corrupt` where the identity was lost, `no-store`, and `not-a-store` where no store may be created.
 */
function findIdentity(
  dir: string,
  { create = false }: { readonly create?: boolean | undefined },
): Identity | undefined {
  const identity = readIdentity(dir)
  if (identity) return identity
  if (wasStore(dir)) {
    // Another process may just have created the store.
    const finished = readIdentity(dir)
    if (!finished) throw missingIdentityError(dir)
    return finished
  }
  if (!create) throw new SessError('no-store', dir)
  if (!mayBecomeStore(dir))
    throw new SessError('not-a-store', dir, { detail: 'the folder holds something else' })
  return undefined
}

/** The folder of a store. */
export interface StoreFolder {
  readonly dir: string
  readonly identity: Identity
  /** Whether other users could read the folder before it was opened. */
  readonly exposure: Exposure
  /** The folder that takes all that is written, for a dry run. */
  readonly scratch: string | undefined
  /** Whether the store was created: where several processes create one at once, by one of them. */
  readonly isNew: boolean
}

/** Returns the folder of a store, which is created where there is none and the options ask for it. Throws as `Repo.open`. */
export async function openStoreFolder(folder: string, options: OpeningOptions): Promise<StoreFolder> {
  const { create = false, dryRun = false, env = realEnv() } = options
  const found = findIdentity(folder, { create: create && options.atOperation === undefined })
  const isThere = found !== undefined
  if (!isThere && !dryRun) makeFolder(folder)
  const exposure = isThere || !dryRun ? makePrivate(folder) : 'private'
  const scratch = dryRun ? makeScratch(folder, isThere) : undefined
  if (found) return { dir: folder, identity: found, exposure, scratch, isNew: false }
  const dir = scratch === undefined ? folder : scratchStore(scratch)
  const isNew = await createStore(dir, env, options)
  const identity = readIdentity(dir)
  if (!identity) throw new SessError('no-store', dir)
  return { dir, identity, exposure, scratch, isNew }
}

/**
 * Creates a store in a private folder that is missing, empty, or holds a partly created store. Returns false where
 * another process did meanwhile.
 */
async function createStore(
  dir: string,
  env: Env,
  { command = 'init', lockTimeout = 5000 }: Pick<OpeningOptions, 'command' | 'lockTimeout'>,
): Promise<boolean> {
  makeFolder(dir)
  const holder = newHolder(command, env.now())
  const backend = await openDatabase(dir, { create: true, lockTimeout, holder })
  try {
    // Another process may have finished the store while this one waited.
    if (readIdentity(dir)) return false
    // With operations it is a store whose identity was lost, not a partly created one.
    if (backend.operationLog().latest > 0) throw missingIdentityError(dir)
    await backend.begin().commit()
    beginStore(dir, newIdentity(env))
    return true
  } finally {
    await backend.close()
  }
}
