import type { Oid } from '../model/encoding/oid.ts'
import type { Repo } from '../repo/repo.ts'
import { getTrunk } from '../repo/session.ts'

/**
 * Returns by oid the names of the branches of a session, the current one with a star, and of its labels. Of very many
 * branches only some have names: see `SessionTrunk`.
 */
async function branchNames(repo: Repo, session: string | null): Promise<ReadonlyMap<string, string>> {
  if (session === null) return new Map()
  const { someBranches, labels, head } = await repo.read((reader) => getTrunk(reader, session))
  const current = 'branch' in head ? head.branch : undefined
  return joined([
    ...sorted(someBranches).map(([name, oid]) => [oid, name === current ? `*${name}` : name] as const),
    ...sorted(labels).map(([name, oid]) => [oid, `label: ${name}`] as const),
  ])
}

const sorted = (names: ReadonlyMap<string, Oid>): [string, Oid][] =>
  [...names].sort(([a], [b]) => (a < b ? -1 : 1))

function joined(names: Iterable<readonly [oid: Oid, name: string]>): ReadonlyMap<string, string> {
  const all = new Map<string, string>()
  for (const [oid, name] of names) {
    const before = all.get(oid)
    all.set(oid, before === undefined ? name : `${before}, ${name}`)
  }
  return all
}

/** Returns a function that returns the branch names of a session, reading each session once. */
export function namesBySession(repo: Repo): (session: string | null) => Promise<ReadonlyMap<string, string>> {
  const known = new Map<string | null, Promise<ReadonlyMap<string, string>>>()
  return (session) => {
    const names = known.get(session) ?? branchNames(repo, session)
    known.set(session, names)
    return names
  }
}
