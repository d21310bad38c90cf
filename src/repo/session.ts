import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { RefValue } from '../model/operation.ts'
import {
  ALL_SESSIONS,
  exportedRef,
  metaRef,
  parseSessionRef,
  type RefName,
  sessionPrefix,
} from '../model/refname.ts'
import { problemAs, sessionKind, UNKNOWN_KIND } from '../model/refs/table.ts'
import type {
  ExportHead,
  FileHead,
  Head,
  LogHead,
  LogPrefixes,
  NativeHead,
  SessionMeta,
  SourceHead,
} from '../model/refs/values.ts'
import type { RefPair } from '../storage/backend.ts'
import { findRef } from './findref.ts'
import type { Reader } from './reader.ts'
import {
  canSpare,
  checkCurrentBranch,
  isHeadUnsound,
  isTolerant,
  NO_UNSOUND_REFS,
  passOver,
  type UnsoundRefs,
} from './unsoundrefs.ts'

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

/** A session with its refs. */
export interface SessionState {
  readonly id: string
  /** All its refs. The name is empty for kinds with one ref only. */
  readonly refs: readonly (readonly [kind: string, name: string, value: RefValue])[]
  /** Its refs that could not be read: nothing else here says that there are any. */
  readonly unsound: UnsoundRefs
  readonly meta: SessionMeta
  readonly head: Head
  /** Whether it has a ref HEAD. Without one HEAD is the branch `main`. */
  readonly hasHead: boolean
  readonly branches: ReadonlyMap<string, Oid>
  readonly labels: ReadonlyMap<string, Oid>
  readonly source: SourceHead | undefined
  /** The logs of native appends by their writers, the one with the newest record first. */
  readonly natives: ReadonlyMap<string, NativeHead>
  /** Its exports to other agents, by the native ids that it has there. */
  readonly exports: ReadonlyMap<string, ExportHead>
  /** Its sidecar files, by their paths relative to its own file. */
  readonly files: ReadonlyMap<string, FileHead>
}

export const MAIN = 'main'

/** The HEAD of a session without a ref HEAD. */
export const ON_MAIN: Head = { branch: MAIN }

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

/** Sessions by the lists of their refs. */
const assembled = new WeakMap<readonly RefPair[], SessionState>()

/** Returns the session with exactly this id, or undefined. Throws `corrupt` where it cannot do without an unsound ref. */
export async function findSession(reader: Reader, id: string): Promise<SessionState | undefined> {
  // Read in any case: a call that is stopped ends at a read.
  if ((await reader.ref(metaRef(id))) === undefined) return undefined
  const prefix = sessionPrefix(id)
  const refs = reader.cache.sessionRefs?.(prefix)
  const known = refs && assembled.get(refs)
  if (known) return known
  for await (const session of sessionsFrom(reader, prefix)) {
    if (refs && session.unsound.size === 0) assembled.set(refs, session)
    return session
  }
  // Its metadata is there, so a ref that it needs is unsound: this throws which.
  for await (const session of sessionsFrom(reader, prefix, false)) return session
  return undefined
}

/** Returns the session that was exported to another agent under exactly this native id, or undefined. */
export async function findExporter(reader: Reader, native: string): Promise<SessionState | undefined> {
  const owner = await findRef(reader, exportedRef(native))
  const found = owner && (await findSession(reader, owner.session))
  return found?.exports.has(native) ? found : undefined
}

/** Returns the session with exactly this id. Throws `no-session`. */
export async function getSession(reader: Reader, id: string): Promise<SessionState> {
  const session = await findSession(reader, id)
  if (!session) throw new SessError('no-session', id)
  return session
}

