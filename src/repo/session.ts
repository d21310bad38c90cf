import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { RefValue } from '../model/operation.ts'
import {
  ALL_SESSIONS,
  branchesOf,
  branchRef,
  exportedRef,
  metaRef,
  parseSessionRef,
  sessionPrefix,
} from '../model/refname.ts'
import { sessionKind, UNKNOWN_KIND } from '../model/refs/table.ts'
import type { Head, LogHead, LogPrefixes, NativeHead, SessionMeta } from '../model/refs/values.ts'
import { findRef, walkRefs } from './findref.ts'
import type { Reader } from './reader.ts'
import {
  BRANCHES,
  EMPTY_META,
  MAIN,
  ON_MAIN,
  SessionReading,
  type SessionState,
  type SessionTrunk,
} from './sessionreading.ts'
import { checkCurrentBranch, checkNamed, isHeadUnsound, isTolerant, passOver } from './unsoundrefs.ts'

export type {
  ExportHead,
  FileHead,
  Head,
  LogHead,
  LogPrefixes,
  NativeHead,
  SessionMeta,
  SourceHead,
  SourceOrigin,
  StoredClaim,
} from '../model/refs/values.ts'

export type { SessionState, SessionTrunk }
export { EMPTY_META, MAIN, ON_MAIN }

/** A session with more branches than this is read without the others, unless all are asked for: see `getSession`. */
export const MOST_BRANCHES = 1024

/** Returns a ref's value as it is stored: without fields that are null, except for the oid of a HEAD. */
export function refValue(value: SessionMeta | LogHead | Head): RefValue {
  const parts: JsonObject = value
  const held: { [key: string]: Json } = {}
  for (const key of Object.keys(parts)) {
    const part = parts[key] as Json
    if (part !== null || key === 'oid') held[key] = part
  }
  return held
}

/** Returns the metadata of the session with exactly this id, or undefined. Reads no other refs of it. */
export async function findMeta(reader: Reader, id: string): Promise<SessionMeta | undefined> {
  const about = await findRef(reader, metaRef(id))
  return about && { ...EMPTY_META, ...about }
}

/**
 * Returns the session with exactly this id, or undefined. Reads all its refs. Throws `corrupt` where it cannot do without an
 * unsound ref.
 */
export async function findSession(reader: Reader, id: string): Promise<SessionState | undefined> {
  const trunk = await findTrunk(reader, id)
  return trunk && wholeSession(reader, trunk)
}

/** Returns a session with all its refs. */
export async function wholeSession(reader: Reader, trunk: SessionTrunk): Promise<SessionState> {
  if (isWhole(trunk)) return trunk
  for await (const session of sessionsFrom(reader, sessionPrefix(trunk.id))) return session
  throw new SessError('no-session', trunk.id)
}

/** Returns all branches of a session. */
export const allBranches = async (reader: Reader, session: SessionTrunk): Promise<ReadonlyMap<string, Oid>> =>
  (await wholeSession(reader, session)).branches

/** Yields the branches of a session by their names: however many there are, few of them are in memory. */
export async function* walkBranches(reader: Reader, id: string): AsyncGenerator<[name: string, tip: Oid]> {
  for await (const [ref, oid] of walkRefs(reader, branchesOf(id)))
    yield [parseSessionRef(ref)?.name as string, oid]
}

/** Returns whether a session has all its refs. */
export const isWhole = (session: SessionTrunk): session is SessionState => 'refs' in session

/** Returns the session with exactly this id, or undefined. Of one with very many branches most are not read. */
export async function findTrunk(reader: Reader, id: string): Promise<SessionTrunk | undefined> {
  // Read in any case: a call that is stopped ends at a read.
  if ((await reader.ref(metaRef(id))) === undefined) return undefined
  const prefix = sessionPrefix(id)
  const memory = reader.cache.session?.(prefix)
  if (memory?.known) return memory.known as SessionTrunk
  for await (const session of trunksFrom(reader, prefix)) {
    const refs = isWhole(session) ? session.refs.length : session.someBranches.size
    if (session.unsound.size === 0) memory?.remember(session, refs)
    return session
  }
  // Its metadata is there, so a ref that it needs is unsound: this throws which.
  for await (const session of sessionsFrom(reader, prefix, false)) return session
  return undefined
}

/** Returns the session with exactly this id as `findTrunk` does. Throws `no-session`. */
export async function getTrunk(reader: Reader, id: string): Promise<SessionTrunk> {
  const session = await findTrunk(reader, id)
  if (!session) throw new SessError('no-session', id)
  return session
}

/** Returns the tip of a branch of a session, or undefined. Throws `corrupt` where it could not be read. */
export async function branchTip(
  reader: Reader,
  session: SessionTrunk,
  name: string,
): Promise<Oid | undefined> {
  checkNamed(session, name)
  const known = session.someBranches.get(name)
  return known ?? (isWhole(session) ? undefined : findRef(reader, branchRef(session.id, name)))
}

/** Returns the session that was exported to another agent under exactly this native id, or undefined. */
export async function findExporter(reader: Reader, native: string): Promise<SessionTrunk | undefined> {
  const owner = await findRef(reader, exportedRef(native))
  const found = owner && (await findTrunk(reader, owner.session))
  return found?.exports.has(native) ? found : undefined
}

/** Returns the session with exactly this id. Throws `no-session`. */
export async function getSession(reader: Reader, id: string): Promise<SessionState> {
  const session = await findSession(reader, id)
  if (!session) throw new SessError('no-session', id)
  return session
}

