import type { Base, Format } from '../../formats/core/format.ts'
import { type Sample, sampleOf } from '../../formats/core/sample.ts'
import { factsOf } from '../../formats/core/values.ts'
import { holdsConversation } from '../../formats/generic/index.ts'
import { detectFormat, formatNamed, isSidecar } from '../../formats/registry.ts'
import { SessError } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import { isWithin } from '../../model/paths.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import { findExporter } from '../../repo/session.ts'
import { bundleContent } from '../../sources/bundle.ts'
import { compressedContent, isCompressed } from '../../sources/compressed.ts'
import { fileContent, type SourceContent } from '../../sources/content.ts'
import { mayBeDatabase, sessionsIn, withinPath } from '../../sources/databases.ts'
import {
  type FileStat,
  type FoundFile,
  filesBelow,
  hasContentBeside,
  headOf,
  isCredential,
  kindOf,
  linkLoop,
  nameOf,
  type OnLink,
  statOf,
} from '../../sources/files.ts'
import { FollowedLinks } from '../../sources/links.ts'
import { OpenCodeStorage } from '../../sources/opencodefiles.ts'
import type { Scratch } from '../../sources/scratch.ts'
import { databaseStat, isDatabase } from '../../sources/sqlite.ts'
import type { UnreadRows } from '../../sources/tables/agenttables.ts'
import { conversationOf } from './conversations.ts'
import { type ImportFilter, isKnownWanted, isWanted } from './filter.ts'
import {
  type Imported,
  isOfSystem,
  orRefused,
  type Refused,
  type Skipped,
  type Unread,
  unreadable,
} from './result.ts'
import { sessionIdOf } from './sessionids.ts'
import { namesOf, type Source } from './source.ts'
import { databaseNote, isSettled, type KnownFile, noted, notedWithin, sessionOfPath } from './sourcenotes.ts'

/** The number of bytes at the beginning of a file that are enough to detect its format. */
const HEAD = 256 << 10

/** Something that may be imported. */
export interface Candidate {
  readonly path: string
  /** Whether the user named the file itself. */
  readonly named: boolean
  /** In bytes. */
  readonly size: number
  readonly content?: SourceContent
  /** The stat with which it was found, where it is a plain file. */
  readonly stat?: FileStat
  /** Whether it is a database: the sessions in it are imported, not its bytes. */
  readonly database?: boolean
  /** The project of its sessions, where the agent lists it. */
  readonly project?: string
  /** Whether it is one of the sessions in a database or a folder, which nobody named itself. */
  readonly inside?: boolean
  /** Why it cannot be imported. */
  readonly error?: SessError
}

/** The places of agents, at which symbolic links are followed below the home folder. */
export interface LinkPlaces {
  readonly home: string
  readonly folders: readonly string[]
}

interface FindOptions {
  /** Import every file of a folder byte for byte, also those that hold no conversation or belong to a session. */
  readonly all: boolean
  readonly onSkipped: (file: Skipped) => void
  readonly onUnread: (unread: Unread) => void
  /** The store's own folder. */
  readonly own: string
  readonly places?: LinkPlaces | undefined
  readonly scratch: Scratch
}

/** Yields the files that may be imported. The store's own files are left out. */
export function* candidates(
  paths: readonly (string | FoundFile)[],
  finding: FindOptions,
): Generator<Candidate> {
  const storage = new OpenCodeStorage()
  const inFolder = function* (found: FoundFile): Generator<Candidate> {
    const { path, size, former = path, error } = found
    if (error) yield { path, named: false, size, error: unreadable(path, error.message, error) }
    else if ([path, former].some((known) => isCredential(nameOf(known))))
      finding.onSkipped({ path, skipped: 'credentials' })
    else yield* contentsOf(path, found, { ...finding, storage, named: false, former })
  }
  for (const path of paths) {
    if (typeof path !== 'string') {
      yield* inFolder(path)
      continue
    }
    const kind = kindOf(path)
    if (kind === 'loop') yield { path, named: true, size: 0, error: linkLoop(path) }
    else if (kind === 'missing') yield { path, named: true, size: 0, error: new SessError('no-path', path) }
    else if (kind === 'other') yield { path, named: true, size: 0, error: noFile(path) }
    else if (kind === 'file') yield* contentsOf(path, statOf(path), { ...finding, storage, named: true })
    else for (const file of filesOf(path, finding)) yield* inFolder(file)
  }
}

