import type { Format, Sample } from '../../formats/format.ts'
import { unitsIn } from '../../formats/sample.ts'
import { sha256 } from '../../model/hash.ts'
import { oidOf } from '../../model/oid.ts'
import type { BlobId } from '../../model/record.ts'
import { sourceLogRef } from '../../model/refname.ts'
import type { Writer } from '../../repo/change.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { findSession, refValue, type SourceHead } from '../../repo/session.ts'
import { chunksOf } from '../../sources/files.ts'
import { removeGrafts } from '../graft.ts'
import { linkWarnings, takeBeside } from './beside.ts'
import { goOn } from './exported.ts'
import type { Imported } from './imported.ts'
import { matchSource } from './match.ts'
import { noteOf } from './notes.ts'
import type { Notice } from './notices.ts'
import { aboutSource, agentsIn, describe, moveBranches, moveLabels, retell } from './publish.ts'
import { readSource, type Taking } from './readsource.ts'
import type { Source } from './source.ts'
import { sourceHead } from './sourcehead.ts'
import { projectOf } from './wanted.ts'

/**
 * Takes one file: into a new session, onto the log that it continues, or nowhere where the store holds it already; and
 * remembers what it holds.
 */
export async function takeFile(
  repo: Repo,
  change: Change,
  source: Source,
  { onBytes, onLacking, onAsking, sessions, grafts, ...taking }: Taking,
): Promise<Imported> {
  const { path, native } = source
  const { reader, writer } = change
  const before = { ...writer.created }
  const match = await matchSource(reader, source, sessions)
  const known = match.kind === 'new' ? undefined : match.session
  const held = match.kind === 'new' ? undefined : match.source
  const { intake, target, format, digest, written } = await readSource(change, source, match, {
    ...taking,
    onBytes: (read) => {
      repo.checkStop()
      onBytes(read)
    },
  })
  const id = known?.id ?? (await freeId(change, native, digest))
  const exported = match.kind === 'new' ? undefined : match.exported
  const removed: Notice[] = []
  const { sidecars: beside } = format
  const isCurrent = !exported && match.kind !== 'contained'
  const owner = beside && isCurrent && { session: id, path, beside, seen: source.seen }
  const { blobs } = intake.facts
  const {
    facts: aside,
    lacks: absent,
    warnings: besideWarnings,
  } = owner
    ? await takeBeside(change, { ...owner, ...(blobs && { blobs }) }, taking)
    : { facts: {}, lacks: [], warnings: [] }
  if (target) {
    const { said } = intake
    const cwd = projectOf(format, source.sample, path)
    const facts = { ...(cwd !== undefined && { cwd }), ...intake.facts, ...aside }
    const { usage } = facts
    const read = { intake, target, reading: format.reading, digest, usage, before: held?.branches ?? {} }
    const head = { ...(await sourceHead(change, read)), ...(await keptOf(writer, source)) }
    change.cover(id, { entries: said.entries })
    if (known && exported)
      await goOn(change, { session: known, exported, head, intake, ...(written && { written }) })
    else {
      change.move(sourceLogRef(id), held && refValue(held), refValue(head))
      const created = facts.created ?? known?.meta.created ?? intake.began ?? repo.env.now()
      describe(change, {
        id,
        known,
        meta: {
          ...aboutSource(facts, known),
          ...(await agentsIn(reader, intake)),
          format: format.name,
          created,
          ...(said.prompt !== undefined && { prompt: said.prompt }),
        },
        native,
        path,
      })
      moveBranches(change, { id, known, now: head.branches, before: held?.branches ?? {} })
      await moveLabels(change, { id, known, labels: intake.labels })
      removed.push(...(await removeGrafts(change, said.roots, grafts)))
      for (const { handle, lacks, time } of said.roots)
        if (lacks !== undefined)
          onLacking?.({ session: id, root: await reader.oid(handle), native: lacks, time })
      said.roots.length = 0
      if (facts.subagentPrompts && (facts.subagentPrompts.size > 0 || facts.parent !== undefined))
        onAsking?.(id)
    }
  }
  if (!target && known) retell(change, known, aside)
  const entries = writer.created.entries - before.entries
  const file: Imported = {
    path,
    format: format.name,
    session: id,
    records: intake.records,
    entries: exported ? intake.held : intake.said.entries.size,
    newEntries: entries,
    newObjects: entries + writer.created.blobs - before.blobs,
    bytes: intake.bytes,
    contained: match.kind === 'contained',
    ...(exported && { exported: exported.native }),
    salvaged: intake.salvaged,
    warnings: [...intake.notices, ...linkWarnings(source.links), ...besideWarnings, ...removed],
  }
  const log = target?.log ?? held?.log
  if (log !== undefined)
    writer.noteSource(path, { ...noteOf(file, source, log), ...(absent.length > 0 && { lacks: absent }) })
  if (log !== undefined && !exported) taking.following?.keep(path, { intake, format, log })
  return file
}

/** Keeps what its bytes do not tell of a source: the compressed file itself, or that they are files in one stream. */
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

/** The id under which a source is looked for: its own, else one made of its name and its first record. */
export function sessionIdOf(format: Format, sample: Sample): string {
  const reader = format.reader(sample.name, sample.folder, sample.above)
  let { id } = reader.facts()
  let first: Uint8Array | undefined
  for (const unit of id ? [] : unitsIn(sample, format)) {
    first ??= unit.bytes
    reader.read(unit)
    id = reader.facts().id
    if (id) break
  }
  if (id) return nameable(id)
  const stem = sample.name.replace(/\.[^.]*$/, '') || sample.name
  return `${stem}-${shortDigest(first ?? sample.head)}`
}

/** The longest id that a session is known by, in UTF-16 units. */
const LONGEST = 200

/** Gives an id as it can be stored and typed: of whole characters, not without end, and not the `@` of revisions. */
function nameable(id: string): string {
  const whole = id.toWellFormed()
  if (whole.length <= LONGEST && whole !== '@') return whole
  return `${whole.slice(0, LONGEST / 2).toWellFormed()}-${shortDigest(new TextEncoder().encode(whole))}`
}

const shortDigest = (bytes: Uint8Array): string => oidOf(sha256(bytes)).slice(0, 8)

/** Gives the id for a new session: the source's own, or where that is taken with 8 hex digits of its content behind. */
async function freeId({ reader }: Change, native: string, digest: string): Promise<string> {
  if (!(await findSession(reader, native))) return native
  for (let digits = 8; ; digits += 4) {
    const id = `${native}-${digest.slice(0, digits)}`
    if (!(await findSession(reader, id))) return id
  }
}
