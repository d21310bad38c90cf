import { formatNamed } from '../formats/registry.ts'
import { ancestor } from '../graph/walk.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { isObject } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import { graftRef } from '../model/refname.ts'
import { type Graft, graftsIn, graftValue } from '../repo/grafts.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import { type RecordLocation, readHeaders, valueAt } from '../repo/records.ts'
import type { Change, Repo } from '../repo/repo.ts'
import { allTrunks, findTrunk, foldersOf, type SessionMeta, type SessionTrunk } from '../repo/session.ts'
import { sourceBytes } from './export/sourcebytes.ts'
import type { Notice } from './import/notices.ts'
import { sourceNames } from './import/source.ts'
import { noteUnresolvedParent, type Root, type UnresolvedParent } from './import/unresolvedparents.ts'

/**
 * The result for an entry with an unresolved parent: `joined`, or why not. `missing`: no searched session has the parent.
 * `ambiguous`: several sessions have it. `shared`: another session begins with the entry and names no such parent.
 * `circle`: the parent is a descendant of the entry.
 */
export interface Grafting extends Omit<UnresolvedParent, 'time'> {
  readonly outcome: 'joined' | 'missing' | 'ambiguous' | 'shared' | 'circle'
  /** The entry that it continues now, and a session that holds that; null where it is joined to none. */
  readonly parent: Oid | null
  readonly holder: string | null
}

/** A record that has the id of a lacking parent. */
interface ParentCandidate {
  readonly session: SessionTrunk
  readonly handle: EntryHandle
  readonly time: number | undefined
}

