import type { Facts, SidecarFiles } from '../../formats/core/format.ts'
import { sidecarBytes } from '../../formats/generic/index.ts'
import { sidecarsOf } from '../../formats/registry.ts'
import { asString, field, items, type Json } from '../../model/json.ts'
import { blobRef, fileRef } from '../../model/refname.ts'
import { parseJson } from '../../model/value.ts'
import { isNewer, isVersion } from '../../model/version.ts'
import { findRef } from '../../repo/findref.ts'
import type { Change } from '../../repo/repo.ts'
import { type FileHead, findSession, refValue } from '../../repo/session.ts'
import { chunksOf, headOf, type OnLink } from '../../sources/files.ts'
import {
  blobFolders,
  blobName,
  findBlob,
  namedSidecarFiles,
  type SidecarFile,
  sidecarFiles,
} from '../../sources/sidecarfiles.ts'
import type { Indexer } from '../indexing.ts'
import { Ingester } from './ingester.ts'
import { emptyTarget } from './logtarget.ts'
import type { Notice } from './notices.ts'
import type { OutputSearch } from './outputs.ts'
import { type Imported, orRefused, type Refused } from './result.ts'
import { sourceHead, updateFacts } from './sessionrefs.ts'
import { namesOf } from './source.ts'
import { isKnownSidecar, noteSidecar } from './sourcenotes.ts'
import type { SubagentSearch } from './subagents.ts'

/** A session whose file was read or has not changed. */
export interface SidecarOwner {
  readonly session: string
  readonly path: string
  readonly sidecars?: SidecarFiles
  /** A file that is made of the container of the session. */
  readonly made?: SidecarFile
  /** The files that its entries name by their hashes. */
  readonly blobs?: ReadonlySet<string>
  /** When its file was looked at, in milliseconds since 1970. */
  readonly seen: number
}

/** The state of an import that the import of sidecar files shares. */
export interface SidecarContext {
  readonly indexer: Indexer
  /** The blobs, and the refs of outputs, that this transaction has assigned to a session. */
  readonly claimed: Set<string>
  /** Filled with sessions that may have started sub-agents, or are some. */
  readonly subagents: SubagentSearch
  /** Filled with results that sidecar files hold whole. */
  readonly outputs: OutputSearch
  /** Called with the path of each sidecar file and of each symbolic link among them. */
  readonly onSidecar: (path: string) => void
  /** Called with each file that could not be read. */
  readonly onRefused: (refused: Refused) => void
}

/** The result of importing the sidecar files of a session. */
export interface ImportedSidecars {
  /** Facts about the session from its sidecar files. */
  readonly facts: Facts
  /** The hashes of files that its entries name and that are missing. */
  readonly lacks: readonly string[]
  /** The paths of its sidecar files, by their names. */
  readonly paths?: ReadonlyMap<string, string>
  /** Warnings of symbolic links, which are not followed, and of versions that are newer than the known ones. */
  readonly warnings: readonly Notice[]
}

/** The result for a file that has none. */
export const NO_SIDECARS: ImportedSidecars = { facts: {}, lacks: [], warnings: [] }

/**
 * Imports the sidecar files of a session that are new or have changed. An unchanged file costs a stat; one that is named
 * by its hash is looked for until it is found, and never again. Files that the agent has deleted are kept.
 */
