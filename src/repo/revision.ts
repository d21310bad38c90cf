import { ancestor } from '../graph/walk.ts'
import { isOid, type Oid } from '../model/encoding/oid.ts'
import { hasCode, SessError } from '../model/errors.ts'
import { field } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import { branchRef, parseSessionRef, type RefName } from '../model/refname.ts'
import { checkedValue } from '../model/refs/table.ts'
import { currentSession, findCurrent, noteIfUnchosen } from './currentsession.ts'
import { operationsNewestFirst, refHistory } from './oplog/operationlog.ts'
import type { Reader } from './reader.ts'
import { readHeaders } from './records.ts'
import {
  ambiguous,
  branchTip,
  findExporter,
  findSessionByPrefix,
  findTrunk,
  getTrunk,
  logsOf,
  MAIN,
  readableTip,
  type SessionTrunk,
} from './session.ts'
import { listedIn } from './sessionlist.ts'
import { checkCurrentBranch, checkNamed, isHeadUnsound } from './unsoundrefs.ts'

/** The entry that a revision names, with the session and the branch through which it was named. */
export interface ResolvedRevision {
  readonly oid: Oid
  readonly handle: EntryHandle
  readonly session?: SessionTrunk
  readonly branch?: string
}

/** An entry, or a session whose HEAD names no entry, as named by a revision. */
export type RevisionTarget = Omit<ResolvedRevision, 'oid' | 'handle'> &
  Partial<Pick<ResolvedRevision, 'oid' | 'handle'>>

/** The target of the base of a revision. `oid` is undefined where a session's HEAD names no entry. */
interface ResolvedBase {
  readonly oid: Oid | undefined
  readonly session?: SessionTrunk
  readonly branch?: string
}

/** The suffixes that may follow the base of a revision. */
export const STEPS = /(?:~\d*|\^\d*|@\{[^{}]+\})+$/

/**
 * Resolves a revision to an entry. Tried in this order: full oid, exact session id, `HEAD` or `@` for the current
 * session of the reader's folder, the id that a session has in a file that it was exported to, `session/branch`, a
 * branch or label of the current session, exact title, `session:native-id`, oid prefix of 4 or more, session id prefix;
 * then `~N`, `^N`, `@{N}`, `@{TIME}`. Throws `no-revision`, `ambiguous-revision`, `empty-session`, `before-first` or
 * `no-entry`.
 */
export async function resolve(reader: Reader, text: string): Promise<ResolvedRevision> {
  const { oid, handle, ...at } = await resolveTarget(reader, text)
  if (oid === undefined || handle === undefined) throw noTipError(text.replace(STEPS, ''), at.session)
  return { oid, handle, ...at }
}

/** Resolves a revision as `resolve` does, also to a session whose HEAD names no entry. */
export async function resolveTarget(reader: Reader, text: string): Promise<RevisionTarget> {
  const suffix = STEPS.exec(text)?.[0] ?? ''
  const base = text.slice(0, text.length - suffix.length)
  // Only a title can look like a revision with steps, and a search for titles reads all sessions: ids are tried first.
  const exact = await resolveFullId(reader, base)
  const plain = suffix === '' || exact ? undefined : await resolveBase(reader, text)
  let at = plain ?? exact ?? (await resolveBase(reader, base))
  if (!at) throw new SessError('no-revision', text)
  if (!plain && suffix !== '') at = { ...at, oid: await step(reader, at, suffix, text) }
  const { oid, session, branch } = at
  const where = { ...(session ? { session } : {}), ...(branch === undefined ? {} : { branch }) }
  if (oid === undefined) {
    if (session) checkCurrentBranch(session)
    return where
  }
  const handle = await reader.find(oid)
  if (handle === undefined) throw new SessError('corrupt', `the entry ${oid} that '${text}' names is missing`)
  return { oid, handle, ...where }
}

/**
 * Returns the error for a session whose HEAD names no entry: the session is empty, or HEAD is before its first entry. Throws
 * `corrupt` where that could not be read.
 */
