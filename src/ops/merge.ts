import { baseOnPath, pathSince } from '../graph/mergebase.ts'
import { isAncestor } from '../graph/walk.ts'
import { type Oid, short } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import { type EntryHandle, NEAR } from '../model/node.ts'
import { SETS_MODE, SETS_MODEL, SETS_THINKING, type Setting } from '../model/view.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import type { Repo } from '../repo/repo.ts'
import type { ResolvedRevision } from '../repo/revision.ts'
import { branchTip } from '../repo/session.ts'
import { type NamedTarget, namedTarget, resolveIn } from './append/branchtarget.ts'
import { bodyFrom, NativeLog } from './append/nativelog.ts'
import { oidOrNull, viewAt } from './entries.ts'
import { indexWaiting } from './indexing.ts'
import { moveTo, type ReplayResult } from './replay.ts'

/** Options of a merge. */
export interface MergeOptions {
  /** The branch to merge into: `SESSION/BRANCH`, or one of the session; that of HEAD by default. */
  readonly into?: string
  /** The session: `@` by default. */
  readonly session?: string
  /** Replaces the merged entries in the context. */
  readonly summary?: string
  /** `never` adds a merge entry even if a fast-forward is possible, `only` never adds one. `auto` by default. */
  readonly forward?: 'auto' | 'never' | 'only'
}

/** A setting that differs between the sides, null where unset. The value of the first side is kept. */
export interface SettingConflict {
  readonly setting: 'model' | 'thinking' | 'mode'
  readonly kept: Json
  readonly other: Json
}

/** The result of a merge. */
export interface Merged extends Omit<ReplayResult, 'map' | 'lost'> {
  readonly change: 'merged' | 'fast-forward' | 'up-to-date'
  readonly other: Oid
  /** The newest entry on the other side's path that this side reaches; null if there is none. */
  readonly base: Oid | null
  /** The number of entries on the other side's path that this side did not reach. */
  readonly entries: number
  readonly settled: readonly SettingConflict[]
}

/**
 * Merges a revision into a branch: by a fast-forward if possible, else by a merge entry with both tips as its parents.
 * Throws as `resolve`, `no-branch`, and `diverged` if only a fast-forward is allowed and none is possible.
 */
export async function merge(
  repo: Repo,
  revision: string,
  { into, session, summary, forward = 'auto' }: MergeOptions = {},
): Promise<Merged> {
  return repo.write({ bulk: true }, async (change) => {
    const { reader, writer } = change
    const look = lookIn(reader)
    const target = await namedTarget(reader, { branch: into, session })
    const other = await resolveIn(reader, revision, target.session)
    const ours = target.tip?.handle
    const base = ours === undefined ? undefined : await baseOnPath(other.handle, ours, look)
    const done = {
      session: target.session.id,
      branch: target.branch,
      before: target.tip?.oid ?? null,
      other: other.oid,
      base: await oidOrNull(reader, base),
      settled: [],
    }
    if (base === other.handle) return { ...done, tip: done.before, entries: 0, change: 'up-to-date' }
    const entries = (await pathSince(other.handle, ours, look)).length
    const mayMove = forward !== 'never' && summary === undefined
    if (ours === undefined || (mayMove && (await isAncestor(ours, other.handle, look))))
      return { ...done, tip: await moveTo(change, target, other.handle), entries, change: 'fast-forward' }
    if (forward === 'only') throw new SessError('diverged', `${target.session.id}/${target.branch ?? 'HEAD'}`)
    await indexWaiting(reader, writer)
    const nativeLog = await NativeLog.begin(change, target.session.id)
    const settled = await differingSettings(reader, ours, other.handle)
    const body = bodyFrom({
      from: await nameOf(reader, other, target),
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
    return { ...done, tip: await moveTo(change, target, handle), entries, settled, change: 'merged' }
  })
}

/** Returns the name of a side for the merge entry: its branch, with the session if that is another one. */
async function nameOf(
  reader: Reader,
  { oid, session, branch }: ResolvedRevision,
  target: NamedTarget,
): Promise<string> {
  if (!session || branch === undefined || (await branchTip(reader, session, branch)) !== oid)
    return short(oid)
  return session.id === target.session.id ? branch : `${session.id.slice(0, 8)}/${branch}`
}

async function differingSettings(
  reader: Reader,
  ours: EntryHandle,
  other: EntryHandle,
): Promise<SettingConflict[]> {
  const [kept, left] = [await settingsAt(reader, ours), await settingsAt(reader, other)]
  return (['model', 'thinking', 'mode'] as const).flatMap((setting) => {
    const [a, b]: Json[] = [kept[setting] ?? null, left[setting] ?? null]
    return JSON.stringify(a) === JSON.stringify(b) ? [] : [{ setting, kept: a as Json, other: b as Json }]
  })
}

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
    const { sets } = await viewAt(reader, setter)
    settings.push({ [name]: sets?.[name] })
  }
  return Object.assign({}, ...settings) as Setting
}