export async function importSidecars(
  change: Change,
  { session, path, sidecars, made, blobs = new Set(), seen }: SidecarOwner,
  { indexer, claimed, outputs, onSidecar, onRefused }: SidecarContext,
): Promise<ImportedSidecars> {
  const links = new Set<string>()
  const onLink: OnLink = (link) => {
    links.add(link)
    onSidecar(link)
  }
  const files = [...(sidecars ? filesOf(sidecars, path, onLink) : []), ...(made ? [made] : [])]
  for (const file of files) onSidecar(file.path)
  if (files.length === 0 && blobs.size === 0) return { ...NO_SIDECARS, warnings: linkWarnings(links) }
  const known = (await findSession(change.reader, session))?.files ?? new Map<string, FileHead>()
  const importOne = async (file: SidecarFile): Promise<FileHead | undefined> => {
    const held = known.get(file.name)
    const imported = await orRefused(file.path, () =>
      importSidecar(change, indexer, { session, file, held, seen }),
    )
    if (!('error' in imported)) return imported
    onRefused(imported)
    return undefined
  }
  let facts: Facts = {}
  const newer: Notice[] = []
  for (const file of files) {
    const head = await importOne(file)
    if (head && sidecars?.version?.path === file.name) newer.push(...versionWarnings(sidecars.version, file))
    if (!sidecars || !head || head === known.get(file.name)) continue
    facts = withFacts(facts, factsOf(sidecars, file))
    if (sidecars.isOutput?.(file.name)) outputs.addFile({ session, name: file.name })
  }
  const lacks: string[] = []
  const wanted = [...blobs].some((sha256) => !known.has(blobName(sha256)))
  const folders = wanted ? blobFolders(path, onLink) : []
  for (const sha256 of blobs) {
    const held = known.get(blobName(sha256))
    const file = held ? undefined : findBlob(folders, sha256, onLink)
    const head = file ? await importOne(file) : held
    if (!head) lacks.push(sha256)
    if (head?.sha256 !== sha256 || claimed.has(sha256)) continue
    claimed.add(sha256)
    await claimBlob(change, session, sha256)
  }
  const paths = new Map(files.map(({ name, path: at }) => [name, at]))
  return { facts, lacks, paths, warnings: [...linkWarnings(links), ...newer] }
}

/** Returns facts with those of another file. */
const withFacts = (facts: Facts, more: Facts): Facts => ({
  ...facts,
  ...more,
  ...(facts.spawns && more.spawns && { spawns: new Map([...facts.spawns, ...more.spawns]) }),
})

function filesOf(sidecars: SidecarFiles, path: string, onLink: OnLink): SidecarFile[] {
  const { name, folder, above } = namesOf(path)
  if ('names' in sidecars) return namedSidecarFiles(path, sidecars.names(name), onLink)
  const { own, holds } = sidecars
  const found = sidecars.folder(name, folder, above)
  return found === undefined ? [] : sidecarFiles(path, { folder: found, own, holds }, onLink)
}

const LINK = 'symbolic-link'

/** Returns warnings of symbolic links among the files of a session. */
export const linkWarnings = (links: Iterable<string>): Notice[] =>
  [...links].map((link) => ({
    code: LINK,
    line: 0,
    offset: 0,
    message: `'${link}' is a symbolic link and was not followed`,
  }))

const NEWER = 'newer-version'

/** The most UTF-16 units of a version that are shown. */
const MAX_VERSION = 40

/** Returns a warning where a sidecar file states a version of its schema that is newer than the known one, or no number. */
function versionWarnings(
  { field: name, newest }: NonNullable<SidecarFiles['version']>,
  file: SidecarFile,
): Notice[] {
  const value = jsonIn(file)
  const given = value === undefined ? undefined : field(value, name)
  const version = typeof given === 'number' ? `${given}` : asString(given)
  if (version === undefined || (isVersion(version) && !isNewer(version, newest))) return []
  const shown = version.slice(0, MAX_VERSION).toWellFormed()
  const message = `'${file.name}' has the ${name} '${shown}', and '${newest}' is the newest one that is known: some of it may not be read`
  return [{ code: NEWER, line: 0, offset: 0, message }]
}

/** The warnings of what is beside a session's file, which are looked for with each import. */
const BESIDE: ReadonlySet<string> = new Set([LINK, NEWER])

/**
 * Imports what is new in the sidecar files of a session whose own file has not changed; files that were missing are looked
 * for again. Returns the file with warnings of the symbolic links and versions that are there now.
 */