export function noTipError(text: string, session: SessionTrunk | undefined): SessError {
  if (session) checkCurrentBranch(session)
  const [branch] = session?.someBranches.keys() ?? []
  const name = session && isCurrent(text) ? session.id : text
  if (!session || branch === undefined) return new SessError('empty-session', name)
  const usual = session.someBranches.has(MAIN) ? MAIN : branch
  return new SessError('before-first', name, {
    remedy: { kind: 'append-or-name-branch', session: session.id, branch: usual },
  })
}

/** Resolves a complete oid or session id. */
async function resolveFullId(reader: Reader, text: string): Promise<ResolvedBase | undefined> {
  if (isOid(text)) return (await reader.find(text)) === undefined ? undefined : { oid: text }
  const session = text === '' ? undefined : await findTrunk(reader, text)
  return session && headOf(session)
}

/**
 * Resolves a session by id, exported id, title or prefix of its id; `@` and `HEAD` are the current session. Throws
 * `no-session`.
 */
export async function resolveSession(reader: Reader, text: string): Promise<SessionTrunk> {
  const exact = await findTrunk(reader, text)
  if (exact) return exact
  if (isCurrent(text)) return currentSession(reader)
  const exporter = await findExporter(reader, text)
  if (exporter) return exporter
  const titled = await sessionByTitle(reader, text)
  if (titled) return titled
  const prefixed = await findSessionByPrefix(reader, text)
  if (prefixed) return prefixed
  throw new SessError('no-session', text)
}

async function resolveBase(reader: Reader, text: string): Promise<ResolvedBase | undefined> {
  if (text === '') return undefined
  const exact = await findTrunk(reader, text)
  if (exact) return headOf(exact)
  if (isCurrent(text)) return headOf(await currentSession(reader))
  const ambiguities: SessError[] = []
  const exporter = await findExporter(reader, text)
  if (exporter) return headOf(exporter)
  const branch = await resolveBranch(reader, text, ambiguities)
  if (branch) return branch
  const own = await resolveOwnName(reader, text)
  if (own) return own
  const titled = await sessionByTitle(reader, text)
  if (titled) return headOf(titled)
  const native = await resolveNativeId(reader, text, ambiguities)
  if (native) return native
  const oid = await resolveOidPrefix(reader, text)
  if (oid) return { oid }
  const prefixed = await findSessionByPrefix(reader, text)
  if (!prefixed && ambiguities[0]) throw ambiguities[0]
  return prefixed && headOf(prefixed)
}

const isCurrent = (text: string): boolean => text === '@' || text === 'HEAD'

const headOf = (session: SessionTrunk): ResolvedBase => ({
  oid: readableTip(session),
  session,
  ...('branch' in session.head && !isHeadUnsound(session) ? { branch: session.head.branch } : {}),
})

/** Resolves `session/branch`. Both may contain slashes, so each slash is tried; the first match is returned. */
async function resolveBranch(
  reader: Reader,
  text: string,
  ambiguities: SessError[],
): Promise<ResolvedBase | undefined> {
  for (let at = text.indexOf('/'); at > 0; at = text.indexOf('/', at + 1)) {
    const name = text.slice(at + 1)
    const session = await unlessUnknown(resolveSession(reader, text.slice(0, at)), ambiguities)
    if (session) checkNamed(session, name)
    const tip = session && (await branchTip(reader, session, name))
    if (session && tip) return { oid: tip, session, branch: name }
    const oid = session?.labels.get(name)
    if (session && oid) return { oid, session }
    if (session && name === 'HEAD') return headOf(session)
  }
  return undefined
}

/** Resolves a branch or a label of the current session by its bare name. */
async function resolveOwnName(reader: Reader, text: string): Promise<ResolvedBase | undefined> {
  const current = await findCurrent(reader)
  if (current) checkNamed(current.session, text)
  const branch = current && (await branchTip(reader, current.session, text))
  if (current && branch) return { oid: branch, session: noteIfUnchosen(reader, current), branch: text }
  const label = current?.session.labels.get(text)
  return current && label && { oid: label, session: noteIfUnchosen(reader, current) }
}

