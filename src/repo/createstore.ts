import { makeFolder } from '../storage/directory/files.ts'
import { newHolder } from '../storage/directory/holder.ts'
import {
  beginStore,
  type Identity,
  missingIdentityError,
  readIdentity,
  STORE_FORMAT,
} from '../storage/directory/identity.ts'
import { openDatabase } from '../storage/leveldb/database.ts'
import type { Env } from './env.ts'

/** Returns an identity for a store that has none. */
export const newIdentity = ({ now, random }: Env): Identity => ({
  format: STORE_FORMAT,
  id: Buffer.from(random(16)).toString('hex'),
  created: new Date(now()).toISOString(),
})

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
