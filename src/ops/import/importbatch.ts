import { addTo } from '../../model/lists.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { ProjectFolders } from '../../sources/projectfolders.ts'
import type { Scratch } from '../../sources/scratch.ts'
import { Grafts } from '../graft.ts'
import { Indexer } from '../indexing.ts'
import { type BasedSession, BaseFinder } from './base.ts'
import { conversationOf } from './conversations.ts'
import type { ImportFilter } from './filter.ts'
import { type Candidate, openCandidate, sourcesInDatabase } from './findsources.ts'
import { importFile, isContested } from './importfile.ts'
import type { ParentSearch } from './joinparents.ts'
import type { OutputSearch } from './outputs.ts'
import type { Queue } from './queue.ts'
import type { ImportContext } from './readsource.ts'
import { type Imported, orRefused, type Refused, type Skipped, shortenedFile, type Unread } from './result.ts'
import { ChangedSessions, SessionIds } from './sessionids.ts'
import { updateSidecars } from './sidecars.ts'
import type { Source } from './source.ts'
import { renewNote } from './sourcenotes.ts'
import type { SubagentSearch } from './subagents.ts'

export interface BatchOptions {
  /** The number of bytes of files after which it ends. */
  readonly most: number
  /** Whether it ends earlier where others wait for the store. */
  readonly givesWay?: boolean
  /** Filled with the results of files that were ended early, by their paths. */
  readonly parts: Map<string, Imported>
  readonly queue: Queue
  readonly all: boolean
  readonly only?: ImportFilter
  readonly scratch: Scratch
  readonly parents: ParentSearch
  /** Filled with the ids by which others may refer to sessions with new records. */
  readonly arrived: Set<string>
  /** Filled with the sessions that refer to a history that the store lacks. */
  readonly bases: Map<string, BasedSession>
  /** Filled with sessions that may have started sub-agents, or are some. */
  readonly subagents: SubagentSearch
  /** Filled with results that sidecar files hold whole. */
  readonly outputs: OutputSearch
  /** Whether all files but silent ones were imported. */
  readonly last?: boolean
  /** Filled with the silent files that wait for all others, with what is known of them. */
  readonly silent: WaitingFile[]
  /** Filled with the sessions of files that have the id of another session, by that id. */
  readonly contested: Map<string, string[]>
  /** Filled with the paths of sidecar files, which are imported with their sessions. */
  readonly sidecars: Set<string>
  readonly onBegin?: (path: string, bytes: number) => void
  readonly onSkipped: (file: Skipped) => void
  readonly onUnread: (unread: Unread) => void
}

/** How the import of a file went: a deferred one is imported by the next batch, one that waits after its base. */
type FileOutcome = 'done' | 'deferred' | { readonly page: string; readonly base: string }
/** A silent file that waits for all others, and what is known of it if it has not changed. */
export interface WaitingFile {
  readonly candidate: Candidate
  readonly known?: Skipped
}

/** The bytes of files after which an import lets others have the store: they take some hundredths of a second. */
const PIECE = 64 << 10

/**
 * The new bytes of one file after which it does so, and their least part of the file: the bytes before them are hashed
 * again with each part.
 */
const FILE_PIECE = 512 << 10
const FILE_PART = 1 / 16

/** Imports files of a queue in one transaction. Files of sessions that it has changed wait for the next batch. */
export class ImportBatch {
  readonly #repo: Repo
  readonly #change: Change
  readonly #options: BatchOptions
  readonly #context: ImportContext
  readonly #results: (Imported | Refused)[] = []
  readonly #changed = new ChangedSessions()
  readonly #made = new Set<string>()
  #bytes = 0

