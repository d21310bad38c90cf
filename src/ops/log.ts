import { viewOf } from '../formats/registry.ts'
import { sortByNewness } from '../graph/order.ts'
import { path, reachable } from '../graph/walk.ts'
import { iso } from '../model/iso.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Oid } from '../model/oid.ts'
import { type Role, roleOf, textOf, type View } from '../model/view.ts'
import { readHeaders } from '../repo/logreading.ts'
import type { Reader } from '../repo/reader.ts'
import type { RecordLocation } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve, resolveSession } from '../repo/revision.ts'
import { logsOf, type Session, tipOf } from '../repo/session.ts'
import { PathRecords, usageRecord } from './context/pathrecords.ts'
import { rangeOf } from './select/range.ts'

/** An entry as a log shows it. */
export interface LogEntry {
  readonly oid: Oid
  readonly parents: readonly Oid[]
  readonly type: string
  readonly role: Role | null
  /** ISO 8601 in UTC, from the newest record of the entry in the session that was named; null where none tells. */
  readonly time: string | null
  /** All text blocks joined by a newline, uncut; null where there is none. */
  readonly text: string | null
  readonly session: string | null
  /** The id that the session's source gave it. */
  readonly native: string | null
  /** Whether a graft joins it to its parent, which its own source lacks. */
  readonly grafted?: true
  /** What it means: all its blocks, of which `text` joins some. */
  readonly view: View
}

/** How much a log gives. */
export interface LogOptions {
  /** Give at most so many entries. */
  readonly limit?: number
  /** Give each entry of all branches of the session once. */
  readonly all?: boolean
}

/** What a log goes through: from tips, without what the excluded reach; the session whose records give the times. */
export interface Selection {
  readonly tips: readonly EntryHandle[]
  readonly excluded: readonly EntryHandle[]
  readonly session: Session | undefined
}

/**
 * Gives the entries that a revision or a range (`A..B`, `A...B`) reaches, children before parents, else the newest
 * record first.
 */
export async function* log(repo: Repo, revision: string, options: LogOptions = {}): AsyncGenerator<LogEntry> {
  yield* repo.stream((reader) => entriesOf(reader, revision, options, repo.env.cwd))
}

async function* entriesOf(
  reader: Reader,
  revision: string,
  options: LogOptions,
  cwd: string,
): AsyncGenerator<LogEntry> {
  const selection = await selectionOf(reader, revision, options.all ?? false, cwd)
  const finder = new PathRecords(reader, selection.session)
  let left = options.limit ?? Number.POSITIVE_INFINITY
  try {
    if (left <= 0) return
    for await (const handle of handlesOf(reader, selection)) {
      yield await logEntry(reader, handle, selection.session, await finder.find(handle))
      if (--left <= 0) return
    }
  } finally {
    await finder.close()
  }
}

/** Gives what a log of a revision, of a range, or of all branches of a session goes through. */
export async function selectionOf(
  reader: Reader,
  revision: string,
  all: boolean,
  cwd: string,
): Promise<Selection> {
  if (all) {
    const session = await resolveSession(reader, revision, cwd)
    const tip = tipOf(session)
    return {
      tips: await handlesFor(reader, new Set([...(tip ? [tip] : []), ...session.branches.values()])),
      excluded: [],
      session,
    }
  }
  const range = await rangeOf(reader, revision, cwd)
  if (!range) {
    const at = await resolve(reader, revision, cwd)
    return { tips: [at.handle], excluded: [], session: at.session }
  }
  const { left, right, symmetric } = range
  const session = right.session ?? left.session
  if (!symmetric) return { tips: [right.handle], excluded: [left.handle], session }
  const look = (handle: EntryHandle) => reader.node(handle)
  const others = await reachable([right.handle], look)
  const common = [...(await reachable([left.handle], look))].filter((handle) => others.has(handle))
  return { tips: [left.handle, right.handle], excluded: common, session }
}

async function handlesFor(reader: Reader, oids: Iterable<Oid>): Promise<EntryHandle[]> {
  const named = [...oids]
  const handles = await reader.findMany(named)
  return named.flatMap((oid) => handles.get(oid) ?? [])
}

/** A single history without merges is walked as it is; everything else is gathered and put in order. */
export async function* handlesOf(
  reader: Reader,
  { tips, excluded, session }: Selection,
): AsyncGenerator<EntryHandle> {
  const look = (handle: EntryHandle) => reader.node(handle)
  const [tip] = tips
  if (
    tip !== undefined &&
    tips.length === 1 &&
    excluded.length === 0 &&
    (await look(tip)).merge === undefined
  ) {
    yield* path(tip, look)
    return
  }
  const handles = await reachable(tips, look, excluded)
  yield* await sortByNewness(handles, look, await newness(reader, session))
}

/** Gives a function that says how new the newest record of an entry in a session is; 0 without a record. */
async function newness(
  reader: Reader,
  session: Session | undefined,
): Promise<(handle: EntryHandle) => number> {
  const places = new Map<EntryHandle, number>()
  let place = 0
  for (const [number, count] of session ? logsOf(session).toReversed() : [])
    for await (const [, { entry }] of readHeaders(reader, number, 0, count)) {
      place++
      if (entry !== undefined) places.set(entry, place)
    }
  return (handle) => places.get(handle) ?? 0
}

/** Gives an entry as a log shows it. */
export async function logEntry(
  reader: Reader,
  handle: EntryHandle,
  session: Session | undefined,
  found: RecordLocation | undefined,
): Promise<LogEntry> {
  const node = await reader.node(handle)
  const parents: Oid[] = []
  for (const parent of node.parents) parents.push(await reader.oid(parent))
  const view = viewOf(node.type, await reader.body(handle), await usageRecord(reader, node.type, found))
  return {
    oid: await reader.oid(handle),
    parents,
    type: node.type,
    role: roleOf(node.traits),
    time: iso(found?.time),
    text: textOf(view),
    session: session?.id ?? null,
    native: found?.native ?? null,
    ...(node.grafted && { grafted: true }),
    view,
  }
}
