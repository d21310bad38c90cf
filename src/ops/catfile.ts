import { entryLine } from '../formats/sess/write.ts'
import { mapLinks } from '../model/entry.ts'
import { SessError } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import type { Backend, Row } from '../repo/backend.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { verifiedBody } from './show.ts'

/** Gives the entry that a revision names as sess's own format writes it: oid, parents, type, body, links. */
export const catFile = (repo: Repo, revision: string): Promise<JsonObject> =>
  repo.read(async (backend) => fileOf(backend, (await resolve(backend, revision, repo.env.cwd)).row))

/** Gives the same of each of some revisions; of one that names nothing `missing`, of several things `ambiguous`. */
export const catFiles = (repo: Repo, revisions: readonly string[]): Promise<JsonObject[]> =>
  repo.read(async (backend) => {
    const files: JsonObject[] = []
    const rows: (readonly [Row, at: number])[] = []
    for (const [at, revision] of revisions.entries()) {
      const found = await rowOrWhy(backend, revision, repo.env.cwd)
      if (typeof found === 'number') rows.push([found, at])
      else files[at] = found
    }
    // In the order in which the store keeps them, so that each block of bodies is unpacked once.
    rows.sort(([a], [b]) => a - b)
    for (const [row, at] of rows) files[at] = await fileOf(backend, row)
    return files
  })

async function fileOf(backend: Backend, row: Row): Promise<JsonObject> {
  const { parents, type, links } = await backend.node(row)
  const oid = await backend.oid(row)
  const above = await Promise.all(parents.map(async (parent) => backend.oid(parent)))
  const named = await mapLinks(links, (link) => backend.oid(link))
  return entryLine({ oid, parents: above, type, links: named, body: await verifiedBody(backend, row) })
}

async function rowOrWhy(backend: Backend, revision: string, cwd: string): Promise<Row | JsonObject> {
  try {
    return (await resolve(backend, revision, cwd)).row
  } catch (error) {
    if (!(error instanceof SessError) || error.kind !== 'user') throw error
    return error.code === 'ambiguous-revision' ? { ambiguous: revision } : { missing: revision }
  }
}
