import { SessError } from '../model/errors.ts'
import { isObject, type Json, type JsonObject } from '../model/json.ts'
import type { Oid } from '../model/oid.ts'
import type { RefValue } from '../model/operation.ts'
import type { BlobId, LogId } from '../model/record.ts'
import { ALL_SESSIONS, exportedRef, metaRef, parseSessionRef, sessionPrefix } from '../model/refname.ts'
import type { Summary } from '../model/summary.ts'
import type { Reader } from './reader.ts'

// Values of refs are type aliases, not interfaces: those alone are known to be JSON, and need no cast where they are stored.

/** What a session is: written when it is made, changed when it is named or its user first speaks. */
export type Meta = {
  /** The name of the format that it came in; `sess` where it was made here. */
  readonly format: string
  readonly title: string | null
  readonly cwd: string | null
  /** Milliseconds since 1970. */
  readonly created: number | null
  /** The id that its own system gave it, where its id here is another. */
  readonly native: string | null
  /** The path that it was first read from. */
  readonly path: string | null
  /** The first words of its user, at most 120 UTF-16 units; of a fork 32 of the session that it was forked from. */
  readonly prompt?: string
  /** Whether its user gave it its title, or took it: then its source no longer says which it has. */
  readonly renamed?: boolean
  /** Folders that moved since, as its user said, each with where it is now, in that order. */
  readonly moved?: readonly (readonly [from: string, to: string])[]
  /** The id of the session that it came from, where its own system says so. */
  readonly parent?: string
  /** The entries that started its sub-agents, by the ids that their own system gave the sessions of these. */
  readonly agents?: { readonly [id: string]: Oid }
  /** The entries that started sub-agents which they do not name, by the first words of what they asked. */
  readonly asks?: { readonly [prompt: string]: Oid }
  /** Its sub-agents that no such entry is known for yet, by their ids: the first words of what they were asked. */
  readonly waits?: { readonly [id: string]: string }
  /** What its user set, by key. */
  readonly set?: { readonly [key: string]: string }
  /** Of a fork: the logs whose records serve its shared path, and how many entries that has; with none, whose it is. */
  readonly fork?: { readonly base: Base; readonly entries: number; readonly from?: string }
}

/** Records of several logs: of each how many of its records, the newest log first. */
export type Base = readonly (readonly [log: LogId, count: number])[]

/** The head of a log. */
export type LogHead = {
  readonly log: LogId
  readonly count: number
  /** How many entries its records carry, each once. */
  readonly entries: number
  /** The running hash over its records, 64 hex digits. */
  readonly hash: string
  /** The time of the newest record that has one, in milliseconds since 1970. */
  readonly updated: number | null
  /** What its entries come to, each counted once. */
  readonly summary?: Summary
  /** Whether some of what was recorded was removed for good: it no longer gives back what was read. */
  readonly expunged?: true
}

/** The head of the log of a session's native appends. */
export type NativeHead = LogHead & {
  /**
   * The logs that precede it, where it had to begin anew: after an undo the records that were undone stay where they
   * are. `entries` and `hash` go on over all of them.
   */
  readonly earlier?: Base
}

/** The head of a source's log: what was read of it, so that the next import takes only what is new. */
export type SourceHead = LogHead & {
  readonly reading: number
  /** Bytes of the source that the log gives back, its tail included. */
  readonly bytes: number
  /** The SHA-256 of these bytes. */
  readonly sha256: string
  /** The bytes after the last complete value, in pieces. */
  readonly tail: readonly BlobId[]
  /** The branches as import last set them. */
  readonly branches: { readonly [name: string]: Oid }
  readonly salvaged: number
  /** How many roots lack the parent that the source names; none unless said. */
  readonly lacking?: number
  /** The compressed file that the bytes were unpacked from, in pieces. */
  readonly packed?: readonly BlobId[]
  /** Whether they are files in one stream. */
  readonly bundled?: boolean
}

/** The head of what a session was written to for another agent, and of what that agent has added since. */
export type ExportHead = SourceHead & {
  /** The format that it is written in. */
  readonly format: string
  /** The log of what was written: the tip of each record is the entry up to which its line tells the session. */
  readonly written: readonly [log: LogId, count: number]
  /** The entry that the session stood on, which what is added continues. */
  readonly tip: Oid
  /** The branch of the session that goes on with it, where there is one. */
  readonly onto?: string
}

/** The head of a file that an agent keeps beside a session, with what its stat told when it was read. */
export type FileHead = SourceHead & {
  /** In milliseconds since 1970, with fractions. */
  readonly mtime: number
  readonly inode: number
  /** Whether it would look otherwise were it changed again. */
  readonly settled: boolean
}

/** Where a session stands: on a branch; detached on an entry, or before the first one (null). */
export type Head = { readonly branch: string } | { readonly oid: Oid | null }

/** A session with its refs. */
export interface Session {
  readonly id: string
  /** All its refs: the kind of each, its name (empty where the kind has one ref) and its value. */
  readonly refs: readonly (readonly [kind: string, name: string, value: RefValue])[]
  readonly meta: Meta
  readonly head: Head
  /** Whether it was ever told where to stand: has a ref HEAD. */
  readonly stands: boolean
  readonly branches: ReadonlyMap<string, Oid>
  readonly labels: ReadonlyMap<string, Oid>
  readonly source: SourceHead | undefined
  readonly native: NativeHead | undefined
  /** By writer: the logs of native appends of other stores. */
  readonly natives: ReadonlyMap<string, NativeHead>
  /** By the ids that it was given there: what it was written to for other agents. */
  readonly exports: ReadonlyMap<string, ExportHead>
  /** By their paths from its own file: what its agent keeps beside it. */
  readonly files: ReadonlyMap<string, FileHead>
}

