import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import type { GitFacts } from '../model/gitfacts.ts'
import { isObject, type Json, type JsonObject } from '../model/json.ts'
import type { LogTotals } from '../model/logtotals.ts'
import type { RefValue } from '../model/operation.ts'
import type { BlobId, LogId } from '../model/record.ts'
import { ALL_SESSIONS, exportedRef, metaRef, parseSessionRef, sessionPrefix } from '../model/refname.ts'
import type { Spawn } from '../model/spawn.ts'
import type { UnknownNames } from '../model/unknownnames.ts'
import type { Usage } from '../model/view.ts'
import type { Reader } from './reader.ts'

// Values of refs are type aliases: TypeScript assigns those to JSON without a cast, and interfaces not.

/** The metadata of a session, the value of its ref `meta`. */
export type SessionMeta = {
  /** The name of the format that it was imported from; `sess` where it was created here. */
  readonly format: string
  readonly title: string | null
  /** The folder that it worked in last, and where its agent finds it. */
  readonly cwd: string | null
  /** Milliseconds since 1970. */
  readonly created: number | null
  /** The id that its agent gave it, where that differs from its id here. */
  readonly native: string | null
  /** The path of its source: follows the file when its agent moves it. */
  readonly path: string | null
  /** The id of its file, where that differs from the id that its agent gave it: others refer to the file by it. */
  readonly page?: string
  /** All folders that it worked in, with `cwd`, in the order of their first use, if there are several. */
  readonly folders?: readonly string[]
  /** The state of the git repository that it worked in. */
  readonly git?: GitFacts
  /** The addresses of the pull requests that it names, or `owner/name#number`. */
  readonly pullRequests?: readonly string[]
  /** The start of its first prompt, at most 120 UTF-16 units; of a fork, 32 units of that of the original session. */
  readonly prompt?: string
  /** Whether the user of sess set or removed the title: imports then leave it as it is. */
  readonly renamed?: boolean
  /** Folders that were moved according to the user, in the order in which they were reported. */
  readonly moved?: readonly (readonly [from: string, to: string])[]
  /** The native id of the session that started it, where its source names one. */
  readonly parent?: string
  /** The native id of the sub-agent that called it, where its source names the session above both. */
  readonly caller?: string
  /** The native id of the session in which it goes on, where its source names one. */
  readonly continuedIn?: string | null
  /** The entries that started its sub-agents, by the native ids of the sub-agents' sessions. */
  readonly agents?: { readonly [id: string]: Oid }
  /** The entries that started sub-agents without naming their sessions, by the start of the prompt or by their run. */
  readonly asks?: { readonly [prompt: string]: Oid }
  /** The starts of the prompts, or the runs, of sub-agents whose starting entry is not known yet, by their ids. */
  readonly waits?: { readonly [id: string]: string }
  /** How sub-agents were started, by their native ids, as files beside the session say. */
  readonly spawned?: { readonly [id: string]: Spawn }
  /** The run of several sub-agents that it is a part of. */
  readonly run?: string
  /** The values that its user set, by key. */
  readonly set?: { readonly [key: string]: string }
  /**
   * Of a fork, and of a source that refers to its history: the logs with the records of the shared path, and the number of
   * its entries. `from` is the original session.
   */
  readonly fork?: { readonly base: LogPrefixes; readonly entries: number; readonly from?: string }
}

/** The first `count` records of each of several logs, the newest log first. */
export type LogPrefixes = readonly (readonly [log: LogId, count: number])[]

/** The head of a log. */
export type LogHead = {
  readonly log: LogId
  readonly count: number
  /** The number of distinct entries of its records. */
  readonly entries: number
  /** The running hash over its records, 64 hex digits. */
  readonly hash: string
  /** The time of the newest record with a time, in milliseconds since 1970. */
  readonly updated: number | null
  /** The totals of its entries, each counted once. */
  readonly summary?: LogTotals
  /** Whether content was expunged from it: it no longer returns the bytes of its source. */
  readonly expunged?: true
}

/** The head of the log of a session's native appends. */
export type NativeHead = LogHead & {
  /**
   * The logs that precede it: after an undo a new log is begun, because the undone records stay in the old one.
   * `entries` and `hash` cover all of these logs.
   */
  readonly earlier?: LogPrefixes
}

