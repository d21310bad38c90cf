import { entryLine } from '../formats/sess/write.ts'
import { ahead, pieces } from '../model/ahead.ts'
import { mapLinks } from '../model/entry.ts'
import { SessError } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import { isOid, type Oid } from '../model/oid.ts'
import type { Backend, Row } from '../repo/backend.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { verifiedBody } from './show.ts'

/** Gives the entry that a revision names as sess's own format writes it: oid, parents, type, body, links. */
export const catFile = (repo: Repo, revision: string): Promise<JsonObject> =>
  repo.read(async (backend) => fileOf(backend, (await resolve(backend, revision, repo.env.cwd)).row))

/** So many bodies are fetched at a time. */
const TOGETHER = 64

/** Gives the same of each of some revisions; of one that names nothing `missing`, of several things `ambiguous`. */
export const catFiles = (repo: Repo, revisions: readonly string[]): Promise<JsonObject[]> =>
  repo.read(async (backend) => {
    const files: JsonObject[] = []
    const rows: (readonly [Row, at: number])[] = []
    const whole = await backend.findAll(revisions.filter(isOid))
    for (const [at, revision] of revisions.entries()) {
      const found = whole.get(revision as Oid) ?? (await rowOrWhy(backend, revision, repo.env.cwd))
      if (typeof found === 'number') rows.push([found, at])
      else files[at] = found
    }
    // In the order in which the store keeps them, so that each block of bodies is unpacked once.
    rows.sort(([a], [b]) => a - b)
    const fetched = ahead(pieces(rows, TOGETHER), async (some) => {
      await backend.fetch(some.map(([row]) => row))
      return some
    })
    for await (const some of fetched) for (const [row, at] of some) files[at] = await fileOf(backend, row)
    return files
  })

async function fileOf(backend: Backend, row: Row): Promise<JsonObject> {
  const { parents, type, links } = await backend.node(row)
  const above: Oid[] = []
  for (const parent of parents) above.push(await backend.oid(parent))
  const named = await mapLinks(links, (link) => backend.oid(link))
  const body = await verifiedBody(backend, row)
  return entryLine({ oid: await backend.oid(row), parents: above, type, links: named, body })
}

async function rowOrWhy(backend: Backend, revision: string, cwd: string): Promise<Row | JsonObject> {
  try {
    return (await resolve(backend, revision, cwd)).row
  } catch (error) {
    if (!(error instanceof SessError) || error.kind !== 'user') throw error
    return error.code === 'ambiguous-revision' ? { ambiguous: revision } : { missing: revision }
  }
}
