import { type Oid, short } from '../model/oid.ts'
import type { Backend } from '../repo/backend.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'

/** Gives the full oid that a revision names. Throws as `resolve`. */
export const revParse = (repo: Repo, revision: string): Promise<Oid> =>
  repo.read(async (backend) => (await resolve(backend, revision, repo.env.cwd)).oid)

/** Gives the digits by which an oid is shown, more of them where the store has another that begins like it. */
export const shortOid = (repo: Repo, oid: Oid): Promise<string> =>
  repo.read((backend) => unique(backend, oid))

async function unique(backend: Backend, oid: Oid): Promise<string> {
  let prefix: string = short(oid)
  while ((await backend.findPrefix(prefix, 2)).length > 1) prefix = oid.slice(0, prefix.length + 1)
  return prefix
}
