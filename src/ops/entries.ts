import { viewOf } from '../formats/registry.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { asString, field, type Json } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import { iso } from '../model/time.ts'
import type { Subagent } from '../model/turn.ts'
import type { CallUsage } from '../model/usage.ts'
import { type Role, roleOf, textOf, type View } from '../model/view.ts'
import { graftsIn } from '../repo/grafts.ts'
import type { Reader } from '../repo/reader.ts'
import { type PassedRecord, RecordFinder, type RecordLocation, valueAt } from '../repo/records.ts'
import { allBranches, findTrunk, logsOf, readableTip, type SessionTrunk } from '../repo/session.ts'
import type { SubagentFinder } from './subagents.ts'
import { type AddedUsage, viewWithUsage } from './usage.ts'

/** Returns the meaning of an entry, without the usage that its record may hold. */
export async function viewAt(reader: Reader, handle: EntryHandle): Promise<View> {
  return viewOf((await reader.node(handle)).type, await reader.body(handle))
}

/**
 * Returns the entries at which a session ends, in this order and each once: that of its HEAD, those of its branches, and
 * with `labels` those of its labels. Missing entries are left out.
 */
export async function tipsOf(
  reader: Reader,
  session: SessionTrunk,
  { labels = false }: { readonly labels?: boolean } = {},
): Promise<EntryHandle[]> {
  const head = readableTip(session)
  const branches = await allBranches(reader, session)
  const oids = new Set([
    ...(head === undefined ? [] : [head]),
    ...branches.values(),
    ...(labels ? session.labels.values() : []),
  ])
  const handles = await reader.findMany(oids)
  return [...oids].flatMap((oid) => handles.get(oid) ?? [])
}

/** Returns the oids of some entries, in their order. */
export async function oidsOf(reader: Reader, handles: Iterable<EntryHandle>): Promise<Oid[]> {
  const oids: Oid[] = []
  for (const handle of handles) oids.push(await reader.oid(handle))
  return oids
}

/** Returns the oid of an entry, or null for the place before the first one. */
export const oidOrNull = async (reader: Reader, handle: EntryHandle | undefined): Promise<Oid | null> =>
  handle === undefined ? null : reader.oid(handle)

/** An entry with its meaning and the data of its record. */
export interface LogEntry {
  readonly oid: Oid
  readonly parents: readonly Oid[]
  readonly type: string
  readonly role: Role | null
  /** The time of the newest record of the entry in the named session, ISO 8601 in UTC; null without one. */
  readonly time: string | null
  /** All text blocks joined by newlines; null where there is none. */
  readonly text: string | null
  readonly session: string | null
  /** Its id in the session's source. */
  readonly native: string | null
  /** Whether its parent comes from a graft, because its own source lacks it. */
  readonly grafted?: true
  /** Its meaning, with all blocks; `text` joins some of them. Without `added` it may lack its usage. */
  readonly view: View
  /** The sub-agents that it started, if any. */
  readonly subagents?: readonly Subagent[]
  /** The usage that it adds to its model call, if that was asked for and it has usage. */
  readonly added?: CallUsage
}

/** Requests of properties of entries that are not in their records. */
export interface LogEntryOptions {
  /** Finds what they add to their model calls. */
  readonly added?: AddedUsage | undefined
  /** Finds the sub-agents that they started. */
  readonly agents?: SubagentFinder | undefined
}

/** Returns an entry, with its record where the caller found one, and with what else is asked of it. */
export async function logEntry(
  reader: Reader,
  handle: EntryHandle,
  session: SessionTrunk | undefined,
  found: RecordLocation | undefined,
  { added: usage, agents }: LogEntryOptions = {},
): Promise<LogEntry> {
  const node = await reader.node(handle)
  // The usage of an entry may be in its record alone, which is then read, with the body again.
  const view = usage
    ? await viewWithUsage(reader, handle, found)
    : viewOf(node.type, await reader.body(handle))
  const oid = await reader.oid(handle)
  const added = await usage?.of(handle, view)
  const subagents = await agents?.of(session, oid)
  return {
    oid,
    parents: await oidsOf(reader, node.parents),
    type: node.type,
    role: roleOf(node.traits),
    time: iso(found?.time),
    text: textOf(view),
    session: session?.id ?? null,
    native: found?.native ?? null,
    ...(node.grafted && { grafted: true }),
    view,
    ...(subagents && { subagents }),
    ...(added && { added }),
  }
}