/** The head of a source's log. Records how far the source was read, so that the next import reads only what is new. */
export type SourceHead = LogHead & {
  readonly reading: number
  /** The number of bytes of the source that the log holds, with its tail. */
  readonly bytes: number
  /** The SHA-256 of these bytes. */
  readonly sha256: string
  /** The first hex digits of the SHA-256 of its first bytes, where it has enough: see `ops/import/source.ts`. */
  readonly start?: string
  /** The bytes after the last complete value, as consecutive blobs. */
  readonly tail: readonly BlobId[]
  /** The branches as the last import set them. */
  readonly branches: { readonly [name: string]: Oid }
  readonly salvaged: number
  /** Whether entries of it were replaced by others, as messages were rewritten: no branch leads to them. */
  readonly superseded?: boolean
  /** The number of roots with an unresolved parent. Default: 0. */
  readonly lacking?: number
  /** The newest version of its agent that wrote it, if its records have one. */
  readonly version?: string
  /** The types and fields of its records that no reader knew. */
  readonly unknown?: UnknownNames
  /** The compressed file that the bytes were unpacked from, as consecutive blobs. */
  readonly packed?: readonly BlobId[]
  /** Whether the bytes are several files in one stream: see `sources/bundle.ts`. */
  readonly bundled?: boolean
  /** Where it begins, if not at a root of its own. */
  readonly origin?: SourceOrigin
  /** The facts of the file that decide whether the session has the id that its agent gave it. */
  readonly claim?: StoredClaim
}

/** The place in another session where a source begins that refers to its history instead of copying it. */
export type SourceOrigin = {
  /** The native id of that session, or of its file. */
  readonly session: string
  /** The id of the last inherited record, the number of the first one that is not inherited, or the byte after the last. */
  readonly native?: string
  readonly ordinal?: number
  readonly offset?: number
  /** The entry on which the source stands; null before the first entry. Absent while it is not in the store. */
  readonly entry?: Oid | null
  /** The state that the reader got from the history before it: see `Inherited`. */
  readonly inherited?: { readonly model?: string; readonly thinking?: string; readonly counter?: Usage }
}

/** The stored part of a file's claim to its id, where it differs from that of the usual file. */
export type StoredClaim = {
  /** Whether nobody speaks in it. */
  readonly silent?: true
  /** Whether it is the transcript of a sub-agent. */
  readonly subagent?: true
}

/** The head of an export of a session to another agent, and of the records that this agent added to it since. */
export type ExportHead = SourceHead & {
  /** The format of the export. */
  readonly format: string
  /** The log of the exported records. The tip of each record is the last entry that its line includes. */
  readonly written: readonly [log: LogId, count: number]
  /** The tip of the session at the time of the export. Added records continue it. */
  readonly tip: Oid
  /** The branch that added records move, if any. */
  readonly onto?: string
}

/** The head of a sidecar file of a session, with its stat at the time of reading. */
export type FileHead = SourceHead & {
  /** In milliseconds since 1970, with fractions. */
  readonly mtime: number
  readonly inode: number
  /** Whether any later change of the file changes its stat: it was read well after its last change. */
  readonly settled: boolean
}

/** The HEAD of a session: a branch, or an entry (detached). An `oid` of null is the position before the first entry. */
export type Head = { readonly branch: string } | { readonly oid: Oid | null }

/** A session with its refs. */
export interface SessionState {
  readonly id: string
  /** All its refs. The name is empty for kinds with one ref only. */
  readonly refs: readonly (readonly [kind: string, name: string, value: RefValue])[]
  readonly meta: SessionMeta
  readonly head: Head
  /** Whether it has a ref HEAD. Without one HEAD is the branch `main`. */
  readonly hasHead: boolean
  readonly branches: ReadonlyMap<string, Oid>
  readonly labels: ReadonlyMap<string, Oid>
  readonly source: SourceHead | undefined
  readonly native: NativeHead | undefined
  /** The logs of native appends of other stores, by their writers. */
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
  const about = (await reader.ref(metaRef(id))) as Partial<SessionMeta> | undefined
  return about && { ...EMPTY_META, ...about }
}

/** Returns the session with exactly this id, or undefined. */
export async function findSession(reader: Reader, id: string): Promise<SessionState | undefined> {
  if ((await reader.ref(metaRef(id))) === undefined) return undefined
  for await (const session of sessionsFrom(reader, sessionPrefix(id))) return session
  return undefined
}

/** Returns the session that was exported to another agent under exactly this native id, or undefined. */
export async function findExporter(reader: Reader, native: string): Promise<SessionState | undefined> {
  const owner = await reader.ref(exportedRef(native))
  const session = isObject(owner) && typeof owner.session === 'string' ? owner.session : undefined
  const found = session === undefined ? undefined : await findSession(reader, session)
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
  for await (const session of sessionsFrom(reader, sessionPrefix(text).slice(0, -1))) {
    found.push(session)
    if (found.length > 5) break
  }
  if (found.length > 1)
    throw ambiguous(
      text,
      found.map(({ id }) => id),
    )
  return found[0]
}

