import type { Facts } from '../../formats/core/format.ts'
import type { LogTotals } from '../../model/logtotals.ts'
import type { BlobId } from '../../model/record.ts'
import { awaitedRef, sourceLogRef } from '../../model/refname.ts'
import { type ImportedBranches, importedBranches, withNumberedApart } from '../../repo/importedbranches.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import { refValue, type SourceHead, type SourceOrigin } from '../../repo/session.ts'
import type { Writer } from '../../repo/writeaccess.ts'
import { chunksOf, headOf } from '../../sources/files.ts'
import { removeGrafts } from '../graft.ts'
import { MAX_OUTPUT, textOfOutput } from '../outputs.ts'
import { type BaseSearch, sharedWith } from './base.ts'
import type { Match } from './comparesource.ts'
import { continueExport } from './continueexport.ts'
import { storedClaim } from './conversations.ts'
import { type FormerTips, keepDeleted } from './deletedtips.ts'
import { projectOf } from './filter.ts'
import type { Notice } from './notices.ts'
import { noteOutputs } from './outputs.ts'
import type { ImportContext, SourceRead } from './readsource.ts'
import { isOfSystem } from './result.ts'
import { aboutSource, moveBranches, moveLabels, sourceHead, writeMeta } from './sessionrefs.ts'
import type { ImportedSidecars } from './sidecars.ts'
import { type Source, startOf } from './source.ts'
import { pathAfter } from './sourcenotes.ts'
import { withProject } from './sourceproject.ts'
import { subagentsIn } from './subagents.ts'

/** Where a source begins that refers to its history, and the base that was found, or why none was. */
export interface Origin {
  readonly head?: SourceOrigin
  readonly found?: BaseSearch
}

/** A file that was read, the log that it matched, and the id of its session. */
export interface ReadFile {
  readonly source: Source
  readonly match: Match
  readonly read: SourceRead
  readonly session: string
  readonly origin: Origin
}

/** A file of which something is new. */
type NewlyRead = ReadFile & {
  readonly read: SourceRead & Required<Pick<SourceRead, 'target'>>
  /** The tips whose messages its agent has deleted. */
  readonly deleted: FormerTips
}

/**
 * Writes what a file says of its session: the head of its log, and either the branches of a session that was exported to
 * it, or the metadata, branches and labels of its own session. Returns notices of the grafts that it removed, and of
 * messages that the agent has deleted.
 */
export async function writeSession(
  change: Change,
  file: NewlyRead,
  { facts: sidecarFacts, paths }: ImportedSidecars,
  context: ImportContext,
): Promise<readonly Notice[]> {
  const { match, read, session } = file
  const { ingester } = read
  const facts = factsOfFile(file, sidecarFacts, context)
  const head = await logHeadOf(change, file, facts)
  change.cover(session, { entries: ingester.newEntries })
  const { found } = file.origin
  if (typeof found === 'object' && found.entry !== undefined)
    change.cover(session, { session: { id: found.session, upTo: found.entry } })
  if (match.kind === 'new' || !match.exported) {
    await noteOwnOutputs(change, file, paths, context)
    return writeOwn(change, file, { head, facts }, context)
  }
  const { written } = read
  await continueExport(change, {
    ...{ session: match.session, exported: match.exported, head, ingester },
    ...(written && { written }),
  })
  return []
}

/** Returns the facts of a file that was read, with those of its sidecar files and of its place. */
export function factsOfFile(
  { source, read }: ReadFile,
  sidecarFacts: Facts,
  { projects }: Pick<ImportContext, 'projects'>,
): Facts {
  const { ingester, format } = read
  const cwd = source.project ?? projectOf(format, source.sample, source.path)
  const facts = { ...(cwd !== undefined && { cwd }), ...ingester.facts, ...sidecarFacts }
  return withProject(facts, format, source.path, projects)
}

/** Returns the head of the log that a file was read into. */
async function logHeadOf(
  change: Change,
  { source, match, read, origin }: NewlyRead,
  { usage, model }: Facts,
): Promise<SourceHead> {
  const { ingester, target, format, digest } = read
  // A log that was begun without the base that its source names keeps the reading that knew none.
  const isOlder = source.base !== undefined && origin.head === undefined && match.kind !== 'new'
  const head = await sourceHead(change, {
    ...{ ingester, target, digest, usage, model, origin: origin.head },
    reading: isOlder ? match.source.reading : format.reading,
    start: startOf(source.sample.head),
    before: await branchesBefore(change.reader, match),
  })
  const wasJoined = match.kind !== 'new' && match.source.summary?.spending?.joined === true
  return {
    ...head,
    ...(wasJoined && { summary: joined(head.summary) }),
    ...(await keptOf(change.writer, source)),
    ...storedClaim(format, ingester, source.base !== undefined || origin.head !== undefined),
  }
}

