import { asSessError } from '../../model/errors.ts'
import { isObject } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import { isOid, type Oid } from '../../model/oid.ts'
import type { RefMove } from '../../model/operation.ts'
import type { Reader } from '../../repo/reader.ts'
import { allSessions, type Session } from '../../repo/session.ts'
import type { LocatedFinding } from './finding.ts'

/** What else is hurt by an entry that is broken. */
export interface Impact {
  /** The branches, labels and HEADs whose path leads over it, as `SESSION/NAME`. */
  readonly refs: readonly string[]
  /** The nearest entry before it that is whole; null where it has none, or none can be found. */
  readonly lastGood: Oid | null
}

/** Gives what is hurt by entries that are broken, by their handles: walks what the paths of refs share once. */
async function impactOf(reader: Reader, broken: ReadonlySet<EntryHandle>): Promise<Map<EntryHandle, Impact>> {
  const hurt = new Map<EntryHandle, { refs: string[]; lastGood: Oid | null }>()
  if (broken.size === 0) return hurt
  const paths = new BrokenPaths(reader, broken)
  for await (const session of allSessions(reader))
    for (const [name, oid] of namesIn(session)) {
      const tip = isOid(oid) ? await handleOf(reader, oid) : undefined
      let handle = await paths.from(tip)
      for (; handle !== undefined; handle = await paths.above(handle)) {
        const known = hurt.get(handle) ?? { refs: [], lastGood: null }
        known.refs.push(`${session.id}/${name}`)
        hurt.set(handle, known)
      }
    }
  // Parents before children: the last good entry before a parent is that before its child.
  for (const handle of await parentsFirst(reader, hurt.keys())) {
    const parent = await parentOf(reader, handle)
    const known = hurt.get(handle) as { lastGood: Oid | null }
    if (parent !== undefined)
      known.lastGood = hurt.get(parent)?.lastGood ?? (await wholeAt(reader, parent, broken))
  }
  return hurt
}

const wholeAt = async (
  reader: Reader,
  handle: EntryHandle,
  broken: ReadonlySet<EntryHandle>,
): Promise<Oid | null> => (broken.has(handle) ? null : reader.oid(handle))

/** Where paths meet what is broken. */
class BrokenPaths {
  readonly #reader: Reader
  readonly #broken: ReadonlySet<EntryHandle>
  /** By entry: the nearest broken one on its path, itself included. */
  readonly #nearest = new Map<EntryHandle, EntryHandle | undefined>()
  /** By entry that is broken: the next one on its path. */
  readonly #above = new Map<EntryHandle, EntryHandle | undefined>()

  constructor(reader: Reader, broken: ReadonlySet<EntryHandle>) {
    this.#reader = reader
    this.#broken = broken
  }

  /** Gives the nearest entry on the path of one that is broken, itself included. */
  async from(tip: EntryHandle | undefined): Promise<EntryHandle | undefined> {
    const met: EntryHandle[] = []
    let nearest: EntryHandle | undefined
    for (let handle = tip; handle !== undefined; handle = await parentOf(this.#reader, handle)) {
      if (this.#broken.has(handle)) nearest = handle
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

  /** Gives the next broken entry on the path of one that is broken. */
  async above(handle: EntryHandle): Promise<EntryHandle | undefined> {
    if (!this.#above.has(handle))
      this.#above.set(handle, await this.from(await parentOf(this.#reader, handle)))
    return this.#above.get(handle)
  }
}

const namesIn = ({ branches, labels, head }: Session): [string, Oid][] => [
  ...branches,
  ...labels,
  ...('oid' in head && head.oid !== null ? [['HEAD', head.oid] as [string, Oid]] : []),
]

/** Gives what is read, or undefined where it is damaged: of that its own check tells. */
export async function unlessDamaged<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (asSessError(error).code === 'corrupt') return undefined
    throw error
  }
}

/** Returns the parent of an entry; undefined where the entry is damaged, because nothing leads on from it. */
const parentOf = async (reader: Reader, handle: EntryHandle): Promise<EntryHandle | undefined> =>
  (await unlessDamaged(() => reader.node(handle)))?.parents[0]

/** Returns entries with parents before children; damaged ones come first, because nothing precedes them. */
async function parentsFirst(reader: Reader, handles: Iterable<EntryHandle>): Promise<EntryHandle[]> {
  const placed: (readonly [handle: EntryHandle, order: number])[] = []
  for (const handle of handles)
    placed.push([handle, (await unlessDamaged(() => reader.node(handle)))?.order ?? -1])
  return placed.sort(([, a], [, b]) => a - b).map(([handle]) => handle)
}

/** Returns the handle of an entry as far as the index finds it, damaged or not. */
export const handleOf = (reader: Reader, oid: Oid): Promise<EntryHandle | undefined> =>
  unlessDamaged(() => reader.find(oid))

/** Says of each entry that is broken which refs it hurts, and the last good one before it. */
export async function addImpact(reader: Reader, findings: LocatedFinding[]): Promise<void> {
  const handles = new Set(findings.flatMap(({ handle }) => (handle === undefined ? [] : [handle])))
  const hurt = await impactOf(reader, handles)
  for (const [i, finding] of findings.entries())
    if (finding.handle !== undefined) findings[i] = { ...finding, ...hurt.get(finding.handle) }
}

/** Gives the oid of an entry, or where that cannot be told the number it has here. */
export const oidOrRow = async (reader: Reader, handle: EntryHandle): Promise<string> =>
  (await unlessDamaged(() => reader.oid(handle))) ?? `row ${handle}`

/**
 * Says of each ref that names what is missing the newest entry that it is known to have named and that is there; reads the
 * operations once for all of them. What a damaged one told, its own check tells of.
 */
export async function addLastGood(reader: Reader, findings: LocatedFinding[]): Promise<void> {
  const open = new Map(findings.flatMap(({ ref }, i) => (ref === undefined ? [] : [[ref, i] as const])))
  const { operation: end } = (await reader.operationLog()).dropped
  for (let number = (await reader.operationLog()).latest; number > end && open.size > 0; number--) {
    const operation = await unlessDamaged(() => reader.operation(number))
    for (const move of operation?.moves ?? []) {
      const at = open.get(move.name)
      const lastGood = at === undefined ? undefined : await presentIn(reader, move)
      if (at === undefined || lastGood === undefined) continue
      findings[at] = { ...(findings[at] as LocatedFinding), lastGood }
      open.delete(move.name)
    }
  }
}

/** Gives the entry that a ref named after a move, or before it, whichever is there. */
async function presentIn(reader: Reader, move: RefMove): Promise<Oid | undefined> {
  for (const value of [move.new, move.old]) {
    const oid = isObject(value) ? value.oid : value
    if (typeof oid === 'string' && isOid(oid) && (await handleOf(reader, oid)) !== undefined) return oid
  }
  return undefined
}
