import { isOid, type Oid } from '../../model/encoding/oid.ts'
import { asSessError } from '../../model/errors.ts'
import { isObject } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { RefMove } from '../../model/operation.ts'
import { branchRef, headRef, labelRef, type RefName } from '../../model/refname.ts'
import type { Reader } from '../../repo/reader.ts'
import { allSessions, type SessionState } from '../../repo/session.ts'
import type { LocatedFinding } from './finding.ts'

/** The effect of a damaged entry on the rest of a store. */
export interface Impact {
  /** The branches, labels and HEADs whose path leads over it, as `SESSION/NAME`. */
  readonly refs: readonly string[]
  /** The nearest entry before it that is whole; null where it has none, or none can be found. */
  readonly lastGood: Oid | null
}

/** Returns the impact of damaged entries by their handles. Walks shared parts of the paths of refs once. */
async function impactOf(
  reader: Reader,
  damaged: ReadonlySet<EntryHandle>,
): Promise<Map<EntryHandle, Impact>> {
  const impact = new Map<EntryHandle, { refs: string[]; lastGood: Oid | null }>()
  if (damaged.size === 0) return impact
  const paths = new DamagedPaths(reader, damaged)
  for await (const session of allSessions(reader))
    for (const [name, , oid] of entryRefs(session)) {
      const tip = isOid(oid) ? await handleOf(reader, oid) : undefined
      let handle = await paths.from(tip)
      for (; handle !== undefined; handle = await paths.above(handle)) {
        const known = impact.get(handle) ?? { refs: [], lastGood: null }
        known.refs.push(`${session.id}/${name}`)
        impact.set(handle, known)
      }
    }
  // Parents come first, because the last good entry before a damaged parent is also that before its child.
  for (const handle of await parentsFirst(reader, impact.keys())) {
    const parent = await parentOf(reader, handle)
    const known = impact.get(handle) as { lastGood: Oid | null }
    if (parent !== undefined)
      known.lastGood = impact.get(parent)?.lastGood ?? (await wholeAt(reader, parent, damaged))
  }
  return impact
}

const wholeAt = async (
  reader: Reader,
  handle: EntryHandle,
  damaged: ReadonlySet<EntryHandle>,
): Promise<Oid | null> => (damaged.has(handle) ? null : reader.oid(handle))

class DamagedPaths {
  readonly #reader: Reader
  readonly #damaged: ReadonlySet<EntryHandle>
  /** The nearest damaged entry on the path of each entry, itself included. */
  readonly #nearest = new Map<EntryHandle, EntryHandle | undefined>()
  /** The next damaged entry on the path of each damaged entry. */
  readonly #above = new Map<EntryHandle, EntryHandle | undefined>()

  constructor(reader: Reader, damaged: ReadonlySet<EntryHandle>) {
    this.#reader = reader
    this.#damaged = damaged
  }

