import { type Identity, STORE_FORMAT } from '../storage/directory/directory.ts'
import type { Env } from './env.ts'

/** Returns an identity for a store that has none. */
export const newIdentity = ({ now, random }: Env): Identity => ({
  format: STORE_FORMAT,
  id: Buffer.from(random(16)).toString('hex'),
  created: new Date(now()).toISOString(),
})
