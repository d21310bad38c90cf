import { viewOf } from '../formats/registry.ts'
import { forkPoint, pathSince } from '../graph/range.ts'
import { isAncestor } from '../graph/walk.ts'
import { SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import { type EntryHandle, NEAR } from '../model/node.ts'
import { type Oid, short } from '../model/oid.ts'
import { SETS_MODE, SETS_MODEL, SETS_THINKING, type Setting } from '../model/view.ts'
import type { Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import type { ResolvedRevision } from '../repo/revision.ts'
import { type NamedTarget, namedTarget, resolveIn } from './append/branchtarget.ts'
import { bodyFrom, NativeLog } from './append/nativelog.ts'
import { indexWaiting } from './indexing.ts'
import { moveTo, type ReplayResult } from './replay.ts'

/** What is merged into what, and how. */
export interface MergeOptions {
  /** The branch that it is merged into: `SESSION/BRANCH`, or one of the session: where the session stands unless said. */
  readonly into?: string
  /** The session; `@` unless said. */
  readonly session?: string
  /** Stands in the context instead of the entries that are merged. */
  readonly summary?: string
  /** `never` makes an entry where the branch could move forward, `only` makes none; `auto` unless said. */
  readonly forward?: 'auto' | 'never' | 'only'
}

/** A setting that differs on the two sides, null where one has none: the first side's stays. */
export interface Settled {
  readonly setting: 'model' | 'thinking' | 'mode'
  readonly kept: Json
  readonly other: Json
}

/** What a merge did. */
export interface Merged extends Omit<ReplayResult, 'map' | 'lost'> {
  readonly change: 'merged' | 'fast-forward' | 'up-to-date'
  readonly other: Oid
  /** The newest entry of the other side's path that this side has; null where they share none. */
  readonly base: Oid | null
  /** How many entries of the other side's path this side did not have. */
  readonly entries: number
  readonly settled: readonly Settled[]
}

/**
 * Merges what a revision names into a branch: the branch moves forward where that is all it takes, else an entry with
 * both as its parents brings what only the other side has. Throws as `resolve`, `no-branch`, and `diverged` where it
 * was to move forward only.
 */
export async function merge(
  repo: Repo,
  revision: string,
  { into, session, summary, forward = 'auto' }: MergeOptions = {},
): Promise<Merged> {
  return repo.write({ bulk: true }, async (change) => {
    const { reader, writer } = change
    const look = (handle: EntryHandle) => reader.node(handle)
    const where = { ...(into !== undefined && { branch: into }), ...(session !== undefined && { session }) }
    const place = await namedTarget(reader, where, repo.env.cwd)
    const other = await resolveIn(reader, revision, place.session, repo.env.cwd)
    const ours = place.tip?.handle
    const base = ours === undefined ? undefined : await forkPoint(other.handle, ours, look)
    const done = {
      session: place.session.id,
      branch: place.branch,
      before: place.tip?.oid ?? null,
      other: other.oid,
      base: base === undefined ? null : await reader.oid(base),
      settled: [],
    }
    if (base === other.handle) return { ...done, tip: done.before, entries: 0, change: 'up-to-date' }
    const entries = (await pathSince(other.handle, ours, look)).length
    const mayMove = forward !== 'never' && summary === undefined
    if (ours === undefined || (mayMove && (await isAncestor(ours, other.handle, look))))
      return { ...done, tip: await moveTo(change, place, other.handle), entries, change: 'fast-forward' }
    if (forward === 'only') throw new SessError('diverged', `${place.session.id}/${place.branch ?? 'HEAD'}`)
    await indexWaiting(reader, writer)
    const nativeLog = await NativeLog.begin(repo, change, place.session.id)
    const settled = await settledOf(reader, ours, other.handle)
    const body = bodyFrom({
      from: nameOf(other, place),
      ...(summary !== undefined && { summary }),
      ...(settled.length > 0 && { settled }),
    })
    const origin = { verb: 'merge', oid: other.oid, ...(other.session && { session: other.session.id }) }
    const { handle } = await nativeLog.add({
      type: 'sess/merge',
      body,
      parents: [ours, other.handle],
      ...(base !== undefined && { links: { target: base } }),
      value: { body, origin },
      at: ['body'],
    })
    nativeLog.end()
    return { ...done, tip: await moveTo(change, place, handle), entries, settled, change: 'merged' }
  })
}

/** Returns what a side of a merge is called in its entry: its branch, with the session where that is another. */
function nameOf({ oid, session, branch }: ResolvedRevision, place: NamedTarget): string {
  if (!session || branch === undefined || session.branches.get(branch) !== oid) return short(oid)
  return session.id === place.session.id ? branch : `${session.id.slice(0, 8)}/${branch}`
}

/** Returns the settings that differ on two sides. */
async function settledOf(reader: Reader, ours: EntryHandle, other: EntryHandle): Promise<Settled[]> {
  const [kept, left] = [await settingsAt(reader, ours), await settingsAt(reader, other)]
  return (['model', 'thinking', 'mode'] as const).flatMap((setting) => {
    const [a, b]: Json[] = [kept[setting] ?? null, left[setting] ?? null]
    return JSON.stringify(a) === JSON.stringify(b) ? [] : [{ setting, kept: a as Json, other: b as Json }]
  })
}

/** Returns the settings in force at an entry. */
async function settingsAt(reader: Reader, handle: EntryHandle): Promise<Setting> {
  const { near } = await reader.node(handle)
  const settings: Setting[] = []
  for (const [bit, name] of [
    [SETS_MODEL, 'model'],
    [SETS_THINKING, 'thinking'],
    [SETS_MODE, 'mode'],
  ] as const) {
    const setter = near[NEAR.indexOf(bit)]
    if (setter === undefined) continue
    const { sets } = viewOf((await reader.node(setter)).type, await reader.body(setter))
    settings.push({ [name]: sets?.[name] })
  }
  return Object.assign({}, ...settings) as Setting
}
