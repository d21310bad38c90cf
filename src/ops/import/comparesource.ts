import { sampleOf } from '../../formats/core/sample.ts'
import { detectFormat, formatNamed } from '../../formats/registry.ts'
import { oidOf } from '../../model/encoding/oid.ts'
import { type Hasher, hasher } from '../../model/encoding/sha256.ts'
import { metaRef, sourceLogRef } from '../../model/refname.ts'
import { findRef } from '../../repo/findref.ts'
import type { Reader } from '../../repo/reader.ts'
import {
  type ExportHead,
  findExporter,
  findSession,
  type SessionState,
  type SourceHead,
  wholeSession,
} from '../../repo/session.ts'
import { isCompressed } from '../../sources/compressed.ts'
import { containerOf } from '../../sources/databases.ts'
import { chunksOf, headOf, statOf } from '../../sources/files.ts'
import { sourceBytes } from '../export/sourcebytes.ts'
import { type Rewritten, rewrittenFrom } from './rewrittenfile.ts'
import type { SessionIds } from './sessionids.ts'
import { holdsMessage, lastingStart, namesOf, type Source } from './source.ts'
import { sessionOfPath } from './sourcenotes.ts'

/**
 * How a file relates to a log that was imported from an earlier state of it, or from a copy: it is the same, has grown,
 * is contained in the log, or was rewritten by its agent, so that it holds another conversation of the same session
 * from the first change on.
 */
export type Match =
  | ({ readonly kind: 'same' | 'grown' | 'contained' | 'rewritten' } & CandidateLog)
  | { readonly kind: 'new' }

/** The digest of the first bytes of a file. */
export interface StartDigest {
  readonly hasher: Hasher
  readonly bytes: number
}

/** A log that a file may be read from, and the session that it belongs to. */
interface CandidateLog {
  readonly session: SessionState
  readonly source: SourceHead | ExportHead
  /** Where the file begins with the very bytes that were read into the log: their digest, to which more can be added. */
  readonly exact?: StartDigest
  /** The export that wrote the beginning of the file, if one did. */
  readonly exported?: Exported
}

/** A file that a session was exported to, and the id that the session has there. */
export interface Exported {
  readonly native: string
  readonly head: ExportHead
  /** The part of the file that its agent rewrote without changing the messages. */
  readonly rewritten?: Rewritten
}

/**
 * Compares a file's bytes with the exports, then the sources, of sessions with its id: it may be one of them, a later
 * state of one, an earlier one, or none. A file of which only the mutable prefix changed counts as grown.
 */
export async function matchLog(reader: Reader, file: Source, sessions: SessionIds): Promise<Match> {
  const { file: path, size, ids, format, sample } = file
  const slot = format.mutablePrefix?.(sample.head) ?? 0
  const start = lastingStart(file)
  const begins = ({ start: known }: SourceHead): boolean =>
    start === undefined || known === undefined || known === start
  for await (const held of heldBy(reader, ids, sessions, begins)) {
    const { source } = held
    const begun = await beginningOf(reader, { path, size, slot }, source)
    if (begun) return { kind: begun.exact && size === source.bytes ? 'same' : 'grown', ...begun, ...held }
    if (
      size < source.bytes &&
      (await digestOfFile(path, size)) === (await digestOfLog(reader, source, size)) &&
      !(await isShortened(reader, file, held))
    )
      return { kind: 'contained', ...held }
  }
  return (await rewrittenExport(reader, file)) ?? rewritten(reader, file)
}

/** Returns whether a database has fewer rows of a session now than when the same database was read before. */
const isShortened = async (
  reader: Reader,
  { path, packing }: Source,
  { session, exported }: CandidateLog,
): Promise<boolean> => packing === 'rows' && !exported && (await sessionOfPath(reader, path)) === session.id

/**
 * For agents that rewrite whole files, finds the exported session that a file continues. Its place may hide which agent of
 * the dialect wrote it, but the export tells.
 */
async function rewrittenExport(reader: Reader, source: Source): Promise<Match | undefined> {
  for (const native of source.ids) {
    const exporter = await findExporter(reader, native)
    const session = exporter && (await wholeSession(reader, exporter))
    const head = session?.exports.get(native)
    const format = head && formatNamed(head.format)
    if (!session || !head || !format?.rewrittenWhole) continue
    if (format.dialect !== source.format.dialect) continue
    const found = await rewrittenFrom(reader, { head, format }, source)
    if (found)
      return { kind: 'rewritten', session, source: head, exported: { native, head, rewritten: found } }
  }
  return undefined
}

/**
 * Proves by its digest that a file begins with what was read into a log, but for its first `slot` bytes, which its agent
 * overwrites in place. Returns undefined if it does not. The digest is that of the very bytes, where all are the same.
 */
