import { ancestor } from '../../graph/walk.ts'
import type { EntryHandle } from '../../model/node.ts'
import { shortIds } from '../../model/shortid.ts'
import type { Reader } from '../../repo/reader.ts'
import { allSessions, type Session, tipOf, updatedOf } from '../../repo/session.ts'

/** Sessions that share entries, the one that began first before the others. */
export type Family = readonly Session[]

/** The sessions of a folder. */
export interface Families {
  /** The oldest first. */
  readonly families: readonly Family[]
  /** The session that was added to last. */
  readonly latest: Session | undefined
  /** For each session of the store the shortest beginning of its id that names it alone. */
  readonly short: ReadonlyMap<string, string>
}

/** Returns the sessions of a folder, null for all, in families. */
export async function familiesOf(reader: Reader, cwd: string | null): Promise<Families> {
  const sessions: Session[] = []
  const ids: string[] = []
  for await (const session of allSessions(reader)) {
    ids.push(session.id)
    if ((cwd === null || session.meta.cwd === cwd) && hasEntries(session)) sessions.push(session)
  }
  sessions.sort((a, b) => begun(a) - begun(b) || (a.id < b.id ? -1 : 1))
  // By place: the place of an older session of the same family, its own where none is known.
  const elders = sessions.map((_, place) => place)
  const eldest = (place: number): number => {
    let at = place
    while (elders[at] !== at) at = elders[at] = elders[elders[at] as number] as number
    return at
  }
  const owners = new Map<EntryHandle, number>()
  for (const [place, session] of sessions.entries())
    for (const root of await rootsOf(reader, session)) {
      const owner = owners.get(root)
      if (owner === undefined) owners.set(root, place)
      else {
        const [a, b] = [eldest(owner), eldest(place)]
        elders[Math.max(a, b)] = Math.min(a, b)
      }
    }
  const found = new Map<number, Session[]>()
  for (const [place, session] of sessions.entries()) {
    const family = found.get(eldest(place))
    if (family) family.push(session)
    else found.set(place, [session])
  }
  let latest: Session | undefined
  for (const session of sessions)
    if (!latest || (updatedOf(session) ?? 0) > (updatedOf(latest) ?? 0)) latest = session
  return { families: [...found.values()], latest, short: shortIds(ids) }
}

const hasEntries = (session: Session): boolean => tipOf(session) !== undefined || session.branches.size > 0

const begun = ({ meta }: Session): number => meta.created ?? Number.POSITIVE_INFINITY

/** Returns the roots of what a session's branches reach along first parents. */
async function rootsOf(reader: Reader, session: Session): Promise<ReadonlySet<EntryHandle>> {
  const look = (handle: EntryHandle) => reader.node(handle)
  const roots = new Set<EntryHandle>()
  for (const oid of new Set([tipOf(session), ...session.branches.values()])) {
    const handle = oid && (await reader.find(oid))
    if (handle === undefined) continue
    const root = await ancestor(handle, (await look(handle)).depth, look)
    if (root !== undefined) roots.add(root)
  }
  return roots
}
