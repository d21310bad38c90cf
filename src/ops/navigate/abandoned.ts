import { meeting } from '../../graph/mergebase.ts'
import { ancestor, isAncestor, path } from '../../graph/walk.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Repo } from '../../repo/repo.ts'
import type { Session } from '../../repo/session.ts'
import { freeName } from '../import/branches.ts'
import { type Stretch, stretchOf } from '../summarize.ts'

/** What a move in a tree leaves: the entries of a path behind its common ancestor with another. */
export interface Abandoned {
  /** Where the path that is left ends; undefined where nothing is left. */
  readonly old: EntryHandle | undefined
  /** The newest entry on both paths. */
  readonly base: EntryHandle | undefined
  readonly count: number
}

/** Returns what a move from one entry to another leaves; undefined stands for before the first. Logarithmic in their depth. */
export async function abandonedBy(
  reader: Reader,
  old: EntryHandle | undefined,
  target: EntryHandle | undefined,
): Promise<Abandoned> {
  if (old === undefined) return { old, base: undefined, count: 0 }
  const base = target === undefined ? undefined : await meeting(old, target, (handle) => reader.node(handle))
  const shared = base === undefined ? 0 : (await reader.node(base)).depth + 1
  return { old, base, count: (await reader.node(old)).depth + 1 - shared }
}

/** Returns what is left, the oldest first, to be read as it is gone through. */
export const stretchLeft = (repo: Repo, left: Abandoned): Stretch => ({
  count: left.count,
  async *entries(from = 0) {
    yield* stretchOf(repo, await repo.read((reader) => handlesLeft(reader, left))).entries(from)
  },
})

/** Returns the entries that are left, the oldest first. */
export async function handlesLeft(reader: Reader, { old, count }: Abandoned): Promise<EntryHandle[]> {
  const handles: EntryHandle[] = []
  if (old === undefined || count === 0) return handles
  for await (const handle of path(old, (at) => reader.node(at))) if (handles.push(handle) === count) break
  return handles.reverse()
}

/**
 * Returns the name for what is left, as an import would name it: `at-` and 8 digits of the oid of the first entry that no
 * branch has but `except`; undefined where nothing is left, or a branch names it already.
 */
export async function nameForLeft(
  reader: Reader,
  { branches, labels }: Session,
  left: Abandoned,
  except?: string,
): Promise<string | undefined> {
  const { old } = left
  let { count } = left
  if (old === undefined || count === 0) return undefined
  const others = [...branches].filter(([name]) => name !== except).map(([, oid]) => oid)
  for (const tip of new Set((await reader.findMany(others)).values())) {
    // A merge has more than its path.
    if (await isAncestor(old, tip, (handle) => reader.node(handle))) return undefined
    count = Math.min(count, (await abandonedBy(reader, old, tip)).count)
  }
  const first = (await ancestor(old, count - 1, (handle) => reader.node(handle))) as EntryHandle
  return freeName(await reader.oid(first), (name) => branches.has(name) || labels.has(name))
}