async function resolveNativeId(
  reader: Reader,
  text: string,
  ambiguities: SessError[],
): Promise<ResolvedBase | undefined> {
  const at = text.indexOf(':')
  if (at <= 0) return undefined
  const session = await unlessUnknown(resolveSession(reader, text.slice(0, at)), ambiguities)
  if (!session) return undefined
  const native = text.slice(at + 1)
  for (const [log, count] of logsOf(session))
    for await (const [, record] of readHeaders(reader, log, 0, count, true))
      if (record.native === native && record.entry !== undefined)
        return { oid: await reader.oid(record.entry), session }
  return undefined
}

async function resolveOidPrefix(reader: Reader, text: string): Promise<Oid | undefined> {
  const hex = text.toLowerCase()
  if (isOid(hex)) return (await reader.find(hex)) === undefined ? undefined : hex
  if (!/^[0-9a-f]{4,63}$/.test(hex)) return undefined
  const found = await reader.findByPrefix(hex, 6)
  if (found.length > 1) throw ambiguous(text, found)
  return found[0]
}

async function sessionByTitle(reader: Reader, text: string): Promise<SessionTrunk | undefined> {
  const found: SessionTrunk[] = []
  const { id, title } = await listedIn(reader, ['id', 'title'])
  for (const [i, known] of title.entries())
    if (known === text) found.push(await getTrunk(reader, id[i] as string))
  return only(text, found)
}

function only(text: string, found: readonly SessionTrunk[]): SessionTrunk | undefined {
  if (found.length > 1)
    throw ambiguous(
      text,
      found.map(({ id }) => id),
    )
  return found[0]
}

/** Returns undefined if a part of a text names no session or several: the whole text may still be a title. */
async function unlessUnknown<T>(promise: Promise<T>, ambiguities: SessError[]): Promise<T | undefined> {
  try {
    return await unlessNone(promise)
  } catch (error) {
    if (hasCode(error, 'ambiguous-revision')) {
      ambiguities.push(error)
      return undefined
    }
    throw error
  }
}

/** Returns what a name resolves to; undefined where it names no session. */
export async function unlessNone<T>(named: Promise<T>): Promise<T | undefined> {
  try {
    return await named
  } catch (error) {
    if (hasCode(error, 'no-session')) return undefined
    throw error
  }
}

/** Follows `~N`, `^N`, `@{N}` and `@{TIME}` from a base. */
async function step(reader: Reader, at: ResolvedBase, suffix: string, text: string): Promise<Oid> {
  let oid = at.oid
  for (const part of suffix.match(/~\d*|\^\d*|@\{[^{}]+\}/g) ?? []) {
    if (part.startsWith('@')) {
      const past = part.slice(2, -1)
      oid = /^\d+$/.test(past)
        ? await valueBefore(reader, at, Number(past), text)
        : await valueAtTime(reader, at, past, text)
      continue
    }
    if (oid === undefined) throw noTipError(at.session?.id ?? text, at.session)
    const handle = (await reader.find(oid)) as EntryHandle
    const count = part.length === 1 ? 1 : Number(part.slice(1))
    const look = (node: EntryHandle) => reader.node(node)
    const next =
      part.startsWith('~') || count === 0
        ? await ancestor(handle, part === '^0' ? 0 : count, look)
        : (await reader.node(handle)).parents[count - 1]
    if (next === undefined) throw new SessError('no-entry', text, { detail: 'the path ends before it' })
    oid = await reader.oid(next)
  }
  if (oid === undefined) throw noTipError(at.session?.id ?? text, at.session)
  return oid
}

/** Returns the value that a session's branch had `count` moves ago. */
async function valueBefore(reader: Reader, at: ResolvedBase, count: number, text: string): Promise<Oid> {
  const { session, branch } = branchAt(at, `${count}`, text)
  let n = 0
  const tip = count === 0 ? await branchTip(reader, session, branch) : undefined
  if (tip !== undefined) return tip
  for await (const { move } of refHistory(reader, branchRef(session.id, branch)))
    if (++n === count && typeof move.old === 'string') return move.old as Oid
  throw new SessError('no-entry', text, {
    detail: `'${branch}' has moved ${n === 1 ? 'once' : `${n} times`}`,
  })
}

