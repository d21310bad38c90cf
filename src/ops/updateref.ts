import { SessError } from '../model/errors.ts'
import type { RefValue } from '../model/operation.ts'
import {
  branchRef,
  checkName,
  headRef,
  metaRef,
  type RefName,
  typedSessionRef,
  unescapePart,
} from '../model/refname.ts'
import { checkedValue, sessionKind } from '../model/refs/table.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { ON_MAIN, refValue } from '../repo/session.ts'
import { ROOT, spelledValue } from './listrefs.ts'

/**
 * An update of a ref: its new value `to`, and its expected value `from`. Each is a revision, for a HEAD also `ref:BRANCH` or
 * `root:`. Null stands for no such ref. Without `to` the value is kept, without `from` any value is accepted.
 */
export interface RefUpdate {
  readonly name: string
  readonly to?: string | null
  readonly from?: string | null
}

/** A ref that was moved, its values in words: an oid, `ref:BRANCH`, `root:`, or null for no such ref. */
export interface RefMoved {
  readonly name: string
  readonly old: string | null
  readonly new: string | null
}

type TypedRef = NonNullable<ReturnType<typeof typedSessionRef>>

/**
 * Moves branches, labels and HEADs, all of them or none. Returns those that changed. Throws `conflict` for an unexpected
 * value, `bad-ref` for another kind of ref, `no-session`, `current-branch` or `no-branch` if HEAD would be on a missing
 * branch, and as `resolve`.
 */
export async function updateRefs(repo: Repo, updates: readonly RefUpdate[]): Promise<RefMoved[]> {
  return repo.write({}, async ({ reader, move }) => {
    const after = new Map<RefName, RefValue | undefined>()
    const moved: RefMoved[] = []
    const sessions = new Set<string>()
    for (const { name, to, from } of updates) {
      const ref = movable(name)
      if (after.has(ref.ref)) throw new SessError('bad-usage', `'${name}' is named twice`)
      if ((await reader.ref(metaRef(ref.session))) === undefined)
        throw new SessError('no-session', ref.session)
      const value = async (text: string | null): Promise<RefValue | undefined> =>
        text === null ? undefined : valueOf(reader, ref, text)
      const old = await reader.ref(ref.ref)
      if (from !== undefined) expectValue(name, spelledValue(await value(from)), spelledValue(old))
      const next = to === undefined ? old : await value(to)
      after.set(ref.ref, next)
      if (spelledValue(next) === spelledValue(old)) continue
      if (old === undefined && ref.name !== undefined) checkName(ref.name)
      sessions.add(ref.session)
      move(ref.ref, old, next)
      moved.push({ name, old: spelledValue(old) ?? null, new: spelledValue(next) ?? null })
    }
    for (const session of sessions) await checkStanding(reader, session, after)
    return moved
  })
}

const REFUSED: Readonly<Record<string, string>> = {
  meta: 'it describes a session',
  leaf: 'it moves with what its agent does',
}

function movable(name: string): TypedRef {
  const ref = typedSessionRef(name)
  if (!ref) throw new SessError('bad-ref', name)
  const why = sessionKind(ref.kind)?.isLogHead
    ? 'the head of a log moves with its records'
    : REFUSED[ref.kind]
  if (why !== undefined) throw new SessError('bad-ref', name, { detail: why })
  return ref
}

async function valueOf(reader: Reader, { kind }: TypedRef, text: string): Promise<RefValue> {
  if (kind !== 'HEAD') return (await resolve(reader, text)).oid
  if (text === ROOT) return refValue({ oid: null })
  if (!text.startsWith('ref:')) return refValue({ oid: (await resolve(reader, text)).oid })
  const branch = text.slice('ref:'.length)
  const ref = typedSessionRef(`sessions/x/branches/${branch}`)
  if (!ref) throw new SessError('bad-name', branch)
  return refValue({ branch: unescapePart(branch) })
}

function expectValue(name: string, expected: string | undefined, found: string | undefined): void {
  if (expected === found) return
  const detail = `expected ${expected ?? 'no such ref'}, found ${found ?? 'no such ref'}`
  throw new SessError('conflict', name, { detail })
}

/** Throws if the HEAD of a session would be on a branch that is removed or missing. */
async function checkStanding(
  reader: Reader,
  session: string,
  after: ReadonlyMap<RefName, RefValue | undefined>,
): Promise<void> {
  const valueAfter = async (ref: RefName): Promise<RefValue | undefined> =>
    after.has(ref) ? after.get(ref) : reader.ref(ref)
  const name = headRef(session)
  const value = await valueAfter(name)
  const head = value === undefined ? ON_MAIN : checkedValue(name, value)
  if (!('branch' in head)) return
  const ref = branchRef(session, head.branch)
  if ((await valueAfter(ref)) !== undefined) return
  if ((await reader.ref(ref)) !== undefined)
    throw new SessError('current-branch', `${session}/${head.branch}`)
  if (after.has(headRef(session))) throw new SessError('no-branch', `${session}/${head.branch}`)
}