/** Yields the files of a folder, and those behind symbolic links at the places of agents. Other links are skipped. */
function* filesOf(path: string, { own, places, onSkipped }: FindOptions): Generator<FoundFile> {
  const links: string[] = []
  const isAtAgent = (link: string): boolean =>
    places?.folders.some((folder) => isWithin(link, folder)) ?? false
  const onLink: OnLink = (link) => {
    if (isAtAgent(link)) links.push(link)
    else onSkipped({ path: link, skipped: 'symbolic-link' })
  }
  const files: FoundFile[] = []
  for (const file of filesBelow(path, { without: own, onLink })) {
    files.push(file)
    yield file
  }
  if (!places || links.length === 0) return
  const followed = new FollowedLinks(places.home, [{ folder: path, files }])
  for (const link of links) {
    const behind = followed.follow(link)
    if (behind) yield* behind
    else onSkipped({ path: link, skipped: 'symbolic-link' })
  }
}

const noFile = (path: string): SessError =>
  new SessError('unreadable-path', path, {
    detail: 'it is no regular file',
    hint: 'name a file or a folder; write what comes through a pipe to a file first',
  })

interface Containing extends FindOptions {
  readonly storage: OpenCodeStorage
  readonly named: boolean
  readonly former?: string
}

/** Yields the sources in a file: itself, its unpacked content, the sessions of a database, or the files of one session. */
function* contentsOf(
  path: string,
  { size, mtime, inode, project }: FileStat & Pick<FoundFile, 'project'>,
  { all, scratch, storage, named, former = path, onSkipped }: Containing,
): Generator<Candidate> {
  const whole = { path, named, size, content: fileContent(path), stat: { size, mtime, inode } }
  const bundle = storage.session(path)
  if (bundle)
    yield { path: bundle.path, named: true, inside: true, size, content: bundleContent(bundle, scratch) }
  const isContainer = !bundle && (named || mayBeDatabase(path)) && readable(path, isDatabase)
  if (isContainer) yield { path, named, size, database: true, ...defined({ project }) }
  if (bundle || isContainer || (!named && isMember(path, storage))) {
    if (all) yield whole
  } else if (!(named || all || mayHold(former))) onSkipped({ path, skipped: 'no-conversation' })
  else {
    const content = isCompressed(path) ? readable(path, () => compressedContent(path, scratch)) : undefined
    yield content ? { path, named, size, content } : whole
  }
}

/** Returns whether a file in a folder belongs to a session or to a database that is read elsewhere. */
const isMember = (path: string, storage: OpenCodeStorage): boolean =>
  storage.holds(path) || isOfDatabase(path) || BLOB.test(path)

/** A file that sessions name by the SHA-256 of its bytes. */
const BLOB = /[\\/]blobs[\\/][0-9a-f]{64}$/

/** Returns whether a file is the WAL, the journal or the shared memory of a database beside it. */
function isOfDatabase(path: string): boolean {
  const database = path.replace(/-(?:wal|shm|journal)$/, '')
  return database !== path && mayBeDatabase(database) && kindOf(database) === 'file'
}

/** Runs a test of a file's first bytes. Returns undefined for one that cannot be read: opening it reports that. */
function readable<T>(path: string, test: (path: string) => T): T | undefined {
  try {
    return test(path)
  } catch (error) {
    if (isOfSystem(error)) return undefined
    throw error
  }
}

/** Returns whether the name of a file in a folder is one that may hold a conversation; OpenClaw renames those that it deletes. */
const mayHold = (path: string): boolean =>
  /\.(?:jsonl|ndjson|json)(?:\.gz|\.zst)?$|\.aider\.chat\.history\.md$|\.jsonl\.(?:deleted|reset)\.[^/\\]+$/i.test(
    path,
  )

/**
 * Returns the sessions in a database; the database itself where it is named and no known agent's, else skips it. Reports
 * what else it holds.
 */
export async function sourcesInDatabase(
  { reader, writer }: Change,
  { path, named, size, project }: Candidate,
  {
    all,
    scratch,
    seen,
    onSkipped,
    onUnread,
  }: Pick<FindOptions, 'all' | 'scratch' | 'onSkipped' | 'onUnread'> & { readonly seen: number },
): Promise<readonly Candidate[]> {
  const stat = databaseStat(path)
  const others = (): readonly Candidate[] => {
    if (named && !all) return [{ path, named, size, content: fileContent(path) }]
    if (!all) onSkipped({ path, skipped: 'no-conversation' })
    return []
  }
  const known = await notedWithin(reader, path, stat)
  if (known) {
    for (const rows of known.unread) onUnread({ path, ...rows })
    return known.ids ? known.ids.map((id) => knownContent(withinPath(path, id), stat)) : others()
  }
  const unread: UnreadRows[] = []
  const contents = await sessionsIn(path, scratch, (rows) => unread.push(rows)).catch((error: unknown) => {
    // With `all` the file itself is kept, damaged or not.
    if (all && error instanceof SessError) return null
    throw error
  })
  for (const rows of unread) onUnread({ path, ...rows })
  if (contents === null) return others()
  const ids = contents?.map((content) => content.path.slice(path.length + 1))
  const settled = isSettled(stat, seen)
  writer.noteSource(withinPath(path, ''), databaseNote({ ...(ids && { ids }), unread }, stat, settled))
  const about = { named: true, inside: true, size: 0, ...defined({ project }) }
  return contents?.map((content) => ({ path: content.path, content, ...about })) ?? others()
}

