import { isOid, type Oid } from '../model/encoding/oid.ts'
import { asString, field, type Json } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import type { RefMove } from '../model/operation.ts'
import { parseSessionRef, type SessionRef } from '../model/refname.ts'
import type { Coverage } from '../model/search/searchindex.ts'
import type { Backend, Transaction } from '../storage/backend.ts'
import { graftIn } from './grafts.ts'

interface SessionCoverage {
  readonly paths: EntryHandle[]
  readonly names: string[]
  time: number | null
}

/**
 * Reports to the search index the entries that sessions reach after moves of their refs. `reported` holds the entries
 * of the sessions for which the work reported them itself; for the others the paths to the moved refs are reported.
 */
export async function coverMoves(
  backend: Pick<Backend, 'find'>,
  transaction: { readonly index: Pick<Transaction['index'], 'cover'> },
  moves: readonly RefMove[],
  reported: ReadonlyMap<string, readonly Coverage[]>,
): Promise<void> {
  const sessions = new Map<string, SessionCoverage>()
  const covered = (session: string): SessionCoverage => {
    const known = sessions.get(session) ?? { paths: [], names: [], time: null }
    sessions.set(session, known)
    return known
  }
  const addPath = async (session: string, oid: Oid): Promise<void> => {
    const entry = await backend.find(oid)
    if (entry !== undefined) covered(session).paths.push(entry)
  }
  for (const { name, new: value } of moves) {
    const ref = value === undefined ? undefined : parseSessionRef(name)
    const graft = ref ? undefined : graftIn(name, value)
    if (graft) await addPath(graft.session, graft.parent)
    if (!ref) continue
    const { session, kind } = ref
    if (kind === 'labels') covered(session).names.push(ref.name as string)
    if (kind === 'meta') {
      const [title, created] = [asString(field(value, 'title')), field(value, 'created')]
      if (title) covered(session).names.push(title)
      addTime(covered(session), created)
    }
    if (kind === 'source' || kind === 'natives' || kind === 'exports')
      addTime(covered(session), field(value, 'updated'))
    if (!NAMES_ENTRY.has(kind) || reported.has(session)) continue
    const oid = kind === 'HEAD' ? field(value, 'oid') : value
    if (typeof oid === 'string' && isOid(oid)) await addPath(session, oid)
  }
  for (const [session, coverage] of sessions) transaction.index.cover(session, coverage)
  for (const [session, all] of reported)
    for (const coverage of all) transaction.index.cover(session, coverage)
}

/** The kinds of refs that name an entry. */
const NAMES_ENTRY = new Set<SessionRef['kind']>(['HEAD', 'branches', 'labels'])

/** Raises the time of a session to a later one. Ignores values that are not finite numbers. */
function addTime(covered: SessionCoverage, time: Json | undefined): void {
  if (Number.isFinite(time)) covered.time = Math.max(covered.time ?? Number.NEGATIVE_INFINITY, time as number)
}