/**
 * Finds the newest records of the entries of paths: in a session or, for entries before a graft, in a session that has
 * them. Reads each log once, only as far as needed.
 */
export class PathRecords {
  readonly #reader: Reader
  /** One for the session, then one for each other session that was searched. */
  readonly #finders: RecordFinder[]
  readonly #asked = new Set<string>()
  #grafted: boolean | undefined

  /** With `byNative`, `findAbove` finds the session's records by their native ids. */
  constructor(reader: Reader, session: SessionTrunk | undefined, byNative = false) {
    this.#reader = reader
    this.#finders = session ? [new RecordFinder(reader, logsOf(session), byNative)] : []
    if (session) this.#asked.add(session.id)
  }

  /** Returns the newest record of an entry. Must be called once per entry. */
  async find(handle: EntryHandle): Promise<RecordLocation | undefined> {
    for (const finder of this.#finders) {
      const found = await finder.find(handle)
      if (found) return found
    }
    this.#grafted ??= this.#finders.length > 0 && (await isGrafted(this.#reader))
    return this.#grafted ? this.#elsewhere(handle) : undefined
  }

  /** Returns the value at the location of a record of the session. */
  valueAt(found: RecordLocation): Promise<Json | undefined> {
    return this.#finders[0]?.valueAt(found) ?? valueAt(this.#reader, found)
  }

  /**
   * Returns the record of an entry to which a native parent id leads: the record with the id or, if that carries no
   * entry, its nearest ancestor that carries this one. Undefined where the id leads elsewhere. Where several branches have
   * equal entries, this is the record on the branch whose record names the id as its parent.
   */
  async findAbove(handle: EntryHandle, native: string): Promise<RecordLocation | undefined> {
    let wanted: string | undefined = native
    let before: RecordLocation | undefined
    while (wanted !== undefined) {
      const found: PassedRecord | undefined = await this.#finders[0]?.findNative(wanted)
      if (!found || found.entry === handle) return found
      const { entry, log, position } = found
      if (entry !== undefined && !(await this.#isAfter(entry, handle))) return undefined
      // Parents precede their children, so ids that form a circle end here.
      if (before && (before.log !== log || before.position <= position)) return undefined
      before = found
      wanted = parentIn(await valueAt(this.#reader, found))
    }
    return undefined
  }

  /** Whether an entry can be a descendant of another: only then can ids lead from it to the other's record. */
  async #isAfter(entry: EntryHandle, other: EntryHandle): Promise<boolean> {
    return (await this.#reader.node(entry)).order > (await this.#reader.node(other)).order
  }

  async close(): Promise<void> {
    for (const finder of this.#finders) await finder.close()
  }

  async #elsewhere(handle: EntryHandle): Promise<RecordLocation | undefined> {
    for (const covered of await this.#reader.index.sessions()) {
      const { id } = covered
      if (this.#asked.has(id) || !covered.mayReach(handle)) continue
      this.#asked.add(id)
      const session = await findTrunk(this.#reader, id)
      if (!session) continue
      const finder = new RecordFinder(this.#reader, logsOf(session))
      this.#finders.push(finder)
      const found = await finder.find(handle)
      if (found) return found
    }
    return undefined
  }
}

/** Returns the parent id in a record of pi. */
export const parentIn = (value: Json | undefined): string | undefined => asString(field(value, 'parentId'))

async function isGrafted(reader: Reader): Promise<boolean> {
  for await (const _ of graftsIn(reader)) return true
  return false
}
