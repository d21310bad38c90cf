import type { Format } from '../../formats/format.ts'
import { formatNamed } from '../../formats/registry.ts'
import { partsOfLogId } from '../../model/record.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import type { ExportHead, SourceHead } from '../../repo/session.ts'
import { chunksOf } from '../../sources/files.ts'
import type { Grafts } from '../graft.ts'
import type { Indexer } from '../index.ts'
import type { Aside } from './beside.ts'
import { givenBy } from './exported.ts'
import type { Following } from './following.ts'
import { Intake } from './intake.ts'
import { type Known, knownBy } from './known.ts'
import type { Lacking } from './lacking.ts'
import type { Match } from './match.ts'
import type { Rewritten } from './rewritten.ts'
import type { SessionIds } from './sessionids.ts'
import type { Source } from './source.ts'
import { emptyTarget, type Target } from './target.ts'

/** What goes along with taking a file. */
export interface Taking extends Aside {
  /** Files that are read on where they ended. */
  readonly following?: Following | undefined
  readonly sessions: SessionIds
  readonly grafts: Grafts
  /** Told how many bytes of it were read so far. */
  readonly onBytes: (read: number) => void
  /** Told of the ids that new records have. */
  readonly onNative?: ((native: string) => void) | undefined
  /** Told what entries are new that lack the parent which the file names. */
  readonly onLacking?: (lacking: Lacking) => void
  /** Told of a session that may have started sub-agents, or is one, which are known by what they were asked. */
  readonly onAsking?: (session: string) => void
}

/** What was read of a source. */
export interface Taken {
  readonly intake: Intake
  /** The log that it was read into, where anything of it was new. */
  readonly target?: Target
  readonly format: Format
  /** The SHA-256 of its bytes. */
  readonly digest: string
  /** Where an agent wrote anew what it was given: the log of that. */
  readonly written?: ExportHead['written']
}

/**
 * Reads a source as far as it is new. What the store holds already is read as it was read then, for its counts: where its
 * bytes are known to be the same, without looking any of it up.
 */
export async function readSource(
  change: Change,
  source: Source,
  match: Match,
  { indexer, following, onBytes, onNative }: Pick<Taking, 'indexer' | 'following' | 'onBytes' | 'onNative'>,
): Promise<Taken> {
  const { reader, writer } = change
  const exported = match.kind === 'new' ? undefined : match.exported
  const given = exported?.again?.given ?? (exported && (await givenBy(reader, exported.head)))
  const first = given?.entries.length ?? 0
  const feed = async (intake: Intake): Promise<string> => {
    if (intake.bytes === 0) await intake.push(source.sample.head)
    for await (const chunk of chunksOf(source.file, source.size, intake.bytes)) {
      onBytes(intake.bytes)
      await intake.push(chunk)
      if (intake.parted) break
    }
    return intake.end()
  }
  const read = async (format: Format, target?: Target, known?: Known): Promise<Taken> => {
    const intake = new Intake(change, indexer, {
      ...{ format, sample: source.sample, target, given, known, onNative },
    })
    return { intake, format, digest: await feed(intake), ...(target && { target }) }
  }
  const former =
    match.kind === 'new' ? undefined : formatNamed(exported?.head.format ?? match.session.meta.format)
  const isKnown = match.kind !== 'new' && match.exact && former?.reading === match.source.reading
  const grows = match.kind === 'grown' && (await mayGrow(reader, match.source))
  const followed =
    isKnown && (grows || match.kind === 'same')
      ? following?.take(source.path, source.format, match.source)
      : undefined
  const known = isKnown && !followed ? await knownBy(reader, match.source, first) : undefined
  if (match.kind === 'same' || match.kind === 'contained') {
    if (followed) return { ...followed, digest: match.source.sha256 }
    const format = former ?? source.format
    const taken = known && match.kind === 'same' && (await read(format, undefined, known))
    return taken && !taken.intake.parted ? taken : read(format)
  }
  if (grows) {
    const { log, count, hash } = match.source
    const target = { log, count, hash, first }
    if (followed) {
      const { intake, format } = followed
      intake.goOn(change, { indexer, onNative }, target)
      return { intake, format, target, digest: await feed(intake) }
    }
    // What is appended may change what came before it: the beginning of a JSON document is none.
    for (const has of known && former === source.format ? [known, undefined] : [undefined]) {
      const taken = await read(source.format, target, has)
      if (!taken.intake.parted) return taken
    }
  }
  const written = exported?.again && (await givenAnew(change, source, exported.again, indexer))
  const taken = await read(source.format, { ...emptyTarget(writer.newLog()), first })
  return { ...taken, ...(written && { written }) }
}

/**
 * Tells whether a source may be appended to its log: only the writer of a log does, so not in a copy of its store, nor
 * where records of it were undone, which stay where they are.
 */
const mayGrow = async (reader: Reader, { log, count }: Pick<SourceHead, 'log' | 'count'>): Promise<boolean> =>
  partsOfLogId(log)[0] === reader.writer && (await reader.logLength(log)) <= count

/** Keeps the beginning of a file that says what an export wrote in other bytes, in a log as that of an export. */
async function givenAnew(
  change: Change,
  { file, format, sample }: Source,
  { given, bytes }: Rewritten,
  indexer: Indexer,
): Promise<ExportHead['written']> {
  const log = change.writer.newLog()
  const { headUnits: _, ...names } = sample
  const intake = new Intake(change, indexer, { format, sample: names, target: emptyTarget(log), given })
  for await (const chunk of chunksOf(file, bytes)) await intake.push(chunk)
  await intake.end()
  return [log, given.entries.length]
}
