import { SessError } from '../../model/errors.ts'
import type { Oid } from '../../model/oid.ts'
import { branchRef, checkName } from '../../model/refname.ts'
import type { Reader } from '../../repo/reader.ts'
import { type ResolvedRevision, resolveSession } from '../../repo/revision.ts'
import type { Session } from '../../repo/session.ts'
import { type Named, placeOf, resolveIn } from '../append/place.ts'

/** Where a compaction goes. */
export interface CompactPlace extends Named {
  readonly tip: ResolvedRevision
  /** Whether its branch is made for it. */
  readonly created: boolean
}

/** What a branch is called that is made for a compaction and that nobody named. */
const NAME = 'compacted'

/**
 * Gives where a compaction of what a revision names goes: on the branch whose tip that is, or where the session stands
 * on it; else, or with `branch`, on a new branch. Throws `exists`, `bad-name`, `bad-usage` and as `resolve`.
 */
export async function compactPlace(
  reader: Reader,
  cwd: string,
  revision: string,
  { session: named, branch }: { readonly session?: string; readonly branch?: string },
): Promise<CompactPlace> {
  const own = named === undefined ? undefined : await resolveSession(reader, named, cwd)
  const tip = await resolveIn(reader, revision, own, cwd)
  const session = own ?? tip.session
  if (!session)
    throw new SessError('bad-usage', `'${revision}' names an entry and no session`, {
      hint: 'name the session too, with --session SESSION',
    })
  if (branch !== undefined) {
    checkName(branch)
    if (session.branches.has(branch)) throw new SessError('exists', `${session.id}/${branch}`)
  }
  const name = branch ?? standing(session, tip) ?? freeName(session)
  const place = await placeOf(reader, session.id, name, session.head)
  const fresh = { ref: branchRef(session.id, name), before: undefined, holds: (to: Oid) => to }
  return {
    ...(place ?? fresh),
    session,
    tip,
    branch: name === '' ? null : name,
    created: place === undefined,
  }
}

/** Gives the branch whose tip an entry is, '' where the session stands on it detached; undefined for other entries. */
function standing({ id, branches, head }: Session, tip: ResolvedRevision): string | undefined {
  if (tip.session?.id === id && tip.branch !== undefined && branches.get(tip.branch) === tip.oid)
    return tip.branch
  if (!('branch' in head)) return head.oid === tip.oid ? '' : undefined
  return branches.get(head.branch) === tip.oid ? head.branch : undefined
}

function freeName({ branches }: Session): string {
  if (!branches.has(NAME)) return NAME
  for (let n = 2; ; n++) if (!branches.has(`${NAME}-${n}`)) return `${NAME}-${n}`
}