/** The grafts of a store, read once they are asked for and then kept as a piece of work changes them. */
export class Grafts {
  readonly #reader: Reader
  #all: Map<Oid, Graft> | undefined

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Returns the grafts by their roots. */
  async all(): Promise<Map<Oid, Graft>> {
    if (this.#all) return this.#all
    const all = new Map<Oid, Graft>()
    for await (const graft of graftsIn(this.#reader)) all.set(graft.root, graft)
    this.#all = all
    return all
  }
}

/** An id that no two sessions give by chance: hexadecimal digits or a UUID, or long and no plain word. */
const RARE = /^(?:[0-9a-f]{8,}|[0-9a-f-]{36}|(?=.*\d)[\w-]{16,})$/i

/** Which sessions are asked for parents: those of the same folder, all, or some. */
type SearchedSessions = 'folder' | 'all' | ReadonlySet<string>

/**
 * Joins entries to the parents that they lack by grafts, where another session of the same format has a record with
 * that id. Reads the spines of the sessions that are asked once, whatever is looked for; what no one has is remembered,
 * so that it is joined when it comes. The work must see entries as they are stored.
 */
export async function graftUnresolved(
  change: Change,
  unresolved: readonly UnresolvedParent[],
  asked: SearchedSessions,
): Promise<Grafting[]> {
  const { reader, move } = change
  const grafts = await new Grafts(reader).all()
  const open = unresolved.filter(({ root, native }) => grafts.get(root)?.native !== native)
  const owners = new Map<string, SessionTrunk>()
  for (const { session } of open) {
    const found = owners.has(session) ? undefined : await findTrunk(reader, session)
    if (found) owners.set(session, found)
  }
  const candidates = await candidatesFor(reader, open, owners, asked)
  const done: Grafting[] = []
  for (const one of open) {
    const owner = owners.get(one.session)
    if (!owner) {
      await noteUnresolvedParent(change, one, false)
      continue
    }
    const found = plausible(candidates.get(one.native) ?? [], one, owner)
    const { outcome, parent } = await decide(reader, one, found, grafts)
    const { session, root, native } = one
    const holder = parent?.session.id ?? null
    const graft = parent && { root, parent: await reader.oid(parent.handle), native, session }
    if (graft) {
      move(graftRef(root), undefined, graftValue(graft))
      grafts.set(root, graft)
    }
    if (RARE.test(native)) await noteUnresolvedParent(change, one, outcome === 'missing')
    done.push({ session, root, native, outcome, parent: graft?.parent ?? null, holder })
  }
  return done
}

/** Returns the records of other sessions with the native ids of unresolved parents, by id. */
async function candidatesFor(
  reader: Reader,
  unresolved: readonly UnresolvedParent[],
  owners: ReadonlyMap<string, SessionTrunk>,
  asked: SearchedSessions,
): Promise<ReadonlyMap<string, readonly ParentCandidate[]>> {
  const found = new Map<string, ParentCandidate[]>()
  for (const { native } of unresolved) if (RARE.test(native)) found.set(native, [])
  if (found.size === 0) return found
  const askers = [...owners.values()].map(({ meta }) => meta)
  const isAsked = ({ meta }: SessionTrunk): boolean =>
    askers.some((asker) => asker.format === meta.format && (asked !== 'folder' || shareFolder(asker, meta)))
  for await (const session of typeof asked === 'string' ? allTrunks(reader) : named(reader, asked)) {
    if (!session.source || !isAsked(session)) continue
    const { log, count } = session.source
    for await (const [, { native, entry, tip, time }] of readHeaders(reader, log, 0, count)) {
      const list = native === undefined ? undefined : found.get(native)
      // A record without an entry stands for the tip after it, which the next entry continues.
      const at = entry ?? tip
      if (list && at !== undefined) list.push({ session, handle: at, time })
    }
  }
  return found
}

/** Returns whether two sessions worked in one folder, or are both of none. */
function shareFolder(one: SessionMeta, other: SessionMeta): boolean {
  const folders = foldersOf(other)
  return one.cwd === other.cwd || foldersOf(one).some((folder) => folders.includes(folder))
}

async function* named(reader: Reader, ids: ReadonlySet<string>): AsyncGenerator<SessionTrunk> {
  for (const id of ids) {
    const session = await findTrunk(reader, id)
    if (session) yield session
  }
}

/** Returns the plausible candidates, one for each entry: of the parent session if possible, else of the same folder. */
function plausible(
  candidates: readonly ParentCandidate[],
  { session, time }: UnresolvedParent,
  { meta }: SessionTrunk,
): readonly ParentCandidate[] {
  const others = candidates.filter(
    (one) =>
      one.session.id !== session &&
      one.session.meta.format === meta.format &&
      !(one.time !== undefined && time !== undefined && one.time > time),
  )
  const isParent = ({ session: { id, meta: other } }: ParentCandidate): boolean =>
    meta.parent !== undefined && (id === meta.parent || other.native === meta.parent)
  const isInFolder = ({ session: { meta: other } }: ParentCandidate): boolean => shareFolder(other, meta)
  const first = [isParent, isInFolder, () => true]
    .map((is) => others.filter(is))
    .find((some) => some.length > 0)
  return [...new Map((first ?? []).map((one) => [one.handle, one])).values()]
}

interface GraftDecision {
  readonly outcome: Grafting['outcome']
  readonly parent?: ParentCandidate
}

async function decide(
  reader: Reader,
  { session, root, native }: UnresolvedParent,
  [parent, ...others]: readonly ParentCandidate[],
  grafts: ReadonlyMap<Oid, Graft>,
): Promise<GraftDecision> {
  if (!parent) return { outcome: 'missing' }
  if (others.length > 0 || grafts.has(root)) return { outcome: 'ambiguous' }
  const handle = (await reader.find(root)) as EntryHandle
  if (await isBelow(reader, parent.handle, handle, grafts)) return { outcome: 'circle' }
  for (const covered of await reader.index.sessions())
    if (
      covered.id !== session &&
      covered.mayReach(handle) &&
      (await beginsOtherwise(reader, covered.id, handle, native))
    )
      return { outcome: 'shared' }
  return { outcome: 'joined', parent }
}

/** Returns whether the path of an entry, continued by grafts, leads to a root. */
async function isBelow(
  reader: Reader,
  entry: EntryHandle,
  root: EntryHandle,
  grafts: ReadonlyMap<Oid, Graft>,
): Promise<boolean> {
  const look = lookIn(reader)
  for (let at: EntryHandle | undefined = entry; at !== undefined; ) {
    const top = (await ancestor(at, (await look(at)).depth, look)) as EntryHandle
    if (top === root) return true
    const graft = grafts.get(await reader.oid(top))
    at = graft && (await reader.find(graft.parent))
  }
  return false
}

/** Returns whether a session's own source has a root in a record that does not name the same parent. */
async function beginsOtherwise(
  reader: Reader,
  id: string,
  root: EntryHandle,
  native: string,
): Promise<boolean> {
  const source = (await findTrunk(reader, id))?.source
  if (!source) return false
  const { log, count } = source
  for await (const [position, { entry }] of readHeaders(reader, log, 0, count))
    if (entry === root && !(await names(reader, { log, position }, native))) return true
  return false
}

async function names(reader: Reader, at: RecordLocation, native: string): Promise<boolean> {
  const value = await valueAt(reader, at)
  return isObject(value) && Object.values(value).includes(native)
}

/**
 * Removes the grafts of roots with which another source begins that names no such parent, so that its conversation continues
 * none. Returns a notice for each.
 */
export async function removeGrafts(
  { reader, move }: Change,
  roots: readonly Root[],
  known: Grafts,
): Promise<Notice[]> {
  const removed: Notice[] = []
  if (roots.length === 0) return removed
  const grafts = await known.all()
  for (const { handle, lacks } of grafts.size > 0 ? roots : []) {
    const root = await reader.oid(handle)
    const graft = grafts.get(root)
    if (!graft || graft.native === lacks || !grafts.delete(root)) continue
    move(graftRef(root), graftValue(graft), undefined)
    const message = `it begins with the entry that a graft of session '${graft.session}' joins: the graft was removed`
    removed.push({ code: 'graft-removed', line: 0, offset: 0, message })
  }
  return removed
}

/** A session whose source names parents that it lacks. */
export interface UnresolvedSession {
  readonly session: string
  /** How many of its entries lack their parent, and how many of these a graft joins. */
  readonly lacking: number
  readonly grafted: number
}

/**
 * Joins what lacks its parent to the session that has it, whichever came first, in one operation: reads the sources of
 * sessions that lack parents again, and the spines of all sessions of their formats.
 */
export const relink = (repo: Repo): Promise<Grafting[]> =>
  repo.write({ plain: true }, async (change) => {
    const { reader } = change
    const unresolved: UnresolvedParent[] = []
    for await (const session of allTrunks(reader))
      if (session.source?.lacking) for await (const one of unresolvedIn(reader, session)) unresolved.push(one)
    return graftUnresolved(change, unresolved, 'all')
  })

/** Yields the sessions with unresolved parents. */
export async function* unresolvedSessions(reader: Reader): AsyncGenerator<UnresolvedSession> {
  const grafted = new Map<string, number>()
  for await (const { session } of graftsIn(reader)) grafted.set(session, (grafted.get(session) ?? 0) + 1)
  for await (const { id, source } of allTrunks(reader))
    if (source?.lacking) yield { session: id, lacking: source.lacking, grafted: grafted.get(id) ?? 0 }
}

/** Yields the entries of a session's source with unresolved parents. Parses its bytes again. */
async function* unresolvedIn(
  reader: Reader,
  { id, meta, source }: SessionTrunk,
): AsyncGenerator<UnresolvedParent> {
  const format = formatNamed(meta.format)
  if (!format || !source) return
  const splitter = format.splitter()
  const { name, folder, above } = sourceNames(meta)
  const sourceReader = format.reader(name, folder, above)
  const found = new Map<number, Pick<UnresolvedParent, 'native' | 'time'>>()
  let position = 0
  const read = (units: ReturnType<typeof splitter.push>): void => {
    for (const unit of units) {
      const { dangling: native, time, rechained: again = [] } = sourceReader.read(unit)
      if (native !== undefined) found.set(position, { native, time })
      position += 1 + again.length
    }
  }
  for await (const bytes of sourceBytes(reader, source)) read(splitter.push(bytes))
  read(splitter.end().units)
  if (found.size === 0) return
  for await (const [at, { entry: handle }] of readHeaders(reader, source.log, 0, source.count)) {
    const one = found.get(at)
    if (one && handle !== undefined) yield { session: id, root: await reader.oid(handle), ...one }
  }
}