/** Returns the session whose id begins with a text, or undefined. Throws `ambiguous-revision` where several do. */
export async function findSessionByPrefix(reader: Reader, text: string): Promise<SessionTrunk | undefined> {
  const found: SessionTrunk[] = []
  if (text.length === 0) return undefined
  // Sessions that the name does not mean are neither read nor written.
  for await (const session of trunksFrom(reader, sessionPrefix(text).slice(0, -1), true)) {
    found.push(session)
    if (found.length > 5) break
  }
  if (found.length > 1)
    throw ambiguous(
      text,
      found.map(({ id }) => id),
    )
  const [one] = found
  // It is the session that is meant: all of it is needed, as the reader says.
  return one && one.unsound.size > 0 ? findTrunk(reader, one.id) : one
}

/** Returns the error for a text that names several things, with some of them. */
export const ambiguous = (text: string, candidates: readonly string[]): SessError =>
  new SessError('ambiguous-revision', text, { candidates })

/** Yields all sessions in the order of their ids, with all their refs. */
export const allSessions = (reader: Reader): AsyncIterable<SessionState> => sessionsFrom(reader, ALL_SESSIONS)

/** Yields all sessions in the order of their ids, each as `findTrunk` returns it. */
export const allTrunks = (reader: Reader): AsyncIterable<SessionTrunk> => trunksFrom(reader, ALL_SESSIONS)

/**
 * Yields the sessions whose refs' names begin with a prefix. Where a ref has not the form of its kind, throws `corrupt`, or
 * where `passes` goes on without the ref, and without the session if that cannot do without it.
 */
export const sessionsFrom = (
  reader: Reader,
  prefix: string,
  passes = isTolerant(reader),
): AsyncIterable<SessionState> =>
  // Without a limit none is cut.
  readSessions(reader, prefix, passes, Number.POSITIVE_INFINITY) as AsyncIterable<SessionState>

/** Yields the same sessions, each as `findTrunk` returns it. */
export const trunksFrom = (
  reader: Reader,
  prefix: string,
  passes = isTolerant(reader),
): AsyncIterable<SessionTrunk> => readSessions(reader, prefix, passes, MOST_BRANCHES)

/** Yields sessions. Of those with more than `most` branches it passes over the others. */
async function* readSessions(
  reader: Reader,
  prefix: string,
  passes: boolean,
  most: number,
): AsyncGenerator<SessionTrunk> {
  let read: SessionReading | undefined
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after
    after = undefined
    for await (const [ref, value] of reader.refs(prefix, from)) {
      const parsed = parseSessionRef(ref)
      if (!parsed || !sessionKind(parsed.kind)) {
        if (passes) passOver(reader, ref, UNKNOWN_KIND)
        continue
      }
      if (parsed.session !== read?.id) {
        const session = await read?.end()
        if (session) yield session
        read = new SessionReading(reader, parsed.session, passes)
      }
      read.take(ref, value)
      if (read.branches <= most || read.isCut) continue
      read.isCut = true
      after = afterBranches(read.id)
      break
    }
  }
  const session = await read?.end()
  if (session) yield session
}

/** Returns the text that comes after the names of all branches of a session, and before those of its other refs. */
const afterBranches = (id: string): string => `${sessionPrefix(id)}${BRANCHES}0`

/** Returns the folders that a session worked in. */
export const foldersOf = ({ cwd, folders }: Pick<SessionMeta, 'cwd' | 'folders'>): readonly string[] =>
  folders ?? (cwd === null ? [] : [cwd])

/** Returns the stored value of a session's HEAD, or undefined. */
export const headValue = (session: SessionTrunk): RefValue | undefined =>
  session.hasHead ? refValue(session.head) : undefined

/** Returns the tip of a session's HEAD, or undefined where it has none. Throws `corrupt` where that could not be read. */
export function tipOf(session: SessionTrunk): Oid | undefined {
  const tip = readableTip(session)
  if (tip === undefined) checkCurrentBranch(session)
  return tip
}

/** Returns the tip of a session's HEAD, or undefined where it has none or that could not be read. */
export const readableTip = (session: SessionTrunk): Oid | undefined =>
  isHeadUnsound(session)
    ? undefined
    : 'oid' in session.head
      ? (session.head.oid ?? undefined)
      : session.someBranches.get(session.head.branch)

/** Returns the time of the newest record of a session, else of its creation, in milliseconds since 1970, or null. */
export function updatedOf({ source, natives, exports, meta }: SessionTrunk): number | null {
  const grown = [...exports.values(), ...natives.values()].map(({ updated }) => updated)
  const times = [source?.updated, ...grown, meta.created].filter((t) => typeof t === 'number')
  return times.length === 0 ? null : Math.max(...times)
}

/** Returns whether nobody speaks in a session: its file holds no message, and none was added here. */
export const isSilentSession = ({ source, natives, exports }: SessionTrunk): boolean =>
  source?.claim?.silent === true && natives.size === 0 && exports.size === 0

/** Returns the logs of a session, the newest first, those that a fork shares at the end. */
export const logsOf = (session: SessionTrunk): LogPrefixes => [
  ...ownLogs(session),
  ...(session.meta.fork?.base ?? []),
]

/** Returns the number of records of a session, without those that a fork shares. */
export const recordsOf = (session: SessionTrunk): number =>
  ownLogs(session).reduce((sum, [, count]) => sum + count, 0)

/** Returns the logs of a session, the newest first, without those that a fork shares. */
export const ownLogs = ({ source, natives, exports }: SessionTrunk): LogPrefixes => [
  ...[...natives.values()].flatMap(nativeLogs),
  ...[...exports.values()].flatMap(({ log, count }) => (count > 0 ? [[log, count] as const] : [])),
  ...(source ? [[source.log, source.count] as const] : []),
]

/** Returns the logs of native appends under a head, the newest first. */
export const nativeLogs = ({ log, count, earlier = [] }: NativeHead): LogPrefixes => [
  [log, count],
  ...earlier,
]
