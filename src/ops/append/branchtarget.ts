import { isOid, type Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { RefValue } from '../../model/operation.ts'
import { branchRef, headRef, type RefName } from '../../model/refname.ts'
import { checkedValue } from '../../model/refs/table.ts'
import type { Reader } from '../../repo/reader.ts'
import { type ResolvedRevision, resolve, resolveSession, STEPS, unlessNone } from '../../repo/revision.ts'
import { branchTip, type Head, refValue, type SessionTrunk } from '../../repo/session.ts'

/** A ref that entries are appended to: a branch, or the HEAD of a session whose HEAD is detached. */
export interface BranchTarget {
  readonly ref: RefName
  readonly before: RefValue | undefined
  /** Returns the value of the ref with another tip. */
  readonly holds: (tip: Oid) => RefValue
  readonly tip: { readonly oid: Oid; readonly handle: EntryHandle } | undefined
}

/** Returns the target of a branch name; '' is HEAD. Undefined where there is no such branch. */
export async function targetOf(
  reader: Reader,
  session: string,
  name: string,
  head: Head,
): Promise<BranchTarget | undefined> {
  const detached = name === '' && 'oid' in head
  const ref = detached ? headRef(session) : branchRef(session, name)
  const isCurrent = detached || ('branch' in head && head.branch === name)
  const holds = detached ? (to: Oid) => refValue({ oid: to }) : (to: Oid) => to
  const before = await reader.ref(ref)
  if (before === undefined && !isCurrent) return undefined
  const oid = detached ? head.oid : before === undefined ? undefined : oidIn(ref, before)
  const handle = oid ? await reader.find(oid) : undefined
  if (oid && handle === undefined) throw new SessError('corrupt', `the entry ${oid} is missing`)
  return { ref, before, holds, tip: oid && handle !== undefined ? { oid, handle } : undefined }
}

/** Returns the oid that a branch names. Throws `corrupt` where its value is none. */
const oidIn = (ref: RefName<Oid | Head>, value: RefValue): Oid =>
  typeof value === 'string' && isOid(value) ? value : (checkedValue(ref, value) as Oid)

/** A target with its session and its branch; null where HEAD is detached. */
export interface NamedTarget extends BranchTarget {
  readonly session: SessionTrunk
  readonly branch: string | null
}

/** Names a target. */
export interface TargetName {
  /** A branch of the session, or `SESSION/BRANCH`; HEAD by default. */
  readonly branch?: string | undefined
  /** The session; `@` by default. */
  readonly session?: string | undefined
}

/** Returns the target of a name. Throws `no-session` and `no-branch`. */
export async function namedTarget(
  reader: Reader,
  { branch, session = '@' }: TargetName,
): Promise<NamedTarget> {
  const [owner, name] = await namedBranch(reader, branch, session)
  const place = await targetOf(reader, owner.id, name, owner.head)
  if (!place) throw new SessError('no-branch', `${owner.id}/${name}`)
  return { ...place, session: owner, branch: name === '' ? null : name }
}

async function namedBranch(
  reader: Reader,
  branch: string | undefined,
  session: string,
): Promise<[SessionTrunk, string]> {
  const slash = branch?.indexOf('/') ?? -1
  if (branch === undefined || slash < 0) {
    const owner =
      branch === undefined ? await resolveSession(reader, session) : await sessionNear(reader, session)
    if (!owner)
      throw new SessError('no-branch', branch ?? '', {
        remedy: { kind: 'name-session-of-branch' },
      })
    return [owner, branch ?? ('branch' in owner.head ? owner.head.branch : '')]
  }
  const at = await resolveIn(reader, branch, session)
  const owner = at.session
  if (!owner || at.branch === undefined || (await branchTip(reader, owner, at.branch)) !== at.oid)
    throw new SessError('no-branch', branch)
  return [owner, at.branch]
}

/** Resolves a revision whose base may be the bare name of a branch or a label of a session, or HEAD: that goes first. */
export async function resolveIn(
  reader: Reader,
  text: string,
  session: SessionTrunk | string | undefined,
): Promise<ResolvedRevision> {
  const owner = typeof session === 'string' ? await sessionNear(reader, session) : session
  const base = text.replace(STEPS, '')
  const isOwn =
    owner &&
    (base === 'HEAD' || owner.labels.has(base) || (await branchTip(reader, owner, base)) !== undefined)
  return resolve(reader, isOwn ? `${owner.id}/${text}` : text)
}

/** Returns the session that a text names; undefined where `@` is none, because a revision may name its own. */
const sessionNear = (reader: Reader, text: string): Promise<SessionTrunk | undefined> =>
  text === '@' ? unlessNone(resolveSession(reader, text)) : resolveSession(reader, text)
