import { viewOf } from '../formats/registry.ts'
import { ordered } from '../graph/order.ts'
import { path, reachable } from '../graph/walk.ts'
import type { Oid } from '../model/oid.ts'
import { type Role, roleOf, textOf, type View } from '../model/view.ts'
import type { Backend, Row } from '../repo/backend.ts'
import type { Found } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve, resolveSession } from '../repo/revision.ts'
import { logsOf, type Session, tipOf } from '../repo/session.ts'
import { iso } from '../repo/time.ts'
import { PathRecords } from './context/pathrecords.ts'
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
  readonly tips: readonly Row[]
  readonly excluded: readonly Row[]
  readonly session: Session | undefined
}

/**
 * Gives the entries that a revision or a range (`A..B`, `A...B`) reaches, children before parents, else the newest
 * record first.
 */
export async function* log(repo: Repo, revision: string, options: LogOptions = {}): AsyncGenerator<LogEntry> {
  yield* repo.stream((backend) => entriesOf(backend, revision, options, repo.env.cwd))
}

async function* entriesOf(
  backend: Backend,
  revision: string,
  options: LogOptions,
  cwd: string,
): AsyncGenerator<LogEntry> {
  const selection = await selectionOf(backend, revision, options.all ?? false, cwd)
  const finder = new PathRecords(backend, selection.session)
  let left = options.limit ?? Number.POSITIVE_INFINITY
  try {
    if (left <= 0) return
    for await (const row of rowsOf(backend, selection)) {
      yield await logEntry(backend, row, selection.session, await finder.find(row))
      if (--left <= 0) return
    }
  } finally {
    await finder.close()
  }
}

/** Gives what a log of a revision, of a range, or of all branches of a session goes through. */
export async function selectionOf(
  backend: Backend,
  revision: string,
  all: boolean,
  cwd: string,
): Promise<Selection> {
  if (all) {
    const session = await resolveSession(backend, revision, cwd)
    const tip = tipOf(session)
    return {
      tips: await rowsFor(backend, new Set([...(tip ? [tip] : []), ...session.branches.values()])),
      excluded: [],
      session,
    }
  }
  const range = await rangeOf(backend, revision, cwd)
  if (!range) {
    const at = await resolve(backend, revision, cwd)
    return { tips: [at.row], excluded: [], session: at.session }
  }
  const { left, right, symmetric } = range
  const session = right.session ?? left.session
  if (!symmetric) return { tips: [right.row], excluded: [left.row], session }
  const look = (row: Row) => backend.node(row)
  const others = await reachable([right.row], look)
  const common = [...(await reachable([left.row], look))].filter((row) => others.has(row))
  return { tips: [left.row, right.row], excluded: common, session }
}

async function rowsFor(backend: Backend, oids: Iterable<Oid>): Promise<Row[]> {
  const named = [...oids]
  const rows = await backend.findAll(named)
  return named.flatMap((oid) => rows.get(oid) ?? [])
}

/** A single history without merges is walked as it is; everything else is gathered and put in order. */
export async function* rowsOf(backend: Backend, { tips, excluded, session }: Selection): AsyncGenerator<Row> {
  const look = (row: Row) => backend.node(row)
  const [tip] = tips
  if (tip !== undefined && tips.length === 1 && excluded.length === 0 && !(await look(tip)).merged) {
    yield* path(tip, look)
    return
  }
  const rows = await reachable(tips, look, excluded)
  yield* await ordered(rows, look, await newness(backend, session))
}

/** Gives a function that says how new the newest record of an entry in a session is; 0 without a record. */
async function newness(backend: Backend, session: Session | undefined): Promise<(row: Row) => number> {
  const places = new Map<Row, number>()
  let place = 0
  for (const [number, count] of session ? logsOf(session).toReversed() : [])
    for await (const [, { row }] of backend.spine(number, 0, count)) places.set(row, ++place)
  return (row) => places.get(row) ?? 0
}

/** Gives an entry as a log shows it. */
export async function logEntry(
  backend: Backend,
  row: Row,
  session: Session | undefined,
  found: Found | undefined,
): Promise<LogEntry> {
  const node = await backend.node(row)
  const parents: Oid[] = []
  for (const parent of node.parents) parents.push(await backend.oid(parent))
  const view = viewOf(node.type, await backend.body(row))
  return {
    oid: await backend.oid(row),
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