/** Returns the value that a session's branch had at a time, such as `yesterday` or `2h`. */
async function valueAtTime(reader: Reader, at: ResolvedBase, past: string, text: string): Promise<Oid> {
  const time = reader.parseTime?.(past)
  if (time === undefined)
    throw new SessError('no-revision', text, {
      detail: `'${past}' is no time`,
      hint: 'write a number of moves, or a time such as 2h, yesterday or 2026-04-01',
    })
  const { session, branch } = branchAt(at, past, text)
  const name = branchRef(session.id, branch)
  let value = await reader.ref(name)
  let isKnown = (await reader.operationLog()).dropped.operation === 0
  for await (const operation of operationsNewestFirst(reader)) {
    if (operation.time <= time) {
      isKnown = true
      break
    }
    const move = operation.moves.find((one) => one.name === name)
    if (move) value = move.old
  }
  if (!isKnown) throw new SessError('no-entry', text, { detail: 'the operation log begins later' })
  if (value === undefined) throw new SessError('no-entry', text, { detail: `'${branch}' did not exist then` })
  return checkedValue(name, value)
}

/** Returns the branch that `@{…}` follows. Throws `no-revision` if there is none. */
function branchAt(
  { session, branch }: ResolvedBase,
  past: string,
  text: string,
): { readonly session: SessionTrunk; readonly branch: string } {
  if (session && branch !== undefined) return { session, branch }
  throw session
    ? new SessError('no-revision', text, {
        detail: 'its HEAD is detached',
        hint: `name one of its branches: SESSION/BRANCH@{${past}}`,
      })
    : new SessError('no-revision', text, { detail: '@{…} follows a session or a branch' })
}

/**
 * Returns the length of the shortest unique prefix of an oid, at least 4; the full length where prefixes are not
 * supported.
 */
export async function shortestPrefix(
  reader: Pick<Reader, 'capabilities' | 'findByPrefix'>,
  oid: Oid,
): Promise<number> {
  if (!reader.capabilities.prefixes) return oid.length
  for (let digits = SHORTEST; digits < oid.length; digits += STEP) {
    const found = await reader.findByPrefix(oid.slice(0, digits), MANY)
    if (found.length === MANY) continue
    return found.reduce(
      (most, other) => (other === oid ? most : Math.max(most, 1 + shared(oid, other))),
      digits,
    )
  }
  return oid.length
}

const SHORTEST = 4
const STEP = 2
const MANY = 64

function shared(a: Oid, b: Oid): number {
  let at = 0
  while (a[at] === b[at]) at++
  return at
}

/** The minimum length of a prefix of the id of a removed session. */
const SHORTEST_PREFIX = 4

/**
 * Returns the id of the session that a text names, else of the session with this id, prefix or title that was removed
 * last. Throws `no-session` or `ambiguous-revision`.
 */
export async function resolveSessionId(reader: Reader, text: string): Promise<string> {
  try {
    return (await resolveSession(reader, text)).id
  } catch (error) {
    if (!hasCode(error, 'no-session')) throw error
    const id = await findRemoved(reader, text)
    if (id === undefined) throw error
    return id
  }
}

async function findRemoved(reader: Reader, text: string): Promise<string | undefined> {
  for await (const { moves } of operationsNewestFirst(reader))
    for (const { name, old, new: value } of moves) {
      const session = value === undefined ? sessionOfMeta(name) : undefined
      if (session === undefined) continue
      const title = field(old, 'title')
      if (session === text || title === text || (text.length >= SHORTEST_PREFIX && session.startsWith(text)))
        return session
    }
  return undefined
}

/** Returns the session whose metadata a ref holds, or undefined. */
function sessionOfMeta(name: RefName): string | undefined {
  const parsed = parseSessionRef(name)
  return parsed?.kind === 'meta' ? parsed.session : undefined
}
