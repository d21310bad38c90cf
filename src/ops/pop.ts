import { ancestor } from '../graph/walk.ts'
import { SessError } from '../model/errors.ts'
import type { EntryHandle } from '../model/node.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { noTipError, resolveSession } from '../repo/revision.ts'
import type { SessionTrunk } from '../repo/session.ts'
import { headEntry } from './navigate.ts'
import { placeInSession } from './switch.ts'
import { leftPath, moveInTree, type TreeMove, type TreeOptions, type TreePlan } from './treemove.ts'
import { lastPrompt, userMessageAt } from './usermessage.ts'

/** Options of a pop. */
export interface PopOptions extends Omit<TreeOptions, 'wantsSummary'> {
  /** The session: by default the one that the revision names, else `@`. */
  readonly session?: string
  /** Go back to before the first entry. */
  readonly root?: boolean
}

/**
 * Moves a session back on its path, with its current branch, and appends a summary of the entries that it leaves: before
 * the last message of the user, before a named message of the user, or to any other named entry. Returns the text of the
 * message. The entries that are left get a branch of their own. A revision that names the tip stands for the last message
 * of the user. Throws `nothing-to-pop`, `no-entry` for an entry that is not on the path, and as `moveInTree`.
 */
export function pop(
  repo: Repo,
  revision?: string,
  { session, root = false, ...options }: PopOptions = {},
): Promise<TreeMove> {
  const plan = async (reader: Reader): Promise<TreePlan> => {
    const place = revision === undefined ? undefined : await placeInSession(reader, revision, session)
    const owner = place?.owner ?? (await resolveSession(reader, session ?? '@'))
    const old = await headEntry(reader, owner)
    if (old === undefined) throw noTipError(owner.id, owner)
    const named = place && ((await reader.find(place.oid)) as EntryHandle)
    if (root) return planBack(reader, owner, { old, target: undefined, text: null })
    if (named === undefined || named === old) {
      const prompt = await lastPrompt(reader, old)
      if (!prompt) throw new SessError('nothing-to-pop', owner.id)
      return planBack(reader, owner, { old, target: prompt.handle, text: prompt.text })
    }
    const steps = (await reader.node(old)).depth - (await reader.node(named)).depth
    if ((await ancestor(old, Math.max(0, steps), lookIn(reader))) !== named)
      throw new SessError('no-entry', `${revision}`, {
        detail: `it is not on the path that ${owner.id} stands on`,
        remedy: { kind: 'navigate', revision: `${revision}` },
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

async function planBack(
  reader: Reader,
  session: SessionTrunk,
  { old, target, text }: Back,
): Promise<TreePlan> {
  const to = text === null || target === undefined ? target : (await reader.node(target)).parents[0]
  return { reason: 'pop', session, target, to, text, left: await leftPath(reader, old, to) }
}
