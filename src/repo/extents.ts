import { ancestor, isOnPath } from '../graph/walk.ts'
import { type Awaitable, andThen, eachInTurn } from '../model/awaitable.ts'
import { SessError } from '../model/errors.ts'
import type { Oid } from '../model/oid.ts'
import { type Ranges, united } from '../model/ranges.ts'
import { graftedRoot, parseSessionRef, type SessionRef } from '../model/refname.ts'
import type { Backend, RefMove, Transaction } from '../storage/backend.ts'
import { type Extent, NO_EXTENT } from '../storage/extent.ts'
import type { Row } from '../storage/record.ts'
import { readGraft } from './grafts/grafts.ts'
import { type LogHead, type Meta, type Session, tipOf } from './session.ts'

/**
 * Adds to the extents of sessions what moves of their refs make them reach: where `told` does not say it, the rows
 * from the root of a path to its end, among which all of it lies.
 */
export function coverMoves(
  backend: Backend,
  transaction: Transaction,
  moves: readonly RefMove[],
  told: ReadonlyMap<string, Ranges>,
): Awaitable<void> {
  const extents = new Map<string, Extent>()
  const add = (session: string, more: Partial<Extent>): void => {
    const { ranges, time, names } = extents.get(session) ?? NO_EXTENT
    extents.set(session, {
      ranges: more.ranges ? united(ranges, more.ranges) : ranges,
      time: later(time, more.time ?? null),
      names: more.names ? [...names, ...more.names] : names,
    })
  }
  for (const [session, ranges] of told) add(session, { ranges })
  const addPath = (session: string, oid: Oid): Awaitable<void> =>
    andThen(pathRange(backend, oid), (ranges) => add(session, { ranges }))
  const covered = eachInTurn(moves, ({ name, new: value }) => {
    const root = graftedRoot(name)
    const graft = root && readGraft(root, value)
    if (graft) return addPath(graft.session, graft.parent)
    const ref = value === undefined ? undefined : parseSessionRef(name)
    if (!ref) return undefined
    const { session, kind } = ref
    if (kind === 'labels') add(session, { names: [ref.name as string] })
    if (kind === 'meta') {
      const { title, created } = value as Partial<Meta>
      add(session, { time: created ?? null, names: title ? [title] : [] })
    }
    if (kind === 'source' || kind === 'native' || kind === 'exports')
      add(session, { time: (value as unknown as LogHead).updated ?? null })
    if (!TELLS.has(kind) || told.has(session)) return undefined
    const oid = kind === 'HEAD' ? (value as { readonly oid?: Oid | null }).oid : (value as Oid)
    return oid ? addPath(session, oid) : undefined
  })
  return andThen(covered, () => {
    for (const [session, extent] of extents) transaction.cover(session, extent)
  })
}

/** Gives the later of two times that are known and numbers. */
function later(a: number | null, b: number | null): number | null {
  if (!Number.isFinite(b)) return a
  return a === null ? b : Math.max(a, b as number)
}

/** What tells a session where its entries are. */
const TELLS = new Set<SessionRef['kind']>(['HEAD', 'branches', 'labels'])

/**
 * Gives rows among which all is that an entry reaches on whose path a session stands, from what is noted of that session;
 * undefined of another entry, and where nothing is noted or not whole.
 */
export async function notedUpTo(backend: Backend, session: Session, row: Row): Promise<Ranges | undefined> {
  const tip = tipOf(session)
  const end = tip && (await backend.find(tip))
  if (end === undefined || !(await isOnPath(row, end, (node) => backend.node(node)))) return undefined
  let noted: Extent | undefined
  try {
    noted = await backend.extent(session.id)
  } catch (error) {
    if (!(error instanceof SessError && error.code === 'corrupt')) throw error
  }
  // What an entry reaches lies before it, in the rows that grafts give entries too: these are never smaller than their own.
  return noted?.ranges.flatMap(([from, to]) => (from > row ? [] : [[from, Math.min(to, row + 1)] as const]))
}

/** Gives rows among which all is that an entry reaches; none where it is missing. */
export async function pathRange(backend: Backend, oid: Oid): Promise<Ranges> {
  const row = await backend.find(oid)
  if (row === undefined) return []
  const look = (node: Row) => backend.node(node)
  const { depth, merged } = await look(row)
  // What a merge brings may begin before the root of the path that it was merged into.
  return [[merged ? 0 : ((await ancestor(row, depth, look)) as Row), row + 1]]
}