/** Returns the error for a text that names several things, with some of them. */
export const ambiguous = (text: string, candidates: readonly string[]): SessError =>
  new SessError('ambiguous-revision', text, { candidates })

/** Yields all sessions in the order of their ids. */
export const allSessions = (reader: Reader): AsyncIterable<SessionState> => sessionsFrom(reader, ALL_SESSIONS)

/** Yields the sessions whose refs' names begin with a prefix. */
export async function* sessionsFrom(reader: Reader, prefix: string): AsyncGenerator<SessionState> {
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

/** The defaults of `SessionMeta`. Its keys come first in all metadata, in this order. */
export const EMPTY_META: SessionMeta = {
  format: 'sess',
  title: null,
  cwd: null,
  created: null,
  native: null,
  path: null,
}

function assemble(
  id: string | undefined,
  refs: readonly [string, string, RefValue][],
): SessionState | undefined {
  // Only this program writes these refs, so their values are cast, not checked.
  const one = (kind: string): unknown => refs.find((ref) => ref[0] === kind)?.[2]
  const about = one('meta') as Partial<SessionMeta> | undefined
  if (id === undefined || !about) return undefined
  const named = (kind: string): Map<string, Oid> =>
    new Map(refs.filter((ref) => ref[0] === kind).map(([, name, value]) => [name, value as Oid]))
  return {
    id,
    refs,
    meta: { ...EMPTY_META, ...about },
    head: (one('HEAD') as Head | undefined) ?? ON_MAIN,
    hasHead: one('HEAD') !== undefined,
    branches: named('branches'),
    labels: named('labels'),
    source: one('source') as SourceHead | undefined,
    native: one('native') as NativeHead | undefined,
    natives: named('natives') as ReadonlyMap<string, unknown> as ReadonlyMap<string, NativeHead>,
    exports: named('exports') as ReadonlyMap<string, unknown> as ReadonlyMap<string, ExportHead>,
    files: named('files') as ReadonlyMap<string, unknown> as ReadonlyMap<string, FileHead>,
  }
}

/** Returns the folders that a session worked in. */
export const foldersOf = ({ cwd, folders }: Pick<SessionMeta, 'cwd' | 'folders'>): readonly string[] =>
  folders ?? (cwd === null ? [] : [cwd])

/** Returns the stored value of a session's HEAD, or undefined. */
export const headValue = (session: SessionState): RefValue | undefined =>
  session.hasHead ? refValue(session.head) : undefined

/** Returns the tip of a session's HEAD, or undefined where it has none. */
export const tipOf = (session: SessionState): Oid | undefined =>
  'oid' in session.head ? (session.head.oid ?? undefined) : session.branches.get(session.head.branch)

/** Returns the time of the newest record of a session, else of its creation, in milliseconds since 1970, or null. */
export function updatedOf({ source, native, natives, exports, meta }: SessionState): number | null {
  const grown = [...exports.values(), ...natives.values()].map(({ updated }) => updated)
  const times = [source?.updated, native?.updated, ...grown, meta.created].filter(
    (t) => typeof t === 'number',
  )
  return times.length === 0 ? null : Math.max(...times)
}

/** Returns whether nobody speaks in a session: its file holds no message, and none was added here. */
export const isSilentSession = ({ source, native, natives, exports }: SessionState): boolean =>
  source?.claim?.silent === true && !native && natives.size === 0 && exports.size === 0

/** Returns the logs of a session, the newest first, those that a fork shares at the end. */
export const logsOf = (session: SessionState): LogPrefixes => [
  ...ownLogs(session),
  ...(session.meta.fork?.base ?? []),
]

/** Returns the number of records of a session, without those that a fork shares. */
export const recordsOf = (session: SessionState): number =>
  ownLogs(session).reduce((sum, [, count]) => sum + count, 0)

const ownLogs = ({ source, native, natives, exports }: SessionState): LogPrefixes => [
  ...(native ? nativeLogs(native) : []),
  ...[...natives.values()].flatMap(nativeLogs),
  ...[...exports.values()].flatMap(({ log, count }) => (count > 0 ? [[log, count] as const] : [])),
  ...(source ? [[source.log, source.count] as const] : []),
]

/** Returns the logs of native appends under a head, the newest first. */
export const nativeLogs = ({ log, count, earlier = [] }: NativeHead): LogPrefixes => [
  [log, count],
  ...earlier,
]
