import { pathSince, range } from '../graph/range.ts'
import { isAncestor } from '../graph/walk.ts'
import { SessError } from '../model/errors.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Oid } from '../model/oid.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import type { Session } from '../repo/session.ts'
import { type NamedTarget, namedTarget, resolveIn } from './append/branchtarget.ts'
import { oidsOf } from './entries.ts'
import { moveTo, Replay, type ReplayResult, type ReplayStep } from './replay.ts'
import { rangeOf } from './revisionrange.ts'
import { withExchanges } from './toolexchange.ts'

/** What a cherry-pick takes, and where it goes. */
export interface PickOptions {
  /** The branch that it goes onto, `SESSION/BRANCH` or one of the session: where the session stands unless said. */
  readonly onto?: string
  /** The session that it goes to; `@` unless said. */
  readonly session?: string
  /** Leave out what the path that it goes onto has, or says in the same words since the two parted. */
  readonly skipPresent?: boolean
}

/** What a cherry-pick brought, with the entries that came along because their tool calls or results were taken. */
export interface Picked extends ReplayResult {
  readonly along: readonly Oid[]
  readonly skipped: readonly Oid[]
}

/**
 * Says entries and ranges again behind a tip: what revisions name, in the order in which they are named, of a range in
 * path order. A tool call brings its result and a result its call. Throws as `resolve`, and `bad-usage` for a range
 * with three dots.
 */
export async function cherryPick(
  repo: Repo,
  revisions: readonly string[],
  { onto, session, skipPresent = false }: PickOptions = {},
): Promise<Picked> {
  return repo.write({ bulk: true }, async (change) => {
    const { reader } = change
    const where = { ...(onto !== undefined && { branch: onto }), ...(session !== undefined && { session }) }
    const place = await namedTarget(reader, where, repo.env.cwd)
    const { steps, along } = await stepsOf(reader, revisions, place, repo.env.cwd)
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
  cwd: string,
): Promise<{ readonly steps: ReplayStep[]; readonly along: Set<EntryHandle> }> {
  const steps = new Map<EntryHandle, ReplayStep>()
  const along = new Set<EntryHandle>()
  for (const revision of revisions) {
    const { handles: named, session } = await handlesOf(reader, revision, place.session, cwd)
    const asked = new Set(named)
    for (const handle of await withExchanges(reader, named, session ?? place.session)) {
      if (!asked.has(handle)) along.add(handle)
      else along.delete(handle)
      if (!steps.has(handle)) steps.set(handle, { handle, ...(session && { session }) })
    }
  }
  return { steps: [...steps.values()], along }
}

/** Returns what a revision or a range names, in path order, and the session that it was named through. */
async function handlesOf(
  reader: Reader,
  revision: string,
  own: Session,
  cwd: string,
): Promise<{ readonly handles: EntryHandle[]; readonly session: Session | undefined }> {
  const find = (name: string) => resolveIn(reader, name, own, cwd)
  const found = await rangeOf(reader, revision, cwd, find)
  if (!found) {
    const { handle, session } = await find(revision)
    return { handles: [handle], session }
  }
  if (found.symmetric)
    throw new SessError('bad-usage', `'${revision}' names entries of two sides`, {
      hint: 'use two dots: A..B is what B has and A has not',
    })
  const { left, right } = found
  const handles: EntryHandle[] = []
  const look = (handle: EntryHandle) => reader.node(handle)
  for await (const handle of range([right.handle], [left.handle], look, { firstParent: true }))
    handles.push(handle)
  return { handles: handles.reverse(), session: right.session ?? left.session }
}

/** Returns those of some entries that a path has, or says in the same words since the two parted. */
async function presentIn(
  reader: Reader,
  tip: EntryHandle,
  steps: readonly ReplayStep[],
): Promise<Set<EntryHandle>> {
  const present = new Set<EntryHandle>()
  const [first] = steps
  if (!first) return present
  const look = (handle: EntryHandle) => reader.node(handle)
  const said = new Set<string>()
  for (const handle of await pathSince(tip, first.handle, look)) said.add(await wordsOf(reader, handle))
  for (const { handle } of steps) {
    const isSaid = said.has(await wordsOf(reader, handle))
    if (isSaid || (await isAncestor(handle, tip, look))) present.add(handle)
  }
  return present
}

async function wordsOf(reader: Reader, handle: EntryHandle): Promise<string> {
  const { type, digest } = await reader.node(handle)
  return `${type} ${digest}`
}
