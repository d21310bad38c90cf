import { sidecarBytes } from '../../formats/generic/index.ts'
import type { JsonObject } from '../../model/json.ts'
import { fileRef } from '../../model/refname.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import { type FileHead, refValue } from '../../repo/session.ts'
import { chunksOf } from '../../sources/files.ts'
import type { Indexer } from '../indexing.ts'
import type { Match } from './comparesource.ts'
import { conversationOf, type ImportedSession, isConversation } from './conversations.ts'
import { Ingester } from './ingester.ts'
import { emptyTarget } from './logtarget.ts'
import type { Skipped } from './result.ts'
import { sourceHead } from './sessionrefs.ts'
import { holdsMessage, type Source } from './source.ts'
import { isSettled, silentNote } from './sourcenotes.ts'

/** The name of a silent file among the sidecar files of the session that has its id. */
export const silentFileName = (session: string, sha256: string): string =>
  `${session}-${sha256.slice(0, 8)}.jsonl`

/** A silent file, the conversation that it takes the place of, if any, and whether it has to wait. */
export type SilentFile = Skipped | 'waits' | undefined

export interface SilentContext {
  readonly indexer: Indexer
  /** The ids of the sessions that its batch has changed, which it does not see. */
  readonly made: ReadonlySet<string>
  /** The names of the silent files that this transaction has kept. */
  readonly kept: Set<string>
  /** Whether all other files of the import were imported. */
  readonly last: boolean
  /** Whether every file is to be imported: only one that was overwritten at its path makes no session then. */
  readonly all: boolean
}

/**
 * Takes a file that is silent. One with the id, or at the path, of a conversation in the store is kept as a file of that
 * session, which keeps its log and its branches; without a conversation it is noted, and imported only where it was named
 * itself. Returns undefined for any other file, and 'waits' for one whose session may still be imported.
 */
export async function takeSilentFile(
  change: Change,
  source: Source,
  match: Match,
  context: SilentContext,
): Promise<SilentFile> {
  if (match.kind !== 'new' && match.kind !== 'rewritten') return undefined
  const { format, isOverwritten = false, named, links } = source
  // Its messages may be behind a link that is not followed.
  if (links.length > 0) return undefined
  if (!(isOverwritten || format.conversational) || (!isOverwritten && (await holdsMessage(source))))
    return undefined
  const own = await formerOf(change.reader, source, match)
  if (context.all && !own) return undefined
  const session = own ?? (await conversationOf(change.reader, source.native))
  if (session)
    return context.made.has(session.id) ? 'waits' : keep(change, source, { session, isOwn: !!own }, context)
  // A session of the same id may be among the files after it. Rows are copied once, when their database is looked at.
  if (!context.last && !isInside(source)) return 'waits'
  if (named || match.kind === 'rewritten') return undefined
  const { path, native } = source
  change.writer.noteSource(path, silentNote({ note: stateOf(source), silent: native }))
  return { path, skipped: 'no-message' }
}

/** Returns the conversation that was last read from the path of a file. */
async function formerOf(
  reader: Reader,
  { former }: Source,
  match: Match,
): Promise<ImportedSession | undefined> {
  if (match.kind === 'rewritten') return isConversation(match.session) ? match.session : undefined
  return former === undefined ? undefined : conversationOf(reader, former)
}

async function keep(
  change: Change,
  source: Source,
  { session, isOwn }: { readonly session: ImportedSession; readonly isOwn: boolean },
  { indexer, kept }: SilentContext,
): Promise<Skipped> {
  const { path, size, file, native } = source
  const shortened = isOwn ? { shortened: session.source.bytes } : {}
  const result: Skipped = {
    path,
    skipped: 'no-message',
    session: session.id,
    ...shortened,
  }
  const about = { note: stateOf(source), silent: native, session: session.id, ...shortened }
  // Rows are no file, and an empty file has nothing to keep.
  if (isInside(source) || size === 0) {
    change.writer.noteSource(path, silentNote(about))
    return result
  }
  const head = await keepBytes(change, indexer, native, chunksOf(file, size))
  const name = silentFileName(session.id, head.sha256)
  const held = session.files.get(name)
  if (held?.sha256 !== head.sha256 && !kept.has(name))
    change.move(fileRef(session.id, name), held && refValue(held), refValue(head))
  kept.add(name)
  change.writer.noteSource(path, silentNote({ ...about, file: name }), fileRef(session.id, name))
  return result
}

/** Returns whether a source is a part of a database, or several files. */
const isInside = ({ packing }: Source): boolean => packing === 'rows' || packing === 'folder'

const stateOf = ({ format, stat, seen }: Source): JsonObject => ({
  format: format.name,
  size: stat.size,
  mtime: stat.mtime,
  inode: stat.inode,
  settled: isSettled(stat, seen),
})

/** Stores bytes as a sidecar file, and returns its head. */
export async function keepBytes(
  change: Change,
  indexer: Indexer,
  name: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<FileHead> {
  const target = emptyTarget(change.writer.newLog())
  const ingester = new Ingester(change, indexer, { format: sidecarBytes, sample: { name }, target })
  for await (const chunk of chunks) await ingester.push(chunk)
  const digest = await ingester.end()
  const read = { ingester, target, reading: sidecarBytes.reading, digest, before: {} }
  return { ...(await sourceHead(change, read)), claim: { silent: true } }
}
