import { pathSince } from '../graph/mergebase.ts'
import { range } from '../graph/range.ts'
import { isAncestor } from '../graph/walk.ts'
import { collected } from '../model/async.ts'
import type { Oid } from '../model/encoding/oid.ts'
import type { EntryHandle } from '../model/node.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import type { SessionTrunk } from '../repo/session.ts'
import { type NamedTarget, namedTarget, resolveIn } from './append/branchtarget.ts'
import { oidsOf } from './entries.ts'
import { moveTo, Replay, type ReplayResult, type ReplayStep } from './replay.ts'
import { pathRangeOf } from './revisionrange.ts'
import { withExchanges } from './toolexchange.ts'

/** Options of a cherry-pick. */
export interface PickOptions {
  /** The branch to append to: `SESSION/BRANCH`, or one of the session; that of HEAD by default. */
  readonly onto?: string
  /** The session to append to: `@` by default. */
  readonly session?: string
  /** Skip entries that the branch has, or whose bodies it repeats after the fork point. */
  readonly skipPresent?: boolean
}

/** The result of a cherry-pick, with the entries that were added because their tool calls or results were picked. */
export interface Picked extends ReplayResult {
  readonly along: readonly Oid[]
  readonly skipped: readonly Oid[]
}

/**
 * Replays entries and ranges on a branch, in the order of the revisions, those of a range in path order. A tool call brings
 * its result, and a result its call. Throws as `resolve`, and `bad-usage` for a range with three dots.
 */
export async function cherryPick(
  repo: Repo,
  revisions: readonly string[],
  { onto, session, skipPresent = false }: PickOptions = {},
): Promise<Picked> {
  return repo.write({ bulk: true }, async (change) => {
    const { reader } = change
    const place = await namedTarget(reader, { branch: onto, session })
    const { steps, along } = await stepsOf(reader, revisions, place)
    const tip = place.tip?.handle
    const here =
      skipPresent && tip !== undefined ? await presentIn(reader, tip, steps) : new Set<EntryHandle>()
    const replay = await Replay.begin(repo, change, place.session.id, tip, { verb: 'cherry-pick' })
    await replay.add(steps.filter(({ handle }) => !here.has(handle)))
    const { tip: now, ...done } = replay.end()
    return {
      session: place.session.id,
      branch: place.branch,
      before: place.tip?.oid ?? null,
      tip: await moveTo(change, place, now),
      ...done,
      along: await oidsOf(reader, along),
      skipped: await oidsOf(reader, here),
    }
  })
}

async function stepsOf(
  reader: Reader,
  revisions: readonly string[],
  place: NamedTarget,
): Promise<{ readonly steps: ReplayStep[]; readonly along: Set<EntryHandle> }> {
  const steps = new Map<EntryHandle, ReplayStep>()
  const along = new Set<EntryHandle>()
  for (const revision of revisions) {
    const { handles: named, session } = await handlesOf(reader, revision, place.session)
    const asked = new Set(named)
    for (const handle of await withExchanges(reader, named, session ?? place.session)) {
      if (!asked.has(handle)) along.add(handle)
      else along.delete(handle)
      if (!steps.has(handle)) steps.set(handle, { handle, ...(session && { session }) })
    }
  }
  return { steps: [...steps.values()], along }
}

/** Returns the entries of a revision or a range, in path order, and the session through which they were named. */
async function handlesOf(
  reader: Reader,
  revision: string,
  own: SessionTrunk,
): Promise<{ readonly handles: EntryHandle[]; readonly session: SessionTrunk | undefined }> {
  const find = (name: string) => resolveIn(reader, name, own)
  const found = await pathRangeOf(reader, revision, find)
  if (!found) {
    const { handle, session } = await find(revision)
    return { handles: [handle], session }
  }
  const { left, right } = found
  const look = lookIn(reader)
  const handles = await collected(range([right.handle], [left.handle], look, { firstParent: true }))
  return { handles: handles.reverse(), session: right.session ?? left.session }
}

/** Returns the entries that a tip reaches, or whose bodies its path repeats after the fork point. */
async function presentIn(
  reader: Reader,
  tip: EntryHandle,
  steps: readonly ReplayStep[],
): Promise<Set<EntryHandle>> {
  const present = new Set<EntryHandle>()
  const [first] = steps
  if (!first) return present
  const look = lookIn(reader)
  const bodies = new Set<string>()
  for (const handle of await pathSince(tip, first.handle, look)) bodies.add(await bodyKey(reader, handle))
  for (const { handle } of steps) {
    const isRepeated = bodies.has(await bodyKey(reader, handle))
    if (isRepeated || (await isAncestor(handle, tip, look))) present.add(handle)
  }
  return present
}

async function bodyKey(reader: Reader, handle: EntryHandle): Promise<string> {
  const { type, digest } = await reader.node(handle)
  return `${type} ${digest}`
}
