import { ancestor } from '../graph/walk.ts'
import { SessError } from '../model/errors.ts'
import type { EntryHandle } from '../model/node.ts'
import { typable } from '../model/shellword.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { noTipError, resolveSession } from '../repo/revision.ts'
import type { Session } from '../repo/session.ts'
import { standsOn } from './navigate.ts'
import { placeInSession } from './switch.ts'
import { leftPath, moveInTree, type TreeMove, type TreeOptions, type TreePlan } from './treemove.ts'
import { lastPrompt, userMessageAt } from './usermessage.ts'

/** Where a session goes back to, and how. */
export interface PopOptions extends Omit<TreeOptions, 'wantsSummary'> {
  /** The session that goes back: the one through which the revision names its entry unless said, else `@`. */
  readonly session?: string
  /** Go back to before the first entry. */
  readonly root?: boolean
}

/**
 * Goes back on the path that a session stands on, and leaves a summary there that stands for what was left: to before
 * the last message of the user, or before the one that is named, whose text is given back; to any other entry that is
 * named. The current branch goes back too; what is left is a branch of its own. A revision that names where the session
 * stands means the last message of the user. Throws `nothing-to-pop`, `no-entry` for an entry that is not on the path,
 * and as `moveInTree`.
 */
export function pop(
  repo: Repo,
  revision?: string,
  { session, root = false, ...options }: PopOptions = {},
): Promise<TreeMove> {
  const plan = async (reader: Reader): Promise<TreePlan> => {
    const { cwd } = repo.env
    const place = revision === undefined ? undefined : await placeInSession(reader, revision, session, cwd)
    const owner = place?.owner ?? (await resolveSession(reader, session ?? '@', cwd))
    const old = await standsOn(reader, owner)
    if (old === undefined) throw noTipError(owner.id, owner)
    const named = place && ((await reader.find(place.oid)) as EntryHandle)
    if (root) return planBack(reader, owner, { old, target: undefined, text: null })
    if (named === undefined || named === old) {
      const prompt = await lastPrompt(reader, old)
      if (!prompt) throw new SessError('nothing-to-pop', owner.id)
      return planBack(reader, owner, { old, target: prompt.handle, text: prompt.text })
    }
    const steps = (await reader.node(old)).depth - (await reader.node(named)).depth
    if ((await ancestor(old, Math.max(0, steps), (handle) => reader.node(handle))) !== named)
      throw new SessError('no-entry', `${revision}`, {
        detail: `it is not on the path that ${owner.id} stands on`,
        hint: `go there with 'sess navigate --digest ${typable(`${revision}`, 'REVISION')}'; nothing was changed`,
      })
    return planBack(reader, owner, {
      old,
      target: named,
      text: (await userMessageAt(reader, named))?.text ?? null,
    })
  }
  return moveInTree(repo, plan, { ...options, wantsSummary: true })
}

interface Back {
  readonly old: EntryHandle
  readonly target: EntryHandle | undefined
  readonly text: string | null
}

async function planBack(reader: Reader, session: Session, { old, target, text }: Back): Promise<TreePlan> {
  const to = text === null || target === undefined ? target : (await reader.node(target)).parents[0]
  return { reason: 'pop', session, target, to, text, left: await leftPath(reader, old, to) }
}