export const MAIN = 'main'

/** Where a session stands that has never been told to stand elsewhere: it has no HEAD then. */
export const ON_MAIN: Head = { branch: MAIN }

/** Gives a ref's value in the form in which refs are stored: what is null is left out, but for the oid of a HEAD. */
export function refValue(value: Meta | LogHead | Head): RefValue {
  const parts: JsonObject = value
  const held: { [key: string]: Json } = {}
  for (const key of Object.keys(parts)) {
    const part = parts[key] as Json
    if (part !== null || key === 'oid') held[key] = part
  }
  return held
}

/** Gives the session with exactly this id, or undefined. */
export async function findSession(reader: Reader, id: string): Promise<Session | undefined> {
  if ((await reader.ref(metaRef(id))) === undefined) return undefined
  for await (const session of sessionsFrom(reader, sessionPrefix(id))) return session
  return undefined
}

/** Gives the session that was written for another agent under exactly this id, or undefined. */
export async function findExporter(reader: Reader, native: string): Promise<Session | undefined> {
  const owner = await reader.ref(exportedRef(native))
  const session = isObject(owner) && typeof owner.session === 'string' ? owner.session : undefined
  const found = session === undefined ? undefined : await findSession(reader, session)
  return found?.exports.has(native) ? found : undefined
}

/** Gives the session with exactly this id, or throws `no-session`. */
export async function getSession(reader: Reader, id: string): Promise<Session> {
  const session = await findSession(reader, id)
  if (!session) throw new SessError('no-session', id)
  return session
}

/** Gives all sessions, or those whose ids begin with a prefix, in the order of their ids. */
export const allSessions = (reader: Reader): AsyncIterable<Session> => sessionsFrom(reader, ALL_SESSIONS)

/** Gives the sessions whose refs' names begin with a prefix. */
export async function* sessionsFrom(reader: Reader, prefix: string): AsyncGenerator<Session> {
  let id: string | undefined
  let refs: [kind: string, name: string, value: RefValue][] = []
  for await (const [name, value] of reader.refs(prefix)) {
    const parsed = parseSessionRef(name)
    if (!parsed) continue
    if (parsed.session !== id) {
      const session = assemble(id, refs)
      if (session) yield session
      id = parsed.session
      refs = []
    }
    refs.push([parsed.kind, parsed.name ?? '', value])
  }
  const session = assemble(id, refs)
  if (session) yield session
}

/** What a description says where it says nothing. Its keys come first in every description, in this order. */
export const UNKNOWN: Meta = {
  format: 'sess',
  title: null,
  cwd: null,
  created: null,
  native: null,
  path: null,
}

function assemble(id: string | undefined, refs: readonly [string, string, RefValue][]): Session | undefined {
  // The shapes of what refs hold are this module's own, so casts at the door are enough.
  const one = (kind: string): unknown => refs.find((ref) => ref[0] === kind)?.[2]
  const about = one('meta') as Partial<Meta> | undefined
  if (id === undefined || !about) return undefined
  const named = (kind: string): Map<string, Oid> =>
    new Map(refs.filter((ref) => ref[0] === kind).map(([, name, value]) => [name, value as Oid]))
  return {
    id,
    refs,
    meta: { ...UNKNOWN, ...about },
    head: (one('HEAD') as Head | undefined) ?? ON_MAIN,
    stands: one('HEAD') !== undefined,
    branches: named('branches'),
    labels: named('labels'),
    source: one('source') as SourceHead | undefined,
    native: one('native') as NativeHead | undefined,
    natives: named('natives') as ReadonlyMap<string, unknown> as ReadonlyMap<string, NativeHead>,
    exports: named('exports') as ReadonlyMap<string, unknown> as ReadonlyMap<string, ExportHead>,
    files: named('files') as ReadonlyMap<string, unknown> as ReadonlyMap<string, FileHead>,
  }
}

/** Gives what a session's HEAD holds now, undefined where it has none. */
export const headValue = (session: Session): RefValue | undefined =>
  session.stands ? refValue(session.head) : undefined

/** Gives the oid that a session stands on, or undefined while it has no entries. */
export const tipOf = (session: Session): Oid | undefined =>
  'oid' in session.head ? (session.head.oid ?? undefined) : session.branches.get(session.head.branch)

/** Gives when a session was last added to, in milliseconds since 1970, or null where nothing tells. */
export function updatedOf({ source, native, natives, exports, meta }: Session): number | null {
  const grown = [...exports.values(), ...natives.values()].map(({ updated }) => updated)
  const times = [source?.updated, native?.updated, ...grown, meta.created].filter(
    (t) => typeof t === 'number',
  )
  return times.length === 0 ? null : Math.max(...times)
}

/** Gives the logs that hold a session's records, the newest first, with how many records of each. */
export const logsOf = (session: Session): Base => [...ownLogs(session), ...(session.meta.fork?.base ?? [])]

/** Gives how many records a session has of its own. */
export const recordsOf = (session: Session): number =>
  ownLogs(session).reduce((sum, [, count]) => sum + count, 0)

const ownLogs = ({ source, native, natives, exports }: Session): Base => [
  ...(native ? piecesOf(native) : []),
  ...[...natives.values()].flatMap(piecesOf),
  ...[...exports.values()].flatMap(({ log, count }) => (count > 0 ? [[log, count] as const] : [])),
  ...(source ? [[source.log, source.count] as const] : []),
]

/** Gives the logs that a session's native appends lie in, the newest first. */
export const piecesOf = ({ log, count, earlier = [] }: NativeHead): Base => [[log, count], ...earlier]
