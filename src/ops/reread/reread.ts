import type { Base, Format } from '../../formats/core/format.ts'
import { sampleOf } from '../../formats/core/sample.ts'
import { isGeneric } from '../../formats/generic/index.ts'
import { detectFormat, formatNamed } from '../../formats/registry.ts'
import { collected } from '../../model/async.ts'
import { joined } from '../../model/bytes.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Reader } from '../../repo/reader.ts'
import { valueAt } from '../../repo/records.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { resolveSession } from '../../repo/revision.ts'
import { allSessions, getSession, type SessionState, type SourceHead } from '../../repo/session.ts'
import { absolute } from '../../sources/files.ts'
import { oidOrNull } from '../entries.ts'
import { sourceBytes } from '../export/sourcebytes.ts'
import { type Grafting, graftUnresolved } from '../graft.ts'
import { BaseFinder, pageOf } from '../import/base.ts'
import type { Notice } from '../import/notices.ts'
import { SessionIds } from '../import/sessionids.ts'
import { sourceNames } from '../import/source.ts'
import type { UnresolvedParent } from '../import/unresolvedparents.ts'
import { moveReferences, type Replacements, type RereadSession } from './carryrefs.ts'
import { placeStanding } from './joinbases.ts'
import { rereadSession } from './rereadsession.ts'

/** A format and the number of its reading. */
export interface ReadAs {
  readonly format: string
  readonly reading: number
}

/** A session whose source was read again. */
export interface Reread {
  readonly session: string
  readonly before: ReadAs
  readonly now: ReadAs
  readonly records: number
  readonly entries: number
  /** The replacement of each changed entry; null if there is none. */
  readonly map: readonly (readonly [before: Oid, now: Oid | null])[]
  readonly warnings: readonly Notice[]
}

/** A session whose source is read by the newest reading already. */
export interface UnchangedReading extends ReadAs {
  readonly session: string
}

/** How sources are read again. */
export interface RereadOptions {
  /** Called with what came of each session. */
  readonly onSession?: (session: Reread | UnchangedReading) => void
}

/** The result of reading sources again. */
export interface RereadResult {
  readonly sessions: readonly (Reread | UnchangedReading)[]
  /** The results for entries with unresolved parents. */
  readonly grafts: readonly Grafting[]
}

/** The number of bytes from which the format is detected. */
const HEAD = 256 << 10

/**
 * Parses the stored bytes of sources again with the newest reading, if they were read with another one: of the named
 * sessions, or of those that were imported from a named path, else of all. Branches, labels, HEADs, appended entries, forks
 * and grafts move to the new entries. All of it is one operation; former entries stay. Throws as `resolveSession`.
 */
export async function rereadSources(
  repo: Repo,
  names: readonly string[],
  { onSession }: RereadOptions = {},
): Promise<RereadResult> {
  const ids = await repo.read((reader) => wantedIds(reader, names, repo.env.cwd), { plain: true })
  const writing = { bulk: true, dense: true, plain: true, coalesce: `reread ${repo.env.now()}` }
  const sessions: (Reread | UnchangedReading)[] = []
  const unresolved: UnresolvedParent[] = []
  const replacements: Replacements = new Map()
  for (const id of ids) {
    const done = await repo.write(writing, (change) => rereadOne(repo, change, id, unresolved, replacements))
    if (!done) continue
    if (done.again) await placeStanding(repo, writing, [done.again], replacements)
    sessions.push(done.result)
    onSession?.(done.result)
  }
  const grafts =
    unresolved.length === 0
      ? []
      : await repo.write(writing, (change) => graftUnresolved(change, unresolved, 'folder'))
  return { sessions, grafts }
}

async function wantedIds(reader: Reader, names: readonly string[], cwd: string): Promise<string[]> {
  const all: SessionState[] = []
  for await (const session of allSessions(reader)) if (session.source) all.push(session)
  if (names.length === 0) return all.map(({ id }) => id)
  const ids = new Set<string>()
  for (const name of names) {
    const path = absolute(cwd, name)
    const read = all.filter(({ meta }) => meta.path === path || meta.path?.startsWith(`${path}/`))
    for (const { id } of read) ids.add(id)
    if (read.length === 0) ids.add((await resolveSession(reader, name)).id)
  }
  return [...ids]
}

/** The result for one session, and what was read again. */
interface RereadOne {
  readonly result: Reread | UnchangedReading
  readonly again?: RereadSession
}

async function rereadOne(
  repo: Repo,
  change: Change,
  id: string,
  unresolved: UnresolvedParent[],
  replacements: Replacements,
): Promise<RereadOne | undefined> {
  const { reader } = change
  const session = await getSession(reader, id)
  const { source, meta } = session
  if (!source) return undefined
  const before = { format: meta.format, reading: source.reading }
  const format = await newestFormat(reader, session, source)
  const now = { format: format.name, reading: format.reading }
  if (now.format === before.format && now.reading === before.reading)
    return { result: { session: id, ...now } }
  const named = await namedBase(reader, source, format)
  const base = named && {
    named,
    found: await new BaseFinder(reader, new SessionIds(reader)).find(named, format, pageOf(id, meta)),
  }
  const again = await rereadSession(
    repo,
    change,
    { session, source, format, ...(base && { base }) },
    replacements,
  )
  await moveReferences(change, [again], replacements)
  const { ingester, map } = again.rereading
  for (const { handle, lacks, time } of ingester.sourceEntries.roots)
    if (lacks !== undefined)
      unresolved.push({ session: id, root: await reader.oid(handle), native: lacks, time })
  const result = {
    session: id,
    before,
    now,
    records: ingester.records,
    entries: ingester.sourceEntries.entries.size,
    map: await namedMap(reader, map),
    warnings: ingester.notices,
  }
  return { result, again }
}

/** Returns the base that the first record of a source names, as a format reads it. */
async function namedBase(
  reader: Reader,
  { log, count }: SourceHead,
  format: Format,
): Promise<Base | undefined> {
  const first = format.base && count > 0 ? await valueAt(reader, { log, position: 0 }) : undefined
  return first === undefined ? undefined : format.base?.(first)
}

async function namedMap(
  reader: Reader,
  map: ReadonlyMap<EntryHandle, EntryHandle | undefined>,
): Promise<Reread['map']> {
  const named: (readonly [Oid, Oid | null])[] = []
  for (const [handle, now] of map)
    if (handle !== now) named.push([await reader.oid(handle), await oidOrNull(reader, now)])
  return named
}

/** Returns the format that is detected for a source now, but never a generic one for a source of another format. */
async function newestFormat(reader: Reader, { meta }: SessionState, source: SourceHead): Promise<Format> {
  const head = joined(await collected(sourceBytes(reader, source, HEAD)))
  const { name, folder, above } = sourceNames(meta)
  const found = detectFormat(sampleOf(name, head, source.bytes, folder, above))
  const former = formatNamed(meta.format)
  return former && isGeneric(found) && !isGeneric(former) ? former : found
}
