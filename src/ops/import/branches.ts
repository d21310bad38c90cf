import { ancestor } from '../../graph/walk.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import type { EntryHandle } from '../../model/node.ts'
import { numberedName } from '../../model/numberedbranch.ts'
import type { Reader } from '../../repo/reader.ts'
import { MAIN } from '../../repo/session.ts'

/** The leaves of a source, the one that its agent would resume, and their names in the source. */
interface Leaves {
  readonly sourceEntries: { readonly leaves: ReadonlySet<EntryHandle>; readonly hasSuperseded: boolean }
  readonly active: EntryHandle | undefined
  readonly branches: ReadonlyMap<string, EntryHandle>
}

/**
 * Names the leaves of an imported source: `main` is the agent's active leaf, where there is one, every other leaf has
 * the name that the source gives it, else `at-<8 hex digits of the entry after the fork point>`. A branch that the
 * source names exists even if it ends on the path of another. A leaf that continues a named branch keeps the name: a
 * name never changes once assigned; with nested forks it depends on the order of imports. Takes time in the number of
 * leaves where each has its name already, else in the number of entries that the branches do not share with `main`.
 */
export async function branchesOf(
  reader: Reader,
  source: Leaves,
  before: { readonly [name: string]: Oid },
): Promise<{ [name: string]: Oid }> {
  const same = await sameBranches(reader, source, before)
  if (same) return same
  const {
    sourceEntries: { leaves },
    active,
    branches: sourceNames,
  } = source
  const branches: { [name: string]: Oid } = active === undefined ? {} : { [MAIN]: await reader.oid(active) }
  const look = (handle: EntryHandle) => reader.node(handle)
  const depth = active === undefined ? -1 : (await look(active)).depth
  const isMain = async (handle: EntryHandle): Promise<boolean> => {
    const steps = depth - (await look(handle)).depth
    return active !== undefined && steps >= 0 && (await ancestor(active, steps, look)) === handle
  }
  /** Returns the entries from a leaf up to the first that is on `main` or was returned before, and remembers them. */
  async function* newOnPath(leaf: EntryHandle, known: Set<EntryHandle>): AsyncGenerator<EntryHandle> {
    for (let handle: EntryHandle | undefined = leaf; handle !== undefined && !known.has(handle); ) {
      if (await isMain(handle)) return
      known.add(handle)
      yield handle
      handle = (await look(handle)).parents[0]
    }
  }
  const named = new Set<EntryHandle>()
  const name = async (leaf: EntryHandle, called?: string): Promise<void> => {
    let first: EntryHandle | undefined
    for await (const handle of newOnPath(leaf, named)) first = handle
    if (first !== undefined)
      branches[called ?? freeName(await reader.oid(first), (taken) => Object.hasOwn(branches, taken))] =
        await reader.oid(leaf)
  }

  const tips = new Map<EntryHandle, string>()
  for (const [former, oid] of Object.entries(before)) {
    const tip = former === MAIN || sourceNames.has(former) ? undefined : await reader.find(oid)
    if (tip !== undefined) tips.set(tip, former)
  }
  const successors = new Map<string, EntryHandle>()
  const walked = new Set<EntryHandle>()
  for (const leaf of tips.size > 0 ? leaves : [])
    for await (const handle of newOnPath(leaf, walked)) {
      const former = tips.get(handle)
      if (former !== undefined) successors.set(former, leaf)
    }
  for (const [former, leaf] of successors) await name(leaf, former)
  for (const [called, tip] of sourceNames) {
    if (Object.hasOwn(branches, called)) continue
    if (leaves.has(tip) && !(await isMain(tip))) await name(tip, called)
    else branches[called] = await reader.oid(tip)
  }
  for (const leaf of leaves) await name(leaf)
  return branches
}

/**
 * Returns the branches of a source each of whose leaves, but for the active one, is where the import before left a branch
 * or is named by the source; undefined where another one needs a name, or a branch was continued. The leaves are then
 * neither on `main` nor on each other's paths, unless entries were superseded.
 */
async function sameBranches(
  reader: Reader,
  { sourceEntries: { leaves, hasSuperseded }, active, branches: sourceNames }: Leaves,
  before: { readonly [name: string]: Oid },
): Promise<{ [name: string]: Oid } | undefined> {
  if (hasSuperseded) return undefined
  const branches: { [name: string]: Oid } = active === undefined ? {} : { [MAIN]: await reader.oid(active) }
  const former = new Map<Oid, string>()
  for (const [name, oid] of Object.entries(before))
    if (name !== MAIN && !sourceNames.has(name)) former.set(oid, name)
  const named = new Set([...sourceNames.values()].filter((tip) => tip !== active && leaves.has(tip)))
  for (const leaf of leaves) {
    if (leaf === active) continue
    const oid = await reader.oid(leaf)
    const name = former.get(oid)
    former.delete(oid)
    if (name !== undefined) {
      branches[name] = oid
      named.delete(leaf)
    } else if (!named.has(leaf)) return undefined
  }
  if (former.size > 0) return undefined
  for (const [name, tip] of sourceNames) {
    if (Object.hasOwn(branches, name)) continue
    if (tip !== active && leaves.has(tip) && !named.delete(tip)) continue
    branches[name] = await reader.oid(tip)
  }
  return branches
}

/** Returns an unused name for a branch that begins with an entry. */
export function freeName(first: Oid, isTaken: (name: string) => boolean): string {
  for (let digits = 8; ; digits += 4) {
    const name = numberedName(first.slice(0, digits))
    if (!isTaken(name)) return name
  }
}
