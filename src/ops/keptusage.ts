import { encode } from '../model/encoding/canonical.ts'
import { sha256Oid } from '../model/encoding/sha256.ts'
import { hasCode } from '../model/errors.ts'
import type { Spending } from '../model/spending.ts'
import { decodeCounts, encodeCounts, type FamilyCount, type FamilyCounts } from '../repo/keptcounts.ts'
import type { ListedSpending } from '../repo/listedspending.ts'
import type { Repo } from '../repo/repo.ts'
import { getTrunk } from '../repo/session.ts'

/** A session with its usage as the heads of its logs keep it. */
export interface SpendingSession {
  readonly id: string
  readonly created: number | null
  readonly spending: ListedSpending
}

/** The usage of sessions. */
export interface UsageOfSessions {
  /** By session: the usage that no session before it counts. */
  readonly spent: ReadonlyMap<string, Pick<Spending, 'models' | 'rows'>>
  /** Returns the sessions before one that have entries of it with usage. */
  readonly sharing: (session: string) => readonly string[]
}

/** Returns sessions in the order in which they count what they share: the oldest first. */
export const inOrderOfCounting = <S extends SpendingSession>(sessions: readonly S[]): S[] =>
  [...sessions].sort((a, b) => (a.created ?? 0) - (b.created ?? 0) || (a.id < b.id ? -1 : 1))

/**
 * Returns what sessions took, which are given in the order of counting. That of a session which shares none is kept with
 * its logs; that of the others is counted from their records, and kept until one of them changes.
 */
export async function usageOfSessions(
  repo: Repo,
  sessions: readonly SpendingSession[],
): Promise<UsageOfSessions> {
  const { families, bases } = familiesOf(sessions)
  const counted: FamilyCounts = families.length === 0 ? new Map() : await countsOf(repo, families)
  const spent = new Map<string, Pick<Spending, 'models' | 'rows'>>()
  for (const { id, spending } of sessions) spent.set(id, spending)
  const sharing = new Map<string, readonly string[]>(bases)
  for (const count of counted.values()) {
    for (const [id, one] of Object.entries(count.spent)) spent.set(id, one)
    for (const [id, others] of Object.entries(count.sharing))
      sharing.set(id, [...(sharing.get(id) ?? []), ...others])
  }
  return { spent, sharing: (id) => sharing.get(id) ?? [] }
}

type Family = readonly SpendingSession[]

/** Disjoint sets of sessions, by their index. */
class Groups {
  readonly #parents: number[]
  /** Members of all sets of more than one. */
  readonly #joined = new Set<number>()

  constructor(count: number) {
    this.#parents = Array.from({ length: count }, (_, i) => i)
  }

