import { baseOnPath, pathSince } from '../graph/mergebase.ts'
import { isAncestor } from '../graph/walk.ts'
import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import { lookIn } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import { namedTarget, resolveIn } from './append/branchtarget.ts'
import { moveTo, Replay, type ReplayResult } from './replay.ts'

/** Options of a rebase. */
export interface RebaseOptions {
  /** `SESSION/BRANCH`, or a branch of the session; that of HEAD by default. */
  readonly branch?: string
  /** The new base: the upstream by default. */
  readonly onto?: string
  /** The session of the branch: `@` by default. */
  readonly session?: string
}

/** The result of a rebase. */
export interface Rebased extends ReplayResult {
  readonly onto: Oid
  readonly change: 'rebased' | 'fast-forward' | 'up-to-date'
}

/**
 * Replays the entries of a branch that the upstream lacks after another entry, and moves the branch there. A branch that
 * continues that entry already is up to date: nothing is written. A branch that the upstream contains is fast-forwarded.
 * Throws as `resolve`, `no-branch`, and `empty-session`.
 */
export async function rebase(
  repo: Repo,
  upstream: string,
  { branch, onto, session }: RebaseOptions = {},
): Promise<Rebased> {
  return repo.write({ bulk: true }, async (change) => {
    const { reader } = change
    const look = lookIn(reader)
    const place = await namedTarget(reader, { branch, session })
    const { tip } = place
    if (!tip) throw new SessError('empty-session', place.session.id)
    const from = await resolveIn(reader, upstream, place.session)
    const to = onto === undefined ? from : await resolveIn(reader, onto, place.session)
    const brought = {
      session: place.session.id,
      branch: place.branch,
      before: tip.oid,
      onto: to.oid,
      map: [],
      lost: [],
    }
    const base = await baseOnPath(tip.handle, from.handle, look)
    if (base === to.handle) return { ...brought, tip: tip.oid, change: 'up-to-date' }
    const handles = await pathSince(tip.handle, from.handle, look)
    const replay = await Replay.begin(repo, change, place.session.id, to.handle, {
      verb: 'rebase',
      keep: true,
    })
    await replay.add(handles.map((handle) => ({ handle, session: place.session })))
    const { tip: now, ...done } = replay.end()
    const isForward = handles.length === 0 && (await isAncestor(tip.handle, to.handle, look))
    return {
      ...brought,
      ...done,
      tip: await moveTo(change, place, now),
      change: isForward ? 'fast-forward' : 'rebased',
    }
  })
}