/** Returns a summary whose log has entries that the store had before it was begun. */
const joined = (summary: SourceHead['summary'] = {}): LogTotals => ({
  ...summary,
  ...(summary.spending && { spending: { ...summary.spending, joined: true } }),
})

/** Returns the branches of a file's session as the import before this one left them. */
const branchesBefore = async (reader: Reader, match: Match): Promise<ImportedBranches> =>
  match.kind === 'new' ? {} : importedBranches(reader, match.source)

/** Writes a session that was not exported to its file. */
async function writeOwn(
  change: Change,
  { source, match, read, session: id, origin, deleted }: NewlyRead,
  { head, facts }: { readonly head: SourceHead; readonly facts: Facts },
  {
    grafts,
    subagents,
    onUnresolved,
    onBase,
    onArrival,
  }: Pick<ImportContext, 'grafts' | 'subagents' | 'onUnresolved' | 'onBase' | 'onArrival'>,
): Promise<readonly Notice[]> {
  const { reader, env } = change
  const { native } = source
  const { ingester, format } = read
  const { sourceEntries, labels } = ingester
  const known = match.kind === 'new' ? undefined : match.session
  change.move(
    sourceLogRef(id),
    match.kind === 'new' ? undefined : refValue(match.source),
    refValue(withNumberedApart(change.writer, head)),
  )
  const { parent: named, ...others } = facts
  const about: Facts = named === undefined || named === id ? others : facts
  const livesAgain = facts.continuedIn === undefined && typeof known?.meta.continuedIn === 'string'
  const meta = {
    ...aboutSource(about, known),
    ...(livesAgain && { continuedIn: null }),
    ...(await subagentsIn(reader, ingester, known?.meta, about)),
    format: format.name,
    created: facts.created ?? known?.meta.created ?? ingester.times.began ?? env.now(),
    ...(sourceEntries.prompt !== undefined && { prompt: sourceEntries.prompt }),
    ...(facts.page !== undefined && { page: facts.page }),
    ...(typeof origin.found === 'object' && { fork: await sharedWith(reader, origin.found) }),
  }
  writeMeta(change, { id, known, meta, native, path: pathAfter(known, source) })
  const kept = new Set([...deleted.values()].flat())
  moveBranches(change, { id, known, now: head.branches, before: await branchesBefore(reader, match), kept })
  const deletions = known ? await keepDeleted(change, known, { deleted: kept, now: head.branches }) : []
  await moveLabels(change, { id, known, labels })
  const removed = await removeGrafts(change, sourceEntries.roots, grafts)
  for (const { handle, lacks, time } of sourceEntries.roots)
    if (lacks !== undefined)
      onUnresolved?.({ session: id, root: await reader.oid(handle), native: lacks, time })
  sourceEntries.roots.length = 0
  onArrival?.(source.page)
  if (facts.parent !== undefined) onArrival?.(facts.parent)
  if (typeof origin.found === 'string' && source.base) {
    const { session: base } = source.base
    change.move(awaitedRef(base, id), await reader.ref(awaitedRef(base, id)), {})
    onBase?.({ session: id, base, outcome: origin.found })
  }
  const { parent, subagentPrompts: prompts } = facts
  if (prompts && (prompts.size > 0 || parent !== undefined)) subagents.prompted.add(id)
  if (parent !== undefined || meta.agents || meta.asks || meta.spawned) subagents.all.add(id)
  return [...deletions, ...removed]
}

/** Notes which files hold the whole results of a file's entries. */
async function noteOwnOutputs(
  change: Change,
  { read, session }: NewlyRead,
  paths: ImportedSidecars['paths'],
  { claimed, outputs: search }: ImportContext,
): Promise<void> {
  const { facts, entries } = read.ingester
  const textOf = (name: string): string | undefined => {
    const path = paths?.get(name)
    try {
      return path === undefined ? undefined : textOfOutput(headOf(path, MAX_OUTPUT))
    } catch (error) {
      // It was stored and is gone: its words are read from the store.
      if (isOfSystem(error)) return undefined
      throw error
    }
  }
  if (facts.outputs)
    await noteOutputs(change, { session, places: facts.outputs, entries }, { search, claimed, textOf })
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