  /** Returns the nearest damaged entry on the path to a tip, the tip included. */
  async from(tip: EntryHandle | undefined): Promise<EntryHandle | undefined> {
    const met: EntryHandle[] = []
    let nearest: EntryHandle | undefined
    for (let handle = tip; handle !== undefined; handle = await parentOf(this.#reader, handle)) {
      if (this.#damaged.has(handle)) nearest = handle
      else if (this.#nearest.has(handle)) nearest = this.#nearest.get(handle)
      else {
        met.push(handle)
        continue
      }
      break
    }
    for (const one of met) this.#nearest.set(one, nearest)
    return nearest
  }

  /** Returns the next damaged entry on the path of a damaged entry. */
  async above(handle: EntryHandle): Promise<EntryHandle | undefined> {
    if (!this.#above.has(handle))
      this.#above.set(handle, await this.from(await parentOf(this.#reader, handle)))
    return this.#above.get(handle)
  }
}

/** Returns the branches and labels of a session, and its HEAD where that names an entry: name, ref and oid of each. */
export const entryRefs = ({
  id,
  branches,
  labels,
  head,
}: SessionState): (readonly [string, RefName, Oid])[] => [
  ...[...branches].map(([name, oid]) => [name, branchRef(id, name), oid] as const),
  ...[...labels].map(([name, oid]) => [name, labelRef(id, name), oid] as const),
  ...('oid' in head && head.oid !== null ? [['HEAD', headRef(id), head.oid] as const] : []),
]

/** Returns the result of a read, or undefined where the data is damaged, which its own check reports. */
export async function unlessDamaged<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (asSessError(error).code === 'corrupt') return undefined
    throw error
  }
}

/** Returns the first parent of an entry; undefined where the entry is damaged. */
const parentOf = async (reader: Reader, handle: EntryHandle): Promise<EntryHandle | undefined> =>
  (await unlessDamaged(() => reader.node(handle)))?.parents[0]

/** Returns entries with parents before children; unreadable ones come first, because their order is unknown. */
async function parentsFirst(reader: Reader, handles: Iterable<EntryHandle>): Promise<EntryHandle[]> {
  const placed: (readonly [handle: EntryHandle, order: number])[] = []
  for (const handle of handles)
    placed.push([handle, (await unlessDamaged(() => reader.node(handle)))?.order ?? -1])
  return placed.sort(([, a], [, b]) => a - b).map(([handle]) => handle)
}

/** Returns the handle of an entry, damaged or not, if the index finds it. */
export const handleOf = (reader: Reader, oid: Oid): Promise<EntryHandle | undefined> =>
  unlessDamaged(() => reader.find(oid))

/** Adds to each finding of a damaged entry the refs that it affects and the last good entry before it. */
export async function addImpact(reader: Reader, findings: LocatedFinding[]): Promise<void> {
  const handles = new Set(findings.flatMap(({ handle }) => (handle === undefined ? [] : [handle])))
  const impact = await impactOf(reader, handles)
  for (const [i, finding] of findings.entries())
    if (finding.handle !== undefined) findings[i] = { ...finding, ...impact.get(finding.handle) }
}

/** Returns the oid of an entry, or its local number where the oid cannot be read. */
export const oidOrRow = async (reader: Reader, handle: EntryHandle): Promise<string> =>
  (await unlessDamaged(() => reader.oid(handle))) ?? `row ${handle}`

/**
 * Adds to each finding of a ref that names a missing entry the newest existing entry that the ref named before. Reads the
 * operations once for all of them. Damaged operations are reported by their own check.
 */
export async function addLastGood(reader: Reader, findings: LocatedFinding[]): Promise<void> {
  const open = new Map(findings.flatMap(({ ref }, i) => (ref === undefined ? [] : [[ref, i] as const])))
  const { latest, dropped } = await reader.operationLog()
  for (let number = latest; number > dropped.operation && open.size > 0; number--) {
    const read = await unlessDamaged(async () => ({ operation: await reader.operation(number) }))
    // The numbers of missing ones are not counted through: a store may claim any number of operations.
    if (read && !read.operation) number = 1 + (await newestUpTo(reader, dropped.operation, number))
    for (const move of read?.operation?.moves ?? []) {
      const at = open.get(move.name)
      const lastGood = at === undefined ? undefined : await presentIn(reader, move)
      if (at === undefined || lastGood === undefined) continue
      findings[at] = { ...(findings[at] as LocatedFinding), lastGood }
      open.delete(move.name)
    }
  }
}

/** Returns the number of the newest operation up to a number, or `after` where none follows that or it is damaged. */
const newestUpTo = async (reader: Reader, after: number, upTo: number): Promise<number> =>
  (await unlessDamaged(async () => {
    for await (const { number } of reader.operations({ after, upTo, reverse: true })) return number
    return after
  })) ?? after

/** Returns the entry that a ref named after a move or, if that is missing, before it. */
async function presentIn(reader: Reader, move: RefMove): Promise<Oid | undefined> {
  for (const value of [move.new, move.old]) {
    const oid = isObject(value) ? value.oid : value
    if (typeof oid === 'string' && isOid(oid) && (await handleOf(reader, oid)) !== undefined) return oid
  }
  return undefined
}
