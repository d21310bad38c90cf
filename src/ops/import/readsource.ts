import type { Format } from '../../formats/core/format.ts'
import { formatNamed } from '../../formats/registry.ts'
import { partsOfLogId } from '../../model/record.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import type { ExportHead, SourceHead } from '../../repo/session.ts'
import { chunksOf } from '../../sources/files.ts'
import type { ProjectFolders } from '../../sources/projectfolders.ts'
import type { Grafts } from '../graft.ts'
import type { Indexer } from '../indexing.ts'
import type { BasedSession, BaseFinder, Standing } from './base.ts'
import type { Match } from './comparesource.ts'
import { readExportedRecords } from './continueexport.ts'
import { Ingester } from './ingester.ts'
import { type KnownRecords, readKnownRecords } from './knownrecords.ts'
import { emptyTarget, type LogTarget } from './logtarget.ts'
import { findReaderState, isStateDue } from './readerstate.ts'
import type { Rewritten } from './rewrittenfile.ts'
import type { SessionIds } from './sessionids.ts'
import type { SidecarContext } from './sidecars.ts'
import type { SilentContext } from './silentfiles.ts'
import type { Source } from './source.ts'
import type { UnresolvedParent } from './unresolvedparents.ts'

/** The context in which a file is imported. */
export interface ImportContext extends SidecarContext, SilentContext {
  readonly sessions: SessionIds
  readonly bases: BaseFinder
  readonly grafts: Grafts
  readonly projects: ProjectFolders
  /** Called with the number of bytes read so far. */
  readonly onBytes: (read: number) => void
  /** Returns whether to end a file of lines here for now, with so many new bytes read. */
  readonly endsEarly: (bytes: number, size: number) => boolean
  /** Called where a file was ended early. */
  readonly onPart: () => void
  /** Called with the native ids of new records. */
  readonly onNative?: ((native: string) => void) | undefined
  /** Called with each new entry whose parent the file names and does not have. */
  readonly onUnresolved?: (parent: UnresolvedParent) => void
  /** Called with the ids by which others may refer to a session that has got new records. */
  readonly onArrival?: (page: string) => void
  /** Called with each session that refers to a history that the store lacks. */
  readonly onBase?: (based: BasedSession) => void
}

/** The result of reading a source. */
export interface SourceRead {
  readonly ingester: Ingester
  /** The log that it was read into, where anything of it was new. */
  readonly target?: LogTarget
  readonly format: Format
  /** The SHA-256 of its bytes. */
  readonly digest: string
  /** Whether it was ended early: what was read is a former state of the source. */
  readonly isPart: boolean
  /** The log of the records that an export wrote, if the agent has rewritten them. */
  readonly written?: ExportHead['written']
}

/**
 * Reads a source, on the base that it stands on, and stores its new records. Where its log has the same bytes, it is read
 * from the saved state on; the records from there to the end of the log are parsed again, but not looked up.
 */
export async function readSource(
  change: Change,
  source: Source,
  match: Match,
  standing: Standing,
  {
    indexer,
    onBytes,
    onNative,
    endsEarly,
  }: Pick<ImportContext, 'indexer' | 'onBytes' | 'onNative' | 'endsEarly'>,
): Promise<SourceRead> {
  const { reader, writer } = change
  const exported = match.kind === 'new' ? undefined : match.exported
  const exportedRecords =
    exported?.rewritten?.covered ?? (exported && (await readExportedRecords(reader, exported.head)))
  const first = exportedRecords?.entries.length ?? 0
  const { size } = source
  const isLive = !source.packing && (match.kind === 'new' || (match.kind === 'grown' && !match.exported))
  const before = match.kind === 'new' ? 0 : match.source.bytes
  /** Feeds the source, and returns whether it was ended early. */
  const feed = async (ingester: Ingester): Promise<boolean> => {
    if (ingester.bytes === 0) await ingester.push(source.sample.head)
    const reuse = ingester.copiesBytes
    for await (const chunk of chunksOf(source.file, size, ingester.bytes, { reuse })) {
      if (ingester.diverged) break
      onBytes(ingester.bytes)
      if (isLive && ingester.mayEnd && endsEarly(ingester.bytes - before, size)) return true
      await ingester.push(chunk)
    }
    return false
  }
  const hasGrown = match.kind === 'grown'
  const former =
    match.kind === 'new' ? undefined : formatNamed(exported?.head.format ?? match.session.meta.format)
  const read = async ({ format, target, known }: Way): Promise<SourceRead> => {
    const start = match.kind !== 'new' && match.exact
    const ingester = new Ingester(change, indexer, {
      ...{ format, sample: source.sample, target, exportedRecords, known, onNative },
      ...(start && { digest: { ...start, hasher: start.hasher.copy() } }),
      ...standing,
      ...(target && keepsState(match) && { keeps: (bytes: number) => isStateDue(bytes, saved, hasGrown) }),
    })
    const saved = ingester.bytes
    const isPart = await feed(ingester)
    return { ingester, format, isPart, digest: await ingester.end(), ...(target && { target }) }
  }
  for (const way of await waysToRead(reader, source, match, {
    former,
    first,
    inherited: standing.inherited,
  })) {
    const result = await read(way)
    if (!result.ingester.diverged) return result
  }
  const written =
    exported?.rewritten && (await storeRewrittenStart(change, source, exported.rewritten, indexer))
  const format = (exported?.rewritten && former) ?? source.format
  const taken = await read({ format, target: { ...emptyTarget(writer.newLog()), first } })
  return { ...taken, ...(written && { written }) }
}