  constructor(repo: Repo, change: Change, options: BatchOptions) {
    this.#repo = repo
    this.#change = change
    this.#options = options
    const { queue, parents, subagents, outputs, sidecars, arrived, bases } = options
    const sessions = new SessionIds(change.reader)
    this.#context = {
      indexer: new Indexer(change.reader, change.writer),
      sessions,
      bases: new BaseFinder(change.reader, sessions),
      made: this.#made,
      grafts: new Grafts(change.reader),
      projects: new ProjectFolders(),
      claimed: new Set(),
      kept: new Set(),
      last: options.last ?? false,
      all: options.all,
      onBytes: (read) => queue.report(read),
      endsEarly: (bytes, size) =>
        options.givesWay === true && repo.isAwaited && bytes >= Math.max(FILE_PIECE, size * FILE_PART),
      onPart: () => undefined,
      onUnresolved: (parent) => parents.unresolved.push(parent),
      onArrival: (page) => arrived.add(page),
      onBase: (based) => bases.set(based.session, based),
      subagents,
      outputs,
      onSidecar: (path) => sidecars.add(path),
      onRefused: (refused) => this.#results.push(refused),
    }
  }

  /** How many bytes of files are imported before what was read is made durable. */
  get #most(): number {
    const { most, givesWay } = this.#options
    return givesWay && this.#repo.isAwaited ? Math.min(PIECE, most) : most
  }

  /** Imports files until they have enough bytes. Returns their results. */
  async run(): Promise<readonly (Imported | Refused)[]> {
    const { queue, parents } = this.#options
    await parents.begin(this.#change.reader)
    while (this.#bytes < this.#most && queue.first && !this.#repo.stopped) {
      const next = await this.#importFirst(queue.first)
      if (next === 'done') queue.drop()
      else if (next === 'deferred') queue.defer()
      else queue.wait(next.page, next.base)
    }
    queue.recall()
    await this.#context.indexer.end()
    return this.#results
  }

  /** Imports the first of the queue. */
  async #importFirst(first: Candidate): Promise<FileOutcome> {
    const { queue, all, only = {}, scratch, silent, contested, last, onSkipped, onUnread } = this.#options
    const seen = this.#repo.env.now()
    if (first.database) {
      const inside = await orRefused(first.path, () =>
        sourcesInDatabase(this.#change, first, { all, scratch, seen, onSkipped, onUnread }),
      )
      if ('error' in inside) this.#results.push(inside)
      else queue.add(inside)
      return 'done'
    }
    const found = await orRefused(first.path, () =>
      openCandidate(this.#change.reader, first, { all, only, seen }),
    )
    if (!found) return 'done'
    if ('stat' in found) return this.#importSource(first, found)
    // An import that was killed may not have settled which session has the id.
    if ('unchanged' in found && found.contested !== undefined)
      addTo(contested, found.contested, found.unchanged.session)
    if ('unchanged' in found && found.isAlike) await renewNote(this.#change, found.unchanged)
    const known = 'unchanged' in found ? found.unchanged : found
    if ('skipped' in known && known.skipped === 'no-message' && !known.session && !last && !first.inside)
      silent.push({ candidate: first, known })
    else if ('skipped' in known) this.#skip(known)
    else if ('error' in known || this.#changed.has(known.session)) this.#results.push(known)
    else {
      this.#reportShortened(known)
      this.#results.push(await updateSidecars(this.#change, known, seen, this.#context))
    }
    return 'done'
  }

  #skip(file: Skipped): void {
    this.#options.onSkipped(file)
    this.#reportShortened(file)
  }

  /** Reports a file whose agent shortened it, or replaced what the store has of it by a silent one. */
  #reportShortened({ path, session, shortened }: Skipped | Imported): void {
    if (shortened === undefined || session === undefined) return
    this.#options.onUnread(shortenedFile(path, session, `the ${shortened} bytes that it had are kept`))
  }

  /** Reports a file in which its agent began another conversation under the same id. */
  async #reportReplaced({ path, session, contained }: Imported, { former, native }: Source): Promise<void> {
    if (former === undefined || former === session || contained) return
    const before = await conversationOf(this.#change.reader, former)
    if (before && (before.meta.native ?? before.id) === native)
      this.#options.onUnread(
        shortenedFile(path, former, `what it held before is kept there; it is session '${session}' now`),
      )
  }

  /** Adds what earlier parts of a file brought to the result of a later one. */
  #withParts(file: Imported): Imported {
    const { newEntries = 0, newObjects = 0 } = this.#options.parts.get(file.path) ?? {}
    return { ...file, newEntries: file.newEntries + newEntries, newObjects: file.newObjects + newObjects }
  }

  /** Imports a file. What cannot be read is refused, unless refs have been moved already. */
  async #importFile(
    source: Source,
    context: ImportContext,
  ): Promise<Awaited<ReturnType<typeof importFile>> | Refused> {
    let isMoved = false
    const move: Change['move'] = (...moved) => {
      isMoved = true
      this.#change.move(...moved)
    }
    const change = { ...this.#change, move }
    let failure: unknown
    const file = await orRefused(source.path, () =>
      importFile(this.#repo, change, source, context).catch((error: unknown) => {
        failure = error
        throw error
      }),
    )
    if (isMoved && failure !== undefined) throw failure
    return file
  }

  /** Imports a file that is new or has changed. */
  async #importSource(candidate: Candidate, source: Source): Promise<FileOutcome> {
    const { queue, parents, contested, silent, last, onBegin } = this.#options
    try {
      const { base, page } = source
      if (base && !queue.isFinal(source.path) && !(await this.#context.bases.isStored(base, source.format)))
        return { page, base: base.session }
      if (this.#changed.addFile(source)) return 'deferred'
      onBegin?.(source.path, source.size)
      let isPart = false
      const onPart = (): void => {
        isPart = true
      }
      const context = { ...this.#context, onNative: parents.onNative, onPart }
      const file = await this.#importFile(source, context)
      if (!file || (file === 'waits' && last)) return 'deferred'
      if (file === 'waits') {
        silent.push({ candidate })
        return 'done'
      }
      if ('skipped' in file) this.#skip(file)
      else if (!isPart) this.#results.push('error' in file ? file : this.#withParts(file))
      if ('error' in file || 'skipped' in file) return 'done'
      this.#reportShortened(file)
      await this.#reportReplaced(file, source)
      if (isContested(file, source)) addTo(contested, source.native, file.session)
      this.#made.add(file.session)
      if (file.session !== source.native) this.#changed.add(file.session)
      parents.end(file.session)
      this.#bytes += file.newObjects > 0 ? file.bytes : 0
      if (isPart) this.#options.parts.set(file.path, this.#withParts(file))
      return isPart ? 'deferred' : 'done'
    } finally {
      source.close()
    }
  }
}
