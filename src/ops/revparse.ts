import { type Oid, short } from '../model/encoding/oid.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve, shortestPrefix } from '../repo/revision.ts'

/** Returns the oid of a revision. Throws as `resolve`. */
export const revParse = (repo: Repo, revision: string): Promise<Oid> =>
  repo.read(async (reader) => (await resolve(reader, revision)).oid)

/** Returns the digits by which an oid is shown: more than usual if another oid begins with them. */
export const shortOid = (repo: Repo, oid: Oid): Promise<string> =>
  repo.read(async (reader) => oid.slice(0, Math.max(short(oid).length, await shortestPrefix(reader, oid))))
