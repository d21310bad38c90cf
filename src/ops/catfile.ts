import { SessError } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import type { Backend } from '../repo/backend.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { nativeLine } from './native.ts'
import { verifiedBody } from './show.ts'

/** Gives the entry that a revision names as sess's own format writes it: oid, parents, type, body, links. */
export const catFile = (repo: Repo, revision: string): Promise<JsonObject> =>
  repo.read((backend) => fileOf(backend, revision, repo.env.cwd))

/** Gives the same of each of some revisions; of one that names nothing `missing`, of several things `ambiguous`. */
export const catFiles = (repo: Repo, revisions: readonly string[]): Promise<JsonObject[]> =>
  repo.read(async (backend) => {
    const files: JsonObject[] = []
    for (const revision of revisions) files.push(await fileOrWhy(backend, revision, repo.env.cwd))
    return files
  })

async function fileOf(backend: Backend, revision: string, cwd: string): Promise<JsonObject> {
  const { row } = await resolve(backend, revision, cwd)
  await verifiedBody(backend, row)
  return nativeLine(backend, row)
}

async function fileOrWhy(backend: Backend, revision: string, cwd: string): Promise<JsonObject> {
  try {
    return await fileOf(backend, revision, cwd)
  } catch (error) {
    if (!(error instanceof SessError) || error.kind !== 'user') throw error
    return error.code === 'ambiguous-revision' ? { ambiguous: revision } : { missing: revision }
  }
}
