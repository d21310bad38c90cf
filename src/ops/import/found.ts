import { holdsConversation } from '../../formats/generic.ts'
import { detectFormat } from '../../formats/registry.ts'
import { sampleOf } from '../../formats/sample.ts'
import { SessError } from '../../model/errors.ts'
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
  headOf,
  isCredential,
  kindOf,
  linkLoop,
  nameOf,
  statOf,
} from '../../sources/files.ts'
import { OpenCodeStorage } from '../../sources/opencodefiles.ts'
import type { Scratch } from '../../sources/scratch.ts'
import { databaseStat, isDatabase } from '../../sources/sqlite.ts'
import type { Imported, Refused } from './imported.ts'
import { isSettled, noted, notedWithin, sessionOfPath } from './notes.ts'
import type { Source } from './source.ts'
import { namesOf } from './sourcenames.ts'
import { sessionIdOf } from './take.ts'
import { isOfSystem, orRefused, unreadable } from './unreadable.ts'
import { type Wanted, wants, wantsKnown } from './wanted.ts'

/** So many bytes of head are enough to tell the format. */
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
  /** Whether it is a database, to be taken for what is in it. */
  readonly database?: boolean
  /** Why it cannot be taken. */
  readonly error?: SessError
}

interface Finding {
  /** Every file of a folder, as a file. */
  readonly all: boolean
  /** The store's own folder. */
  readonly own: string
  readonly scratch: Scratch
}

/** Gives what is to be looked at. The store's own files are no sources. */
export function* candidates(paths: readonly (string | FoundFile)[], finding: Finding): Generator<Candidate> {
  const storage = new OpenCodeStorage()
  const inFolder = function* (found: FoundFile): Generator<Candidate> {
    const { path, size, former = path, error } = found
    if (error) yield { path, named: false, size, error: unreadable(path, error.message, error) }
    else if (![path, former].some((known) => isCredential(nameOf(known))))
      yield* contentsOf(path, found, { ...finding, storage, named: false, former })
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
    else for (const file of filesBelow(path, { without: finding.own })) yield* inFolder(file)
  }
}

const noFile = (path: string): SessError =>
  new SessError('unreadable-path', path, {
    detail: 'it is no regular file',
    hint: 'name a file or a folder; write what comes through a pipe to a file first',
  })

interface Containing extends Finding {
  readonly storage: OpenCodeStorage
  readonly named: boolean
  readonly former?: string
}

/** Gives what a file is taken for: itself, what it unpacks to, what is in it, or the files that are one session with it. */
function* contentsOf(
  path: string,
  { size, mtime, inode }: FileStat,
  { all, scratch, storage, named, former = path }: Containing,
): Generator<Candidate> {
  const whole = { path, named, size, content: fileContent(path), stat: { size, mtime, inode } }
  const bundle = storage.session(path)
  if (bundle) yield { path: bundle.path, named: true, size, content: bundleContent(bundle, scratch) }
  const isContainer = (named || mayBeDatabase(path)) && readable(path, isDatabase)
  if (isContainer) yield { path, named, size, database: true }
  if (bundle || isContainer || (!named && storage.holds(path))) {
    if (all) yield whole
  } else if (isCompressed(path) && (named || all || mayHold(path))) {
    const content = readable(path, () => compressedContent(path, scratch))
    yield content ? { path, named, size, content } : whole
  } else if (named || all || mayHold(former)) yield whole
}

/** Runs a look at a file's first bytes; of one that cannot be read, which is told when it is opened, gives nothing. */
function readable<T>(path: string, test: (path: string) => T): T | undefined {
  try {
    return test(path)
  } catch (error) {
    if (isOfSystem(error)) return undefined
    throw error
  }
}

/** Tells by its name whether a file in a folder is worth looking into without `all`. */
const mayHold = (path: string): boolean =>
  /\.(?:jsonl|ndjson|json)(?:\.gz|\.zst)?$|\.aider\.chat\.history\.md$/i.test(path)

/** Gives the sessions in a database, to be looked at; the database itself where it is no agent's that is known. */
export async function within(
  { reader, writer }: Change,
  { path, named, size }: Candidate,
  { scratch, seen, all }: { readonly scratch: Scratch; readonly seen: number; readonly all: boolean },
): Promise<readonly Candidate[]> {
  const stat = databaseStat(path)
  const known = await notedWithin(reader, path, stat)
  if (known) return known.map((id) => knownContent(withinPath(path, id), stat))
  const contents = await sessionsIn(path, scratch).catch((error: unknown) => {
    // Where all is kept a damaged database is, as the file that it is.
    if (all && error instanceof SessError) return undefined
    throw error
  })
  if (!contents) return named ? [{ path, named, size, content: fileContent(path) }] : []
  const ids = contents.map((content) => content.path.slice(path.length + 1))
  writer.noteSource(withinPath(path, ''), { ids, ...stat, settled: isSettled(stat, seen) })
  return contents.map((content) => ({ path: content.path, named: true, size: 0, content }))
}

/** Gives what is as it was when it was last read, so that its note tells all of it. */
const knownContent = (path: string, stat: ReturnType<SourceContent['stat']>): Candidate => {
  const open = (): Promise<never> => Promise.reject(unreadable(path, 'it changed while it was looked at'))
  return { path, named: true, size: 0, content: { path, name: '', folder: '', stat: () => stat, open } }
}

/**
 * Looks at a file: gives what is known of it where it is as it was, what there is to take, or why it cannot be taken;
 * undefined where it is none of ours.
 */
export async function look(
  reader: Reader,
  { path, named, content = fileContent(path), stat: found, error }: Candidate,
  { all, only, seen }: { readonly all: boolean; readonly only: Wanted; readonly seen: number },
): Promise<Imported | Refused | Source | undefined> {
  if (error) return { path, error }
  return orRefused(path, async () => {
    const before = found ?? content.stat()
    if (only.since !== undefined && before.mtime < only.since) return undefined
    const known = await noted(reader, path, before)
    if (known) return (await wantsKnown(reader, known, only)) ? known : undefined
    const stat = content.stat()
    const { name, folder, packing } = content
    const { file, size, close } = await content.open()
    const sample = sampleOf(name, headOf(file, Math.min(HEAD, size)), size, folder, namesOf(path).above)
    const format = detectFormat(sample)
    const isOurs = named || all || format.conversational || holdsConversation(sample)
    if (!isOurs || !wants(format, sample, path, only)) {
      close()
      return undefined
    }
    const native = sessionIdOf(format, sample)
    const former = await sessionOfPath(reader, path)
    const exporter = (await findExporter(reader, native))?.id
    const ids = [...new Set([former, native, exporter].filter((id) => id !== undefined))]
    const links = content.links?.() ?? []
    const opened = { path, stat, file, size, close, ...(packing && { packing }), links }
    return { ...opened, sample, format, native, ids, seen }
  })
}
