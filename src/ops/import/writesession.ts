import type { Facts } from '../../formats/core/format.ts'
import type { BlobId } from '../../model/record.ts'
import { sourceLogRef } from '../../model/refname.ts'
import type { Change } from '../../repo/repo.ts'
import { refValue, type SourceHead } from '../../repo/session.ts'
import type { Writer } from '../../repo/writeaccess.ts'
import { chunksOf } from '../../sources/files.ts'
import { removeGrafts } from '../graft.ts'
import type { Match } from './comparesource.ts'
import { continueExport } from './continueexport.ts'
import { storedClaim } from './conversations.ts'
import { projectOf } from './filter.ts'
import type { Notice } from './notices.ts'
import type { ImportContext, SourceRead } from './readsource.ts'
import { aboutSource, moveBranches, moveLabels, sourceHead, writeMeta } from './sessionrefs.ts'
import { type Source, startOf } from './source.ts'
import { subagentsIn } from './subagents.ts'

/** A file that was read, the log that it matched, and the id of its session. */
export interface ReadFile {
  readonly source: Source
  readonly match: Match
  readonly read: SourceRead
  readonly session: string
}

/** A file of which something is new. */
type NewlyRead = ReadFile & { readonly read: SourceRead & Required<Pick<SourceRead, 'target'>> }

/**
 * Writes what a file says of its session: the head of its log, and either the branches of a session that was exported to
 * it, or the metadata, branches and labels of its own session. Returns notices of the grafts that it removed.
 */
export async function writeSession(
  change: Change,
  file: NewlyRead,
  sidecarFacts: Facts,
  context: ImportContext,
): Promise<readonly Notice[]> {
  const { source, match, read, session } = file
  const { ingester, format } = read
  const cwd = projectOf(format, source.sample, source.path)
  const facts = { ...(cwd !== undefined && { cwd }), ...ingester.facts, ...sidecarFacts }
  const head = await headOf(change, file, facts)
  change.cover(session, { entries: ingester.sourceEntries.entries })
  if (match.kind === 'new' || !match.exported) return writeOwn(change, file, { head, facts }, context)
  const { written } = read
  await continueExport(change, {
    ...{ session: match.session, exported: match.exported, head, ingester },
    ...(written && { written }),
  })
  return []
}

/** Returns the head of the log that a file was read into. */
async function headOf(
  change: Change,
  { source, match, read }: NewlyRead,
  { usage }: Facts,
): Promise<SourceHead> {
  const { ingester, target, format, digest } = read
  const head = await sourceHead(change, {
    ...{ ingester, target, reading: format.reading, digest, usage },
    start: startOf(source.sample.head),
    before: branchesBefore(match),
  })
  return { ...head, ...(await keptOf(change.writer, source)), ...storedClaim(format, ingester) }
}

/** Returns the branches of a file's session as the import before this one left them. */
const branchesBefore = (match: Match): SourceHead['branches'] =>
  match.kind === 'new' ? {} : match.source.branches

/** Writes a session that was not exported to its file. */
async function writeOwn(
  change: Change,
  { source, match, read, session: id }: NewlyRead,
  { head, facts }: { readonly head: SourceHead; readonly facts: Facts },
  { grafts, onUnresolved, onPrompts }: Pick<ImportContext, 'grafts' | 'onUnresolved' | 'onPrompts'>,
): Promise<readonly Notice[]> {
  const { reader, env } = change
  const { native, path } = source
  const { ingester, format } = read
  const { sourceEntries, labels } = ingester
  const known = match.kind === 'new' ? undefined : match.session
  change.move(sourceLogRef(id), match.kind === 'new' ? undefined : refValue(match.source), refValue(head))
  const { parent, ...others } = facts
  const about = parent === undefined || parent === id ? others : facts
  const livesAgain = facts.continuedIn === undefined && typeof known?.meta.continuedIn === 'string'
  const meta = {
    ...aboutSource(about, known),
    ...(livesAgain && { continuedIn: null }),
    ...(await subagentsIn(reader, ingester)),
    format: format.name,
    created: facts.created ?? known?.meta.created ?? ingester.began ?? env.now(),
    ...(sourceEntries.prompt !== undefined && { prompt: sourceEntries.prompt }),
  }
  writeMeta(change, { id, known, meta, native, path })
  moveBranches(change, { id, known, now: head.branches, before: branchesBefore(match) })
  await moveLabels(change, { id, known, labels })
  const removed = await removeGrafts(change, sourceEntries.roots, grafts)
  for (const { handle, lacks, time } of sourceEntries.roots)
    if (lacks !== undefined)
      onUnresolved?.({ session: id, root: await reader.oid(handle), native: lacks, time })
  sourceEntries.roots.length = 0
  if (facts.subagentPrompts && (facts.subagentPrompts.size > 0 || facts.parent !== undefined)) onPrompts?.(id)
  return removed
}

/** Returns the fields of a head that the bytes of a source do not show: the compressed file, or that it is a bundle. */
async function keptOf(
  writer: Writer,
  { path, stat, packing }: Source,
): Promise<Pick<SourceHead, 'packed' | 'bundled'>> {
  if (packing === 'folder') return { bundled: true }
  if (packing !== 'gzip' && packing !== 'zstd') return {}
  const packed: BlobId[] = []
  for await (const chunk of chunksOf(path, stat.size)) {
    packed.push(writer.putBlob(chunk))
    await writer.flush()
  }
  return { packed }
}
