import { SessError } from '../../model/errors.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Oid } from '../../model/oid.ts'
import type { RefValue } from '../../model/operation.ts'
import { branchRef, headRef, type RefName } from '../../model/refname.ts'
import type { Reader } from '../../repo/reader.ts'
import { type ResolvedRevision, resolve, resolveSession, STEPS } from '../../repo/revision.ts'
import { type Head, refValue, type Session } from '../../repo/session.ts'

/** A ref that entries are added to: a branch, or HEAD of a session that stands on none. */
export interface Place {
  readonly ref: RefName
  readonly before: RefValue | undefined
  /** What the ref holds with another tip. */
  readonly holds: (tip: Oid) => RefValue
  readonly tip: { readonly oid: Oid; readonly handle: EntryHandle } | undefined
}

/** Gives where entries go: '' is the entry that the session stands on; undefined where there is no such branch. */
export async function placeOf(
  reader: Reader,
  session: string,
  name: string,
  head: Head,
): Promise<Place | undefined> {
  const detached = name === '' && 'oid' in head
  const ref = detached ? headRef(session) : branchRef(session, name)
  const isCurrent = detached || ('branch' in head && head.branch === name)
  const holds = detached ? (to: Oid) => refValue({ oid: to }) : (to: Oid) => to
  const before = await reader.ref(ref)
  if (before === undefined && !isCurrent) return undefined
  const oid = detached ? head.oid : (before as Oid | undefined)
  const handle = oid ? await reader.find(oid) : undefined
  if (oid && handle === undefined) throw new SessError('corrupt', `the entry ${oid} is missing`)
  return { ref, before, holds, tip: oid && handle !== undefined ? { oid, handle } : undefined }
}

/** A place with the session that it is of, and its branch; null where the session stands on none. */
export interface NamedPlace extends Place {
  readonly session: Session
  readonly branch: string | null
}

/** Which place is meant. */
export interface PlaceName {
  /** A branch of the session, or `SESSION/BRANCH`: where the session stands unless said. */
  readonly branch?: string
  /** The session: `@` unless said. */
  readonly session?: string
}

/** Gives the place that somebody named. Throws `no-session` and `no-branch`. */
export async function placeNamed(
  reader: Reader,
  { branch, session = '@' }: PlaceName,
  cwd: string,
): Promise<NamedPlace> {
  const [owner, name] = await namedBranch(reader, branch, session, cwd)
  const place = await placeOf(reader, owner.id, name, owner.head)
  if (!place) throw new SessError('no-branch', `${owner.id}/${name}`)
  return { ...place, session: owner, branch: name === '' ? null : name }
}

async function namedBranch(
  reader: Reader,
  branch: string | undefined,
  session: string,
  cwd: string,
): Promise<[Session, string]> {
  const slash = branch?.indexOf('/') ?? -1
  if (branch === undefined || slash < 0) {
    const owner =
      branch === undefined
        ? await resolveSession(reader, session, cwd)
        : await sessionNear(reader, session, cwd)
    if (!owner)
      throw new SessError('no-branch', branch ?? '', {
        hint: 'say whose it is: SESSION/BRANCH, or --session SESSION',
      })
    return [owner, branch ?? ('branch' in owner.head ? owner.head.branch : '')]
  }
  const at = await resolveIn(reader, branch, session, cwd)
  const owner = at.session
  if (!owner || at.branch === undefined || owner.branches.get(at.branch) !== at.oid)
    throw new SessError('no-branch', branch)
  return [owner, at.branch]
}

/** Resolves a revision whose base may be the bare name of a branch or a label of a session, or HEAD: that goes first. */
export async function resolveIn(
  reader: Reader,
  text: string,
  session: Session | string | undefined,
  cwd: string,
): Promise<ResolvedRevision> {
  const owner = typeof session === 'string' ? await sessionNear(reader, session, cwd) : session
  const base = text.replace(STEPS, '')
  const isOwn = owner && (owner.branches.has(base) || owner.labels.has(base) || base === 'HEAD')
  return resolve(reader, isOwn ? `${owner.id}/${text}` : text, cwd)
}

/** Gives the session that a text names; undefined where `@` is none, for a revision may name its own. */
async function sessionNear(reader: Reader, text: string, cwd: string): Promise<Session | undefined> {
  try {
    return await resolveSession(reader, text, cwd)
  } catch (error) {
    if (text === '@' && error instanceof SessError && error.code === 'no-session') return undefined
    throw error
  }
}