/** Returns the session whose id begins with a text, or undefined. Throws `ambiguous-revision` where several do. */
export async function findSessionByPrefix(reader: Reader, text: string): Promise<SessionState | undefined> {
  const found: SessionState[] = []
  if (text.length === 0) return undefined
  // Sessions that the name does not mean are neither read nor written.
  for await (const session of sessionsFrom(reader, sessionPrefix(text).slice(0, -1), true)) {
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
  return one && one.unsound.size > 0 ? findSession(reader, one.id) : one
}

/** Returns the error for a text that names several things, with some of them. */
export const ambiguous = (text: string, candidates: readonly string[]): SessError =>
  new SessError('ambiguous-revision', text, { candidates })

/** Yields all sessions in the order of their ids. */
export const allSessions = (reader: Reader): AsyncIterable<SessionState> => sessionsFrom(reader, ALL_SESSIONS)

/**
 * Yields the sessions whose refs' names begin with a prefix. Where a ref has not the form of its kind, throws `corrupt`, or
 * where `passes` goes on without the ref, and without the session if that cannot do without it.
 */
export async function* sessionsFrom(
  reader: Reader,
  prefix: string,
  passes = isTolerant(reader),
): AsyncGenerator<SessionState> {
  let id: string | undefined
  let refs: [kind: string, name: string, value: RefValue][] = []
  let unsound = new Map<RefName, string>()
  for await (const [ref, value] of reader.refs(prefix)) {
    const parsed = parseSessionRef(ref)
    const kind = parsed && sessionKind(parsed.kind)
    if (!parsed || !kind) {
      if (passes) passOver(reader, ref, UNKNOWN_KIND)
      continue
    }
    if (parsed.session !== id) {
      const session = assemble(id, refs, unsound)
      if (session) yield session
      id = parsed.session
      refs = []
      if (unsound.size > 0) unsound = new Map()
    }
    const problem = problemAs(kind, ref, value)
    if (problem === undefined) refs.push([parsed.kind, parsed.name ?? '', value])
    else {
      passOver(passes ? reader : {}, ref, problem)
      unsound.set(ref, problem)
    }
  }
  const session = assemble(id, refs, unsound)
  if (session) yield session
}

/** The defaults of `SessionMeta`. Its keys come first in all metadata, in this order. */
export const EMPTY_META: SessionMeta = {
  format: 'sess',
  title: null,
  cwd: null,
  created: null,
  native: null,
  path: null,
}

/**
 * Returns the session with some refs, of which each has the form of its kind; undefined without metadata, and where it
 * cannot do without its unsound refs.
 */
export function assemble(
  id: string | undefined,
  refs: readonly (readonly [string, string, RefValue])[],
  unsound: UnsoundRefs = NO_UNSOUND_REFS,
): SessionState | undefined {
  const one = (kind: string): unknown => refs.find((ref) => ref[0] === kind)?.[2]
  const about = one('meta') as SessionMeta | undefined
  if (id === undefined || !about || (unsound.size > 0 && !canSpare(unsound))) return undefined
  const named = <V>(kind: string): Map<string, V> =>
    new Map(refs.filter((ref) => ref[0] === kind).map(([, name, value]) => [name, value as V]))
  const head = one('HEAD') as Head | undefined
  return {
    id,
    refs,
    unsound: unsound.size === 0 ? NO_UNSOUND_REFS : unsound,
    meta: { ...EMPTY_META, ...about },
    head: head ?? ON_MAIN,
    hasHead: head !== undefined,
    branches: named<Oid>('branches'),
    labels: named<Oid>('labels'),
    source: one('source') as SourceHead | undefined,
    natives: newestFirst(named<NativeHead>('natives')),
    exports: named<ExportHead>('exports'),
    files: named<FileHead>('files'),
  }
}

const newestFirst = (natives: ReadonlyMap<string, NativeHead>): ReadonlyMap<string, NativeHead> =>
  natives.size < 2
    ? natives
    : new Map([...natives].sort(([, a], [, b]) => (b.updated ?? 0) - (a.updated ?? 0)))

/** Returns the folders that a session worked in. */
export const foldersOf = ({ cwd, folders }: Pick<SessionMeta, 'cwd' | 'folders'>): readonly string[] =>
  folders ?? (cwd === null ? [] : [cwd])

/** Returns the stored value of a session's HEAD, or undefined. */
export const headValue = (session: SessionState): RefValue | undefined =>
  session.hasHead ? refValue(session.head) : undefined

/** Returns the tip of a session's HEAD, or undefined where it has none. Throws `corrupt` where that could not be read. */
export function tipOf(session: SessionState): Oid | undefined {
  const tip = readableTip(session)
  if (tip === undefined) checkCurrentBranch(session)
  return tip
}

/** Returns the tip of a session's HEAD, or undefined where it has none or that could not be read. */
export const readableTip = (session: SessionState): Oid | undefined =>
  isHeadUnsound(session)
    ? undefined
    : 'oid' in session.head
      ? (session.head.oid ?? undefined)
      : session.branches.get(session.head.branch)

/** Returns the time of the newest record of a session, else of its creation, in milliseconds since 1970, or null. */
export function updatedOf({ source, natives, exports, meta }: SessionState): number | null {
  const grown = [...exports.values(), ...natives.values()].map(({ updated }) => updated)
  const times = [source?.updated, ...grown, meta.created].filter((t) => typeof t === 'number')
  return times.length === 0 ? null : Math.max(...times)
}

/** Returns whether nobody speaks in a session: its file holds no message, and none was added here. */
export const isSilentSession = ({ source, natives, exports }: SessionState): boolean =>
  source?.claim?.silent === true && natives.size === 0 && exports.size === 0

/** Returns the logs of a session, the newest first, those that a fork shares at the end. */
export const logsOf = (session: SessionState): LogPrefixes => [
  ...ownLogs(session),
  ...(session.meta.fork?.base ?? []),
]

/** Returns the number of records of a session, without those that a fork shares. */
export const recordsOf = (session: SessionState): number =>
  ownLogs(session).reduce((sum, [, count]) => sum + count, 0)

/** Returns the logs of a session, the newest first, without those that a fork shares. */
export const ownLogs = ({ source, natives, exports }: SessionState): LogPrefixes => [
  ...[...natives.values()].flatMap(nativeLogs),
  ...[...exports.values()].flatMap(({ log, count }) => (count > 0 ? [[log, count] as const] : [])),
  ...(source ? [[source.log, source.count] as const] : []),
]

/** Returns the logs of native appends under a head, the newest first. */
export const nativeLogs = ({ log, count, earlier = [] }: NativeHead): LogPrefixes => [
  [log, count],
  ...earlier,
]