export async function updateSidecars(
  change: Change,
  file: Imported,
  seen: number,
  context: SidecarContext,
): Promise<Imported> {
  const { session, path, format, contained, exported } = file
  const sidecars = sidecarsOf(format)
  if (!sidecars || contained || exported !== undefined) return file
  const note = sidecars.blobs ? await change.reader.cache.source(path) : undefined
  const blobs = new Set(items(note?.lacks).map(String))
  const { facts, lacks, warnings } = await importSidecars(
    change,
    { session, path, sidecars, blobs, seen },
    context,
  )
  if (note && lacks.length < blobs.size) change.writer.noteSource(path, { ...note, lacks })
  const known = Object.keys(facts).length > 0 ? await findSession(change.reader, session) : undefined
  if (known) updateFacts(change, known, facts)
  if (facts.spawns) context.subagents.all.add(session)
  return { ...file, warnings: [...file.warnings.filter(({ code }) => !BESIDE.has(code)), ...warnings] }
}

/** Assigns the blob of a hash to a session, unless it belongs to one that still has it. */
async function claimBlob({ reader, move }: Change, session: string, sha256: string): Promise<void> {
  const before = await findRef(reader, blobRef(sha256))
  const owner = before?.session
  if (owner === session) return
  if (owner !== undefined && (await reader.ref(fileRef(owner, blobName(sha256)))) !== undefined) return
  move(blobRef(sha256), before, { session })
}

interface SidecarImport {
  readonly session: string
  readonly file: SidecarFile
  readonly held: FileHead | undefined
  readonly seen: number
}

/** Imports one file and returns its head. */
async function importSidecar(
  change: Change,
  indexer: Indexer,
  { session, file, held, seen }: SidecarImport,
): Promise<FileHead> {
  const { name, path, stat } = file
  const { size } = stat
  const isKnown =
    held && (await isKnownSidecar(change.reader, { session, name, path, sha256: held.sha256 }, stat))
  if (isKnown) return held
  const target = emptyTarget(change.writer.newLog())
  const ingester = new Ingester(change, indexer, { format: sidecarBytes, sample: { name }, target })
  for await (const chunk of chunksOf(path, size)) await ingester.push(chunk)
  const digest = await ingester.end()
  const read = { ingester, target, reading: sidecarBytes.reading, digest, before: {} }
  noteSidecar(change, { session, name, path, sha256: digest }, stat, seen)
  if (held && held.sha256 === digest && !held.expunged) return held
  const head = await sourceHead(change, read)
  change.move(fileRef(session, name), held && refValue(held), refValue(head))
  return head
}

/** The largest size of a file that is read for facts, in bytes. */
const MAX_FACTS = 1 << 20

function factsOf({ facts, lines }: SidecarFiles, file: SidecarFile): Facts {
  if (lines?.path === file.name) return factsInLines(lines, file)
  const value = facts && jsonIn(file)
  return facts && value !== undefined ? facts(file.name, value) : {}
}

/** Returns the value in a small file of JSON; undefined of any other file. */
function jsonIn({ name, path, stat }: SidecarFile): Json | undefined {
  if (!name.endsWith('.json') || stat.size > MAX_FACTS) return undefined
  return parseJson(new TextDecoder().decode(headOf(path, stat.size)))?.value
}

/** The most bytes of a file of lines that are read for facts, from its beginning. */
const MAX_LINES = 64 << 20

function factsInLines(
  { mark, collect }: NonNullable<SidecarFiles['lines']>,
  { path, stat }: SidecarFile,
): Facts {
  const text = new TextDecoder().decode(headOf(path, Math.min(stat.size, MAX_LINES)))
  const take = collect()
  let facts: Facts = {}
  for (let at = text.indexOf(mark); at >= 0; ) {
    const end = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at)
    const value = parseJson(text.slice(text.lastIndexOf('\n', at) + 1, end))?.value
    if (value !== undefined) facts = take(value)
    at = text.indexOf(mark, end)
  }
  return facts
}
