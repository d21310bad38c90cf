import type { Change, Repo } from '../../repo/repo.ts'
import type { Scratch } from '../../sources/scratch.ts'
import { Grafts } from '../graft.ts'
import { Indexer } from '../indexing.ts'
import { conversationOf } from './conversations.ts'
import type { ImportFilter } from './filter.ts'
import { type Candidate, openCandidate, sourcesInDatabase } from './findsources.ts'
import { importFile } from './importfile.ts'
import type { ParentSearch } from './joinparents.ts'
import type { Queue } from './queue.ts'
import type { ImportContext } from './readsource.ts'
import { type Imported, orRefused, type Refused, type Skipped, shortenedFile, type Unread } from './result.ts'
import type { ResumableReads } from './resumablereads.ts'
import { ChangedSessions, SessionIds } from './sessionids.ts'
import { updateSidecars } from './sidecars.ts'
import type { Source } from './source.ts'

export interface BatchOptions {
  /** The number of bytes of files after which it ends. */
  readonly most: number
  readonly queue: Queue
  readonly all: boolean
  readonly only?: ImportFilter
  readonly scratch: Scratch
  readonly following?: ResumableReads
  readonly parents: ParentSearch
  /** Whether all files but silent ones were imported. */
  readonly last?: boolean
  /** Filled with the silent files that wait for all others, with what is known of them. */
  readonly silent: WaitingFile[]
  /** Filled with the ids that files of several sessions may have. */
  readonly contested: Set<string>
  /** Filled with sessions that may have started sub-agents, or are sub-agents, recognised by their prompts. */
  readonly prompted: Set<string>
  /** Filled with the paths of sidecar files, which are imported with their sessions. */
  readonly sidecars: Set<string>
  readonly onBegin?: (path: string, bytes: number) => void
  readonly onSkipped: (file: Skipped) => void
  readonly onUnread: (unread: Unread) => void
}

/** A silent file that waits for all others, and what is known of it if it has not changed. */
export interface WaitingFile {
  readonly candidate: Candidate
  readonly known?: Skipped
}

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
    const { queue, parents, prompted, sidecars, following } = options
    this.#context = {
      following,
      indexer: new Indexer(change.reader, change.writer),
      sessions: new SessionIds(change.reader),
      made: this.#made,
      grafts: new Grafts(change.reader),
      claimed: new Set(),
      kept: new Set(),
      last: options.last ?? false,
      onBytes: (read) => queue.report(read),
      onUnresolved: (parent) => parents.unresolved.push(parent),
      onPrompts: (session) => prompted.add(session),
      onSidecar: (path) => sidecars.add(path),
      onRefused: (refused) => this.#results.push(refused),
    }
  }

  /** Imports files until they have enough bytes. Returns their results. */
  async run(): Promise<readonly (Imported | Refused)[]> {
    const { queue, parents, most } = this.#options
    await parents.begin(this.#change.reader)
    while (this.#bytes < most && queue.first && !this.#repo.stopped)
      if (await this.#importFirst(queue.first)) queue.drop()
      else queue.defer()
    queue.recall()
    await this.#context.indexer.end()
    return this.#results
  }

  /** Imports the first of the queue. Returns false where it has to wait for the next batch. */
  async #importFirst(first: Candidate): Promise<boolean> {
    const { queue, all, only = {}, scratch, silent, last, onSkipped, onUnread } = this.#options
    const seen = this.#repo.env.now()
    if (first.database) {
      const inside = await orRefused(first.path, () =>
        sourcesInDatabase(this.#change, first, { all, scratch, seen, onSkipped, onUnread }),
      )
      if ('error' in inside) this.#results.push(inside)
      else queue.add(inside)
      return true
    }
    const found = await openCandidate(this.#change.reader, first, { all, only, seen })
    if (!found) return true
    if ('stat' in found) return this.#importSource(first, found)
    if ('skipped' in found && found.skipped === 'no-message' && !found.session && !last && !first.inside)
      silent.push({ candidate: first, known: found })
    else if ('skipped' in found) this.#skip(found)
    else if ('error' in found || this.#changed.has(found.session)) this.#results.push(found)
    else {
      this.#reportShortened(found)
      this.#results.push(await updateSidecars(this.#change, found, seen, this.#context))
    }
    return true
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

  /** Imports a file that is new or has changed. Returns false where it has to wait for the next batch. */
  async #importSource(candidate: Candidate, source: Source): Promise<boolean> {
    const { parents, contested, silent, last, onBegin } = this.#options
    try {
      if (this.#changed.addFile(source)) return false
      onBegin?.(source.path, source.size)
      const context = { ...this.#context, onNative: parents.onNative }
      const file = await orRefused(source.path, () => importFile(this.#repo, this.#change, source, context))
      if (!file || (file === 'waits' && last)) return false
      if (file === 'waits') return silent.push({ candidate }) > 0
      if ('skipped' in file) this.#skip(file)
      else this.#results.push(file)
      if ('error' in file || 'skipped' in file) return true
      this.#reportShortened(file)
      await this.#reportReplaced(file, source)
      if (file.session !== source.native && file.exported === undefined) contested.add(source.native)
      this.#made.add(file.session)
      if (file.session !== source.native) this.#changed.add(file.session)
      parents.end(file.session)
      this.#bytes += file.newObjects > 0 ? file.bytes : 0
      return true
    } finally {
      source.close()
    }
  }
}
