import type { EntryHandle } from '../model/node.ts'
import type { Oid } from '../model/oid.ts'
import type { RefMove } from '../model/operation.ts'
import { graftedRoot, parseSessionRef, type SessionRef } from '../model/refname.ts'
import type { Coverage } from '../model/searchindex.ts'
import type { Backend, Transaction } from '../storage/backend.ts'
import { readGraft } from './grafts.ts'
import type { LogHead, Meta } from './session.ts'

interface Covered {
  readonly paths: EntryHandle[]
  readonly names: string[]
  time: number | null
}

/**
 * Tells the search index which entries sessions reach by moves of their refs: the paths to them, unless `told` says for a
 * session which entries these are.
 */
export async function coverMoves(
  backend: Pick<Backend, 'find'>,
  transaction: Pick<Transaction, 'index'>,
  moves: readonly RefMove[],
  told: ReadonlyMap<string, readonly Coverage[]>,
): Promise<void> {
  const sessions = new Map<string, Covered>()
  const covered = (session: string): Covered => {
    const known = sessions.get(session) ?? { paths: [], names: [], time: null }
    sessions.set(session, known)
    return known
  }
  const addPath = async (session: string, oid: Oid): Promise<void> => {
    const entry = await backend.find(oid)
    if (entry !== undefined) covered(session).paths.push(entry)
  }
  for (const { name, new: value } of moves) {
    const root = graftedRoot(name)
    const graft = root && readGraft(root, value)
    if (graft) await addPath(graft.session, graft.parent)
    const ref = value === undefined ? undefined : parseSessionRef(name)
    if (!ref) continue
    const { session, kind } = ref
    if (kind === 'labels') covered(session).names.push(ref.name as string)
    if (kind === 'meta') {
      const { title, created } = value as Partial<Meta>
      if (title) covered(session).names.push(title)
      addTime(covered(session), created)
    }
    if (kind === 'source' || kind === 'native' || kind === 'natives' || kind === 'exports')
      addTime(covered(session), (value as LogHead).updated)
    if (!NAMES_ENTRY.has(kind) || told.has(session)) continue
    const oid = kind === 'HEAD' ? (value as { readonly oid?: Oid | null }).oid : (value as Oid)
    if (oid) await addPath(session, oid)
  }
  for (const [session, coverage] of sessions) transaction.index.cover(session, coverage)
  for (const [session, all] of told) for (const coverage of all) transaction.index.cover(session, coverage)
}

/** The refs of a session that name an entry. */
const NAMES_ENTRY = new Set<SessionRef['kind']>(['HEAD', 'branches', 'labels'])

/** Raises a time to another one that is known and a number. */
function addTime(covered: Covered, time: number | null | undefined): void {
  if (Number.isFinite(time)) covered.time = Math.max(covered.time ?? Number.NEGATIVE_INFINITY, time as number)
}
