import { formatNamed } from '../../formats/registry.ts'
import { AWAITED, awaitedBy, metaRef } from '../../model/refname.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change, Repo, WriteOptions } from '../../repo/repo.ts'
import { allSessions, findSession, refValue, type SessionState, type SourceHead } from '../../repo/session.ts'
import {
  type BasedSession,
  BaseFinder,
  type BaseSearch,
  type FoundBase,
  pageOf,
  sharedWith,
} from '../import/base.ts'
import { SessionIds } from '../import/sessionids.ts'
import { moveReferences, type Replacements, type RereadSession } from './carryrefs.ts'
import { rereadSession } from './rereadsession.ts'

/** Joins sessions that waited for a base with one of these ids, and what stands on them. Returns what came of each. */
export async function joinBases(
  repo: Repo,
  writing: WriteOptions,
  arrived: ReadonlySet<string>,
): Promise<BasedSession[]> {
  const waiting = await repo.read(async (reader) => {
    const sessions: string[] = []
    for await (const [name] of reader.refs(AWAITED)) {
      const awaited = awaitedBy(name)
      if (awaited && arrived.has(awaited.base)) sessions.push(awaited.session)
    }
    return sessions
  })
  return waiting.length === 0 ? [] : placeAgain(repo, writing, waiting, new Map())
}

/** Places the sessions again that stand on sessions which were read again. */
export async function placeStanding(
  repo: Repo,
  writing: WriteOptions,
  again: readonly RereadSession[],
  replacements: Replacements,
): Promise<BasedSession[]> {
  const standing = await repo.read((reader) => standingOn(reader, again))
  return standing.length === 0 ? [] : placeAgain(repo, writing, standing, replacements)
}

/** The number of bytes of sources that are read again in one transaction. */
const BATCH = 64 << 20

/**
 * Reads sessions again on their bases as these are now, then those that stand on them, until all stand where their sources
 * say. A base never refers to what stands on it, so this ends.
 */
async function placeAgain(
  repo: Repo,
  writing: WriteOptions,
  sessions: readonly string[],
  replacements: Replacements,
): Promise<BasedSession[]> {
  const placed: BasedSession[] = []
  for (let open = [...sessions]; open.length > 0; ) {
    const again: RereadSession[] = []
    while (open.length > 0) {
      const batch = await repo.write(writing, (change) => placeBatch(repo, change, open, replacements))
      placed.push(...batch.placed)
      again.push(...batch.again)
      open = open.slice(batch.count)
    }
    open = await repo.read((reader) => standingOn(reader, again))
  }
  return placed
}

interface PlacedBatch {
  readonly placed: readonly BasedSession[]
  readonly again: readonly RereadSession[]
  /** The number of sessions that were looked at. */
  readonly count: number
}

async function placeBatch(
  repo: Repo,
  change: Change,
  sessions: readonly string[],
  replacements: Replacements,
): Promise<PlacedBatch> {
  const { reader } = change
  const bases = new BaseFinder(reader, new SessionIds(reader))
  const placed: BasedSession[] = []
  const again: RereadSession[] = []
  let [count, bytes] = [0, 0]
  for (const id of sessions) {
    if (bytes >= BATCH) break
    count++
    const session = await findSession(reader, id)
    const format = session && formatNamed(session.meta.format)
    const { source } = session ?? {}
    if (!source?.origin || !format) continue
    const { entry, inherited: _, ...named } = source.origin
    const found = await bases.find(named, format, pageOf(id, session.meta))
    if (entry !== undefined && (await isPlacedOn(change, session, source, found))) continue
    const outcome = typeof found === 'string' ? found : 'joined'
    placed.push({ session: id, base: named.session, outcome })
    if (typeof found === 'string') continue
    bytes += source.bytes
    again.push(
      await rereadSession(repo, change, { session, source, format, base: { named, found } }, replacements),
    )
  }
  await moveReferences(change, again, replacements)
  return { placed, again, count }
}

/**
 * Returns whether a session that stands on a base stays there: it is the same, or is no longer in the store. The logs with
 * the records of its path may have changed.
 */
async function isPlacedOn(
  { reader, move }: Change,
  { id, meta }: SessionState,
  { origin }: SourceHead,
  found: BaseSearch,
): Promise<boolean> {
  if (typeof found === 'string') return true
  const entry = found.entry === undefined ? null : await reader.oid(found.entry)
  if (entry !== origin?.entry) return false
  const now = { ...meta, fork: await sharedWith(reader, found satisfies FoundBase) }
  if (JSON.stringify(now) !== JSON.stringify(meta)) move(metaRef(id), refValue(meta), refValue(now))
  return true
}

/** Returns the sessions whose sources stand on one of some sessions. */
async function standingOn(reader: Reader, again: readonly RereadSession[]): Promise<string[]> {
  const ids = new Set(again.map(({ session }) => session.id))
  const pages = new Set(again.map(({ session: { id, meta } }) => pageOf(id, meta)))
  const found: string[] = []
  if (ids.size === 0) return found
  for await (const { id, meta, source } of allSessions(reader)) {
    const { entry, session } = source?.origin ?? {}
    if (entry === undefined || session === undefined) continue
    if (pages.has(session) || ids.has(meta.fork?.from ?? '')) found.push(id)
  }
  return found
}

/** Yields the sessions that do not stand on the bases that their sources name, and why. */
export async function* waitingSessions(reader: Reader): AsyncGenerator<BasedSession> {
  let bases: BaseFinder | undefined
  for await (const { id, meta, source } of allSessions(reader)) {
    const format = source?.origin && source.origin.entry === undefined ? formatNamed(meta.format) : undefined
    if (!format || !source?.origin) continue
    bases ??= new BaseFinder(reader, new SessionIds(reader))
    const found = await bases.find(source.origin, format, pageOf(id, meta))
    yield { session: id, base: source.origin.session, outcome: typeof found === 'string' ? found : 'missing' }
  }
}