/** Returns a candidate that has not changed since it was last read: its note answers for it. */
const knownContent = (path: string, stat: ReturnType<SourceContent['stat']>): Candidate => {
  const open = (): Promise<never> => Promise.reject(unreadable(path, 'it changed while it was looked at'))
  return {
    path,
    named: true,
    inside: true,
    size: 0,
    content: { path, name: '', folder: '', stat: () => stat, open },
  }
}

/** The longest first record that is read to learn where a source begins, in bytes. */
const MAX_FIRST = 64 << 20

/** Returns the base that the first record of a source names, if any. The record may be longer than the sample. */
function baseIn(format: Format, sample: Sample, file: string): Base | undefined {
  if (!format.base) return undefined
  const [known] = sample.lines
  if (known !== undefined || sample.whole) return known === undefined ? undefined : format.base(known)
  const head = headOf(file, MAX_FIRST)
  const [first] = sampleOf(sample.name, head, head.length + 1).lines
  return first === undefined ? undefined : format.base(first)
}

/** A file that has not changed since it was read. */
interface Unchanged extends Pick<KnownFile, 'contested'> {
  readonly unchanged: Imported
  /** Whether an earlier reading wrote its note, and the newest one reads it alike. */
  readonly isAlike: boolean
}

const unchangedFile = ({ file, contested }: KnownFile, isAlike: boolean): Unchanged => ({
  unchanged: file,
  isAlike,
  ...defined({ contested }),
})

/**
 * Opens a candidate. Returns the source to import, the result of its last import where it has not changed since, or why it
 * is not imported; undefined where the filter leaves it out.
 */
export async function openCandidate(
  reader: Reader,
  { path, named, inside = false, content = fileContent(path), stat: found, project, error }: Candidate,
  { all, only, seen }: { readonly all: boolean; readonly only: ImportFilter; readonly seen: number },
): Promise<Unchanged | Refused | Skipped | Source | undefined> {
  if (error) return { path, error }
  return orRefused(path, async () => {
    const before = found ?? content.stat()
    if (only.since !== undefined && before.mtime < only.since) return undefined
    const known = await noted(reader, path, before)
    const isAsked = named || only.format !== undefined || only.cwd !== undefined
    if (known && 'skipped' in known) {
      if (!all && (inside || !isAsked || known.session !== undefined)) return known
    } else if (known) {
      if (!(await isKnownWanted(reader, known.file, only))) return undefined
      if (!known.isOlder) return unchangedFile(known, false)
    }
    const stat = content.stat()
    const { name, folder, packing, about, beside } = content
    const { file, size, close } = await content.open()
    const sample = sampleOf(name, headOf(file, Math.min(HEAD, size)), size, folder, namesOf(path).above)
    const format = detectFormat(sample)
    const yields = format.yieldsTo !== undefined && hasContentBeside(path, format.yieldsTo)
    const holds = format.conversational || (!isSidecar(sample) && holdsConversation(sample))
    const isConversation = holds && !yields
    const former = await sessionOfPath(reader, path)
    const isOverwritten = !holds && former !== undefined && (await isOfAgent(reader, former))
    const isChosen = isWanted(format, sample, path, only)
    if (!(isConversation || isOverwritten || named || all) || !isChosen) {
      close()
      return isChosen ? { path, skipped: 'no-conversation' } : undefined
    }
    const native = sessionIdOf(format, sample)
    const exporter = (await findExporter(reader, native))?.id
    const ids = [...new Set([former, native, exporter].filter((id) => id !== undefined))]
    const links = content.links?.() ?? []
    const opened = { path, stat, file, size, close, ...(packing && { packing }), links }
    const base = baseIn(format, sample, file)
    if (known && 'file' in known && !base && format.name === known.file.format) {
      close()
      return unchangedFile(known, true)
    }
    const page = format.reader(name, folder, sample.above).facts().page ?? native
    const told = defined({ project, about: about && factsOf(about), beside, base, former })
    const asked = { named: all || (!inside && named), ...(isOverwritten && { isOverwritten }) }
    return { ...opened, sample, format, native, ids, page, seen, ...told, ...asked }
  })
}

/** Returns whether a session is a conversation of a known agent. */
async function isOfAgent(reader: Reader, id: string): Promise<boolean> {
  const session = await conversationOf(reader, id)
  return session !== undefined && formatNamed(session.meta.format)?.conversational === true
}
