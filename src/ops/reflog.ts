import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import { asString, field } from '../model/json.ts'
import type { RefValue } from '../model/operation.ts'
import { branchRef, headRef, labelRef, type RefName } from '../model/refname.ts'
import { iso } from '../model/time.ts'
import { lastMover, refHistory } from '../repo/oplog/operationlog.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { resolveSessionId, unlessNone } from '../repo/revision.ts'
import { findTrunk, MAIN } from '../repo/session.ts'
import { type LogEntry, logEntry } from './entries.ts'

/** A value of a ref, from one of its moves to the next. */
export interface ReflogStep {
  readonly session: string
  /** The branch or label, or `HEAD`. */
  readonly name: string
  /** The N of `@{N}`: 0 for the newest value. */
  readonly index: number
  /** The entry; null if the value is a branch, or the ref was removed. */
  readonly oid: Oid | null
  /** The branch of a HEAD; else null. */
  readonly branch: string | null
  /** Whether it is a HEAD before the first entry. */
  readonly root: boolean
  /** The number of the operation that set the value. */
  readonly operation: number
  /** ISO 8601 in UTC. */
  readonly time: string | null
  readonly who: string
  readonly command: string
  readonly entry: LogEntry | null
}

interface Followed {
  readonly session: string
  readonly name: string
  readonly ref: RefName
}

/**
 * Yields the values of a branch, a label or the HEAD of a session, the newest first; for a session those of its current
 * branch. Finds removed sessions and names too. Throws `no-session`, `no-branch` or `ambiguous-revision`.
 */
export async function* reflog(
  repo: Repo,
  text: string,
  { limit = Number.POSITIVE_INFINITY }: { readonly limit?: number } = {},
): AsyncGenerator<ReflogStep> {
  let left = limit
  if (left <= 0) return
  for await (const step of repo.stream((reader) => stepsOf(reader, text))) {
    yield step
    if (--left <= 0) return
  }
}

/** Yields the steps, as `reflog` does. */
export async function* stepsOf(reader: Reader, text: string): AsyncGenerator<ReflogStep> {
  const { session, name, ref } = await follow(reader, text)
  let index = 0
  for await (const { operation, move } of refHistory(reader, ref)) {
    const { number, time, who, command } = operation
    const { oid, branch, root } = held(move.new)
    const handle = oid === null ? undefined : await reader.find(oid)
    const entry = handle === undefined ? null : await logEntry(reader, handle, undefined, undefined)
    const about = { operation: number, time: iso(time), who, command, entry }
    yield { session, name, index: index++, oid, branch, root, ...about }
  }
}

function held(value: RefValue | undefined): Pick<ReflogStep, 'oid' | 'branch' | 'root'> {
  if (typeof value === 'string') return { oid: value as Oid, branch: null, root: false }
  const [oid, branch] = [field(value, 'oid'), asString(field(value, 'branch'))]
  if (oid === null || typeof oid === 'string')
    return { oid: oid as Oid | null, branch: null, root: oid === null }
  return { oid: null, branch: branch ?? null, root: false }
}

/** Returns the ref that a text names. Tries each slash, because titles and names of branches may contain slashes. */
async function follow(reader: Reader, text: string): Promise<Followed> {
  let missing: SessError | undefined
  for (let at = text.indexOf('/'); at > 0; at = text.indexOf('/', at + 1)) {
    const session = await unlessNone(resolveSessionId(reader, text.slice(0, at)))
    if (session === undefined) continue
    const found = await named(reader, session, text.slice(at + 1))
    if (found) return found
    missing ??= new SessError('no-branch', `${session}/${text.slice(at + 1)}`)
  }
  const whole = resolveSessionId(reader, text)
  const session = await (missing ? unlessNone(whole) : whole)
  if (session === undefined) throw missing
  const head = (await findTrunk(reader, session))?.head ?? { branch: MAIN }
  return 'branch' in head
    ? { session, name: head.branch, ref: branchRef(session, head.branch) }
    : { session, name: 'HEAD', ref: headRef(session) }
}

/** Returns the ref of a session with a name: an existing one, else one that ever moved. */
async function named(reader: Reader, session: string, name: string): Promise<Followed | undefined> {
  const refs = name === 'HEAD' ? [headRef(session)] : [branchRef(session, name), labelRef(session, name)]
  for (const ref of refs) if ((await reader.ref(ref)) !== undefined) return { session, name, ref }
  for (const ref of refs) if (await lastMover(reader, ref)) return { session, name, ref }
  return undefined
}