async function beginningOf(
  reader: Reader,
  { path, size, slot }: { readonly path: string; readonly size: number; readonly slot: number },
  source: SourceHead | ExportHead,
): Promise<Pick<CandidateLog, 'exact'> | undefined> {
  const { bytes, sha256 } = source
  if (size < bytes) return undefined
  const begun = await hashOf(chunksOf(path, bytes, 0, { reuse: true }))
  if (oidOf(begun.copy().digest()) === sha256) return { exact: { hasher: begun, bytes } }
  return slot > 0 && (await digestWithPrefix(reader, path, source, slot)) === sha256 ? {} : undefined
}

/** The number of bytes at the beginning of a file that are enough to detect its format. */
const HEAD = 256 << 10

/** A file as the store has it. */
interface StoredFile {
  readonly format: string
  readonly head: SourceHead | ExportHead
}

/**
 * Returns whether a file still begins with what the store has of it; if its agent writes it whole with every change, whether
 * it holds a conversation. Rows of a database, compressed files and those of which something was expunged are not compared.
 */
export async function stillHolds(
  reader: Reader,
  path: string,
  { format: name, head }: StoredFile,
): Promise<boolean> {
  if (containerOf(path) !== path || isCompressed(path) || head.bundled || head.expunged) return true
  const { size } = statOf(path)
  const format = formatNamed(name)
  const names = namesOf(path)
  const sample = sampleOf(names.name, headOf(path, Math.min(HEAD, size)), size, names.folder, names.above)
  const slot = format?.mutablePrefix?.(sample.head) ?? 0
  if (!format || (await beginningOf(reader, { path, size, slot }, head))) return true
  return (
    format.rewrittenWhole === true &&
    detectFormat(sample) === format &&
    holdsMessage({ format, sample, file: path, size })
  )
}

/** For agents that rewrite whole files, matches a file with the session into which its path was last read. */
async function rewritten(reader: Reader, { path, format, native }: Source): Promise<Match> {
  const former = format.rewrittenWhole ? await sessionOfPath(reader, path) : undefined
  const session = former === undefined ? undefined : await findSession(reader, former)
  if (!session?.source || session.meta.format !== format.name || (session.meta.native ?? former) !== native)
    return { kind: 'new' }
  return { kind: 'rewritten', session, source: session.source }
}

/** Yields the logs that a file of some ids may be read from, of those that may begin like it. */
async function* heldBy(
  reader: Reader,
  ids: readonly string[],
  sessions: SessionIds,
  begins: (source: SourceHead) => boolean,
): AsyncGenerator<CandidateLog> {
  for (const native of ids) {
    const exporter = await findExporter(reader, native)
    const head = exporter?.exports.get(native)
    const session = head && exporter && (await wholeSession(reader, exporter))
    if (session) yield { session, source: head, exported: { native, head } }
  }
  // A session may have thousands of refs: only those whose source may match are read whole.
  for (const id of await candidatesOf(reader, ids, sessions)) {
    const head = await findRef(reader, sourceLogRef(id))
    const session = head && begins(head) ? await findSession(reader, id) : undefined
    if (session?.source) yield { session, source: session.source }
  }
}

/** Returns the ids of the sessions of some ids, in that order, so that a path stays with its session; then others of these ids. */
async function candidatesOf(
  reader: Reader,
  ids: readonly string[],
  sessions: SessionIds,
): Promise<ReadonlySet<string>> {
  const found = new Set(ids)
  for (const native of ids)
    for await (const id of sessions.from(native)) {
      const meta = await findRef(reader, metaRef(id))
      if (meta?.native === native) found.add(id)
    }
  return found
}

async function hashOf(chunks: AsyncIterable<Uint8Array>): Promise<Hasher> {
  const hash = hasher()
  for await (const chunk of chunks) hash.update(chunk)
  return hash
}

const digest = async (chunks: AsyncIterable<Uint8Array>): Promise<string> =>
  oidOf((await hashOf(chunks)).digest())

export const digestOfFile = (path: string, size: number): Promise<string> =>
  digest(chunksOf(path, size, 0, { reuse: true }))

/** Returns the digest of a file with its first `slot` bytes replaced by those that were imported. */
const digestWithPrefix = (
  reader: Reader,
  path: string,
  source: SourceHead | ExportHead,
  slot: number,
): Promise<string> =>
  digest(
    (async function* () {
      yield* sourceBytes(reader, source, slot)
      let at = 0
      for await (const chunk of chunksOf(path, source.bytes)) {
        yield chunk.subarray(Math.min(chunk.length, Math.max(0, slot - at)))
        at += chunk.length
      }
    })(),
  )

/** Returns the digest of the first bytes of a source. */
export const digestOfLog = (reader: Reader, source: SourceHead | ExportHead, size: number): Promise<string> =>
  digest(sourceBytes(reader, source, size))
