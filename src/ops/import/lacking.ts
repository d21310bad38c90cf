import { asString, field } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Oid } from '../../model/oid.ts'
import type { RefValue } from '../../model/operation.ts'
import { LACKING, lackedBy, lackingRef, type RefName } from '../../model/refname.ts'
import type { Writer } from '../../repo/change.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'

/** An entry of a source that continues no other one of it. */
export interface Root {
  readonly handle: EntryHandle
  /** When it was said, in milliseconds since 1970. */
  readonly time: number | undefined
  /** The id of the parent that the source names and lacks. */
  readonly lacks: string | undefined
}

/** An entry whose source names a parent that it lacks. */
export interface Lacking {
  readonly session: string
  readonly root: Oid
  /** The id by which its source names the parent. */
  readonly native: string
  /** When it was said, in milliseconds since 1970. */
  readonly time: number | undefined
}

/** Gives what is lacking of what was imported, by the ids of the parents. It costs what that is, however large the store. */
export async function allLacking(reader: Reader): Promise<ReadonlyMap<string, readonly Lacking[]>> {
  const all = new Map<string, Lacking[]>()
  for await (const [name, value] of reader.refs(LACKING)) {
    const [of, session, time] = [lackedBy(name), asString(field(value, 'session')), field(value, 'time')]
    if (!of || session === undefined) continue
    const list = all.get(of.native)
    const one = { ...of, session, time: typeof time === 'number' ? time : undefined }
    if (list) list.push(one)
    else all.set(of.native, [one])
  }
  return all
}

/** Remembers that a parent is lacking, until it comes; or forgets it. */
export async function noteLacking(
  { reader, writer, move }: Change,
  one: Lacking,
  lacks: boolean,
): Promise<void> {
  const { session, root, native, time } = one
  const ref = lackingRef(native, root)
  const done = noted.get(writer) ?? new Map<RefName, RefValue | undefined>()
  noted.set(writer, done)
  const before = done.has(ref) ? done.get(ref) : await reader.ref(ref)
  const value: RefValue | undefined = lacks ? { session, ...(time !== undefined && { time }) } : undefined
  if (lacks === (before !== undefined)) return
  move(ref, before, value)
  done.set(ref, value)
}

/** What was noted in a transaction: several files of one import may lack the same. */
const noted = new WeakMap<Writer, Map<RefName, RefValue | undefined>>()