  find(of: number): number {
    let root = of
    while (this.#parents[root] !== root) root = this.#parents[root] as number
    this.#parents[of] = root
    return root
  }

  join(one: number, other: number): void {
    const [root, joined] = [this.find(other), this.find(one)]
    if (root === joined) return
    this.#parents[joined] = root
    this.#joined.add(joined).add(root)
  }

  /** Returns the sets of more than one member, and those of some members, by their first members. */
  joinedWith(others: ReadonlySet<number>): number[][] {
    const roots = new Set([...this.#joined, ...others].map((of) => this.find(of)))
    const members = new Map<number, number[]>()
    if (roots.size === 0) return []
    for (let i = 0; i < this.#parents.length; i++) {
      const root = this.find(i)
      if (!roots.has(root)) continue
      const known = members.get(root)
      if (known) known.push(i)
      else members.set(root, [i])
    }
    return [...members.values()]
  }
}

/** The logs of sessions that others share, by the sessions that own them. */
type LogOwners = ReadonlyMap<string, readonly (readonly [index: number, count: number])[]>

/** Returns the owners of the logs that sessions share with others. */
function ownersOfShared(sessions: readonly SpendingSession[]): LogOwners {
  const owners = new Map<string, [index: number, count: number][]>()
  for (const { spending } of sessions) for (const [log] of spending.base) owners.set(log, [])
  if (owners.size > 0)
    for (const [i, { spending }] of sessions.entries())
      for (const [log, count] of spending.logs) owners.get(log)?.push([i, count])
  return owners
}

/** Joins a session with that which has a key already, or else notes the key. Returns whether there was one. */
function joinByKey(groups: Groups, known: Map<string, number>, key: string, index: number): boolean {
  const other = known.get(key)
  if (other === undefined) known.set(key, index)
  else groups.join(index, other)
  return other !== undefined
}

/**
 * Returns the families whose usage is to be counted together, and by fork the sessions whose logs it shares and which
 * count all that it shares. Most of ten thousand sessions share nothing, so nothing is made for these.
 */
function familiesOf(sessions: readonly SpendingSession[]): {
  readonly families: readonly Family[]
  readonly bases: ReadonlyMap<string, readonly string[]>
} {
  const groups = new Groups(sessions.length)
  const isUnsure = new Set<number>()
  const byOpening = new Map<string, number>()
  const byNative = new Map<string, number>()
  const owners = ownersOfShared(sessions)
  const bases = new Map<string, readonly string[]>()
  for (let i = 0; i < sessions.length; i++) {
    const { id, spending } = sessions[i] as SpendingSession
    for (const opening of spending.openings) joinByKey(groups, byOpening, opening, i)
    // Parts of one file may have the same calls in other entries.
    if (joinByKey(groups, byNative, spending.native, i) || spending.isUnsure) isUnsure.add(i)
    if (spending.base.length === 0) continue
    const covering = coveringOf(sessions, owners, i)
    if (covering) bases.set(id, covering)
    else {
      isUnsure.add(i)
      for (const [log] of spending.base) for (const [at] of owners.get(log) ?? []) groups.join(i, at)
    }
  }
  const isShared = (all: readonly number[]): boolean =>
    all.some((i) => isUnsure.has(i)) || (all.length > 1 && all.some((i) => sessions[i]?.spending.joined))
  const families = groups.joinedWith(isUnsure).filter(isShared)
  return { families: families.map((all) => all.flatMap((i) => sessions[i] ?? [])), bases }
}

/** Returns the sessions that count all that a fork shares; undefined where one of its logs is not counted so. */
function coveringOf(
  sessions: readonly SpendingSession[],
  owners: LogOwners,
  index: number,
): readonly string[] | undefined {
  const ids = new Set<string>()
  for (const [log, count] of sessions[index]?.spending.base ?? []) {
    const covers = ([at, length]: readonly [number, number]): boolean =>
      at < index && length >= count && !sessions[at]?.spending.isUnsure
    const [at] = owners.get(log)?.find(covers) ?? []
    if (at === undefined) return undefined
    ids.add(sessions[at]?.id ?? '')
  }
  return [...ids]
}

/** Returns what identifies a family and all that its counts follow from. */
const keyOf = (family: Family): string =>
  sha256Oid(
    encode(
      family.map(({ id, created, spending: { logs, base, isUnsure } }) => [
        id,
        created,
        logs,
        base,
        isUnsure,
      ]),
    ),
  ).slice(0, 32)

/** Returns the counts of families, by their keys: those that are kept, and the others from the records. */
async function countsOf(repo: Repo, families: readonly Family[]): Promise<FamilyCounts> {
  const kept = await repo.read(async (reader) => {
    const bytes = await reader.cache.counts()
    return bytes ? decodeCounts(bytes) : new Map<string, FamilyCount>()
  })
  const counts = new Map<string, FamilyCount>()
  let isNew = false
  for (const family of families) {
    const key = keyOf(family)
    const known = kept.get(key)
    isNew ||= known === undefined
    counts.set(key, known ?? (await countFamily(repo, family)))
  }
  if (isNew) await keepCounts(repo, counts)
  return counts
}

const countFamily = (repo: Repo, family: Family): Promise<FamilyCount> =>
  repo.read(async (reader) => {
    // It loads all formats, which sums that are kept do not need.
    const { RecordUsage } = await import('./recordusage.ts')
    const usage = new RecordUsage(reader, { onRecord: () => repo.checkStop() })
    const spent: { [session: string]: Pick<Spending, 'models' | 'rows'> } = {}
    for (const { id } of family) spent[id] = await usage.count(await getTrunk(reader, id))
    const sharing = Object.fromEntries([...usage.sharing].map(([id, others]) => [id, [...others]]))
    return { spent, sharing }
  })

/** Keeps counts for the next command, where this one may write. */
async function keepCounts(repo: Repo, counts: FamilyCounts): Promise<void> {
  if (repo.isDry || repo.atOperation !== undefined) return
  try {
    await repo.write({ plain: true }, ({ keepCounts: keep }) => keep(encodeCounts(counts)))
  } catch (error) {
    // A process that cannot write now counts again. That the disk fails is reported all the same.
    const isUnwritable = hasCode(error, 'busy', 'fenced', 'no-space', 'cannot-write')
    if (!isUnwritable || error.remedy?.kind === 'check-disk') throw error
  }
}
