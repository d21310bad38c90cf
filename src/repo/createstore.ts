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
import { openDatabase } from '../storage/leveldb/database.ts'
import type { Env } from './env.ts'

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
export function findIdentity(
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

/** Creates a store in a private folder that is missing, empty, or holds a partly created store. */
export async function createStore(
  dir: string,
  env: Env,
  { command = 'init', lockTimeout = 5000 }: { readonly command?: string; readonly lockTimeout?: number },
): Promise<void> {
  makeFolder(dir)
  const holder = newHolder(command, env.now())
  const backend = await openDatabase(dir, { create: true, lockTimeout, holder })
  try {
    // Another process may have finished the store while this one waited.
    if (readIdentity(dir)) return
    // With operations it is a store whose identity was lost, not a partly created one.
    if (backend.operationLog().latest > 0) throw missingIdentityError(dir)
    await backend.begin().commit()
    beginStore(dir, newIdentity(env))
  } finally {
    await backend.close()
  }
}
