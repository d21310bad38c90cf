import type { BlobId } from '../../model/record.ts'
import { metaRef, sourceLogRef } from '../../model/refname.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { refValue, type SourceHead } from '../../repo/session.ts'
import type { Writer } from '../../repo/writeaccess.ts'
import { chunksOf } from '../../sources/files.ts'
import { removeGrafts } from '../graft.ts'
import { matchLog } from './comparesource.ts'
import { continueExport } from './continueexport.ts'
import { projectOf } from './filter.ts'
import type { Notice } from './notices.ts'
import { type ImportContext, readSource } from './readsource.ts'
import type { Imported } from './result.ts'
import { aboutSource, moveBranches, moveLabels, sourceHead, updateFacts, writeMeta } from './sessionrefs.ts'
import { importSidecars, linkWarnings } from './sidecars.ts'
import { type Source, startOf } from './source.ts'
import { logRefOf, noteOf } from './sourcenotes.ts'
import { subagentsIn } from './subagents.ts'

/**
 * Imports one file: into a new session, into the log that it continues, or not at all if the store has it already. Notes
 * the state of the file. Returns undefined where it continues a log that its batch has changed: it has to wait.
 */
export async function importFile(
  repo: Repo,
  change: Change,
  source: Source,
  { onBytes, onUnresolved, onPrompts, sessions, made, grafts, ...context }: ImportContext,
): Promise<Imported | undefined> {
  const { path, native } = source
  const { reader, writer } = change
  const before = { ...writer.created }
  const match = await matchLog(reader, source, sessions)
  const known = match.kind === 'new' ? undefined : match.session
  if (known && made.has(known.id)) return undefined
  const held = match.kind === 'new' ? undefined : match.source
  const { ingester, target, format, digest, written } = await readSource(change, source, match, {
    ...context,
    onBytes: (read) => {
      repo.checkStop()
      onBytes(read)
    },
  })
  const id = known?.id ?? (await freeId(change, native, digest, made))
  const exported = match.kind === 'new' ? undefined : match.exported
  const removed: Notice[] = []
  const { sidecars } = format
  const isCurrent = !exported && match.kind !== 'contained'
  const owner = sidecars && isCurrent && { session: id, path, sidecars, seen: source.seen }
  const { blobs } = ingester.facts
  const {
    facts: sidecarFacts,
    lacks: missing,
    warnings: sidecarWarnings,
  } = owner
    ? await importSidecars(change, { ...owner, ...(blobs && { blobs }) }, context)
    : { facts: {}, lacks: [], warnings: [] }
  if (target) {
    const { sourceEntries } = ingester
    const cwd = projectOf(format, source.sample, path)
    const facts = { ...(cwd !== undefined && { cwd }), ...ingester.facts, ...sidecarFacts }
    const { usage } = facts
    const start = startOf(source.sample.head)
    const read = {
      ingester,
      target,
      reading: format.reading,
      digest,
      start,
      usage,
      before: held?.branches ?? {},
    }
    const head = { ...(await sourceHead(change, read)), ...(await keptOf(writer, source)) }
    change.cover(id, { entries: sourceEntries.entries })
    if (known && exported)
      await continueExport(change, { session: known, exported, head, ingester, ...(written && { written }) })
    else {
      change.move(sourceLogRef(id), held && refValue(held), refValue(head))
      const created = facts.created ?? known?.meta.created ?? ingester.began ?? repo.env.now()
      writeMeta(change, {
        id,
        known,
        meta: {
          ...aboutSource(facts, known),
          ...(await subagentsIn(reader, ingester)),
          format: format.name,
          created,
          ...(sourceEntries.prompt !== undefined && { prompt: sourceEntries.prompt }),
        },
        native,
        path,
      })
      moveBranches(change, { id, known, now: head.branches, before: held?.branches ?? {} })
      await moveLabels(change, { id, known, labels: ingester.labels })
      removed.push(...(await removeGrafts(change, sourceEntries.roots, grafts)))
      for (const { handle, lacks, time } of sourceEntries.roots)
        if (lacks !== undefined)
          onUnresolved?.({ session: id, root: await reader.oid(handle), native: lacks, time })
      sourceEntries.roots.length = 0
      if (facts.subagentPrompts && (facts.subagentPrompts.size > 0 || facts.parent !== undefined))
        onPrompts?.(id)
    }
  }
  if (!target && known) updateFacts(change, known, sidecarFacts)
  const entries = writer.created.entries - before.entries
  const file: Imported = {
    path,
    format: format.name,
    session: id,
    records: ingester.records,
    entries: exported ? ingester.held : ingester.sourceEntries.entries.size,
    newEntries: entries,
    newObjects: entries + writer.created.blobs - before.blobs,
    bytes: ingester.bytes,
    contained: match.kind === 'contained',
    ...(exported && { exported: exported.native }),
    salvaged: ingester.salvaged,
    warnings: [...ingester.notices, ...linkWarnings(source.links), ...sidecarWarnings, ...removed],
  }
  const log = target?.log ?? held?.log
  if (log !== undefined) {
    const note = { ...noteOf(file, source, log), ...(missing.length > 0 && { lacks: missing }) }
    writer.noteSource(path, note, logRefOf(file))
  }
  if (log !== undefined && !exported) context.following?.keep(path, { ingester, format, log })
  return file
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

/** Returns the id of a new session: that of the source, followed by 8 hex digits of the content's hash if another session has it. */
async function freeId(
  { reader }: Change,
  native: string,
  digest: string,
  made: ReadonlySet<string>,
): Promise<string> {
  const isFree = async (id: string): Promise<boolean> =>
    !made.has(id) && (await reader.ref(metaRef(id))) === undefined
  if (await isFree(native)) return native
  for (let digits = 8; ; digits += 4) {
    const id = `${native}-${digest.slice(0, digits)}`
    if (await isFree(id)) return id
  }
}