/** Into which log the new records of a file go: a new one, the one that it matched, or none, because there are none. */
const LOGS: Readonly<Record<Match['kind'], 'new' | 'own' | 'none'>> = {
  new: 'new',
  same: 'none',
  grown: 'own',
  contained: 'none',
  rewritten: 'new',
}

/** A way to read a source: by a format, into a log if something of it is new, with the records that this has already. */
interface Way {
  readonly format: Format
  readonly target?: LogTarget
  readonly known?: KnownRecords
}

/**
 * Returns the ways to read a source with the log that it matched, the cheapest first: with the records of the log as far as
 * its bytes are the same, and from its beginning, because appended bytes may change the meaning of those before them (the
 * beginning of a JSON document is no document). None where it is to be read into a new log.
 */
async function waysToRead(
  reader: Reader,
  { format, sample }: Source,
  match: Match,
  {
    former,
    first,
    inherited,
  }: {
    readonly former: Format | undefined
    readonly first: number
    readonly inherited: Standing['inherited'] | undefined
  },
): Promise<readonly Way[]> {
  const into = LOGS[match.kind]
  if (match.kind === 'new' || into === 'new') return []
  const { source: head, exported, exact } = match
  if (into === 'own' && !(await mayGrow(reader, head))) return []
  const { log, count, hash } = head
  const whole: Way =
    into === 'none' ? { format: former ?? format } : { format, target: { log, count, hash, first } }
  if (!exact || former?.reading !== head.reading || whole.format !== former) return [whole]
  const saved = exported ? undefined : await findReaderState(reader, head, format, { ...sample, inherited })
  return [{ ...whole, known: await readKnownRecords(reader, head, first, saved) }, whole]
}

/** Returns whether the state of reading a source is kept: that of an export needs its entries, and expunged content stays out. */
const keepsState = (match: Match): boolean =>
  match.kind === 'new' || !(match.exported || match.source.expunged)

/**
 * Returns whether a source may be appended to its log: only by the writer of the log, so not in a copy of its store,
 * nor if records of the log were undone, because those stay in it.
 */
const mayGrow = async (reader: Reader, { log, count }: Pick<SourceHead, 'log' | 'count'>): Promise<boolean> =>
  partsOfLogId(log)[0] === reader.writer && (await reader.logLength(log)) <= count

/** Stores the rewritten part of an exported file, in a log like that of the export. */
async function storeRewrittenStart(
  change: Change,
  { file, format, sample }: Source,
  { covered, bytes }: Rewritten,
  indexer: Indexer,
): Promise<ExportHead['written']> {
  const log = change.writer.newLog()
  const { headUnits: _, ...names } = sample
  const ingester = new Ingester(change, indexer, {
    format,
    sample: names,
    target: emptyTarget(log),
    exportedRecords: covered,
  })
  for await (const chunk of chunksOf(file, bytes)) await ingester.push(chunk)
  await ingester.end()
  return [log, covered.entries.length]
}
