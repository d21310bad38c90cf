import type { Oid } from '../../model/encoding/oid.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { RefValue } from '../../model/operation.ts'
import { LACKING, lackedBy, type RefName, unresolvedRef } from '../../model/refname.ts'
import { walkRefs } from '../../repo/findref.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import type { Writer } from '../../repo/writeaccess.ts'

/** An entry of a source that continues no other one of it. */
export interface Root {
  readonly handle: EntryHandle
  /** When it was said, in milliseconds since 1970. */
  readonly time: number | undefined
  /** The id of the parent that the source names and lacks. */
  readonly lacks: string | undefined
}

/** An entry whose source names a parent that it does not have. */
export interface UnresolvedParent {
  readonly session: string
  readonly root: Oid
  /** The id by which its source names the parent. */
  readonly native: string
  /** When it was said, in milliseconds since 1970. */
  readonly time: number | undefined
}

/** Returns the unresolved parents of the store by their native ids. The cost depends on their number alone. */
export async function unresolvedParents(
  reader: Reader,
): Promise<ReadonlyMap<string, readonly UnresolvedParent[]>> {
  const all = new Map<string, UnresolvedParent[]>()
  for await (const [name, { session, time }] of walkRefs(reader, LACKING)) {
    const of = lackedBy(name)
    if (!of) continue
    const list = all.get(of.native)
    const one = { ...of, session, time }
    if (list) list.push(one)
    else all.set(of.native, [one])
  }
  return all
}

/** Notes that a parent is unresolved, or no longer. */
export async function noteUnresolvedParent(
  { reader, writer, move }: Change,
  one: UnresolvedParent,
  lacks: boolean,
): Promise<void> {
  const { session, root, native, time } = one
  const ref = unresolvedRef(native, root)
  const done = noted.get(writer) ?? new Map<RefName, RefValue | undefined>()
  noted.set(writer, done)
  const before = done.has(ref) ? done.get(ref) : await reader.ref(ref)
  const value: RefValue | undefined = lacks ? { session, ...(time !== undefined && { time }) } : undefined
  if (lacks === (before !== undefined)) return
  move(ref, before, value)
  done.set(ref, value)
}

/** The refs that a transaction has set: several files of one import may lack the same parent. */
const noted = new WeakMap<Writer, Map<RefName, RefValue | undefined>>()
