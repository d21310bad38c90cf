import { listBranches } from '../../ops/branch.ts'
import type { Repo } from '../../repo/repo.ts'

/** Gives by oid the names of a session's branches, the current one with a star. */
export async function branchNames(repo: Repo, session: string | null): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  if (session === null) return names
  for (const { name, oid, current } of await listBranches(repo, session)) {
    const before = names.get(oid)
    const own = current ? `*${name}` : name
    names.set(oid, before === undefined ? own : `${before}, ${own}`)
  }
  return names
}
