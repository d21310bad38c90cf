import type { Change, Repo } from '../../repo/repo.ts'
import { ProjectFolders } from '../../sources/projectfolders.ts'
import type { Scratch } from '../../sources/scratch.ts'
import { Grafts } from '../graft.ts'
import { Indexer } from '../indexing.ts'
import { type BasedSession, BaseFinder } from './base.ts'
import type { ImportFilter } from './filter.ts'
import { type Candidate, openCandidate, sourcesInDatabase } from './findsources.ts'
import { importFile } from './importfile.ts'
import type { ParentSearch } from './joinparents.ts'
import type { OutputSearch } from './outputs.ts'
import type { Queue } from './queue.ts'
import type { ImportContext } from './readsource.ts'
import { type Imported, orRefused, type Refused, type Skipped, type Unread } from './result.ts'
import type { ResumableReads } from './resumablereads.ts'
import { ChangedSessions, SessionIds } from './sessionids.ts'
import { updateSidecars } from './sidecars.ts'
import type { Source } from './source.ts'
import { renewNote } from './sourcenotes.ts'
import type { SubagentSearch } from './subagents.ts'

interface BatchOptions {
  /** The number of bytes of files after which it ends. */
  readonly most: number
  readonly queue: Queue
  readonly all: boolean
  readonly only?: ImportFilter
  readonly scratch: Scratch
  readonly following?: ResumableReads
  readonly parents: ParentSearch
  /** Filled with the ids by which others may refer to sessions with new records. */
  readonly arrived: Set<string>
  /** Filled with the sessions that refer to a history that the store lacks. */
  readonly bases: Map<string, BasedSession>
  /** Filled with sessions that may have started sub-agents, or are some. */
  readonly subagents: SubagentSearch
  /** Filled with results that sidecar files hold whole. */
  readonly outputs: OutputSearch
  /** Filled with the paths of sidecar files, which are imported with their sessions. */
  readonly sidecars: Set<string>
  readonly onBegin?: (path: string, bytes: number) => void
  readonly onSkipped: (file: Skipped) => void
  readonly onUnread: (unread: Unread) => void
}

/** How the import of a file went: a deferred one is imported by the next batch, one that waits after its base. */
type FileOutcome = 'done' | 'deferred' | { readonly page: string; readonly base: string }

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
    const { queue, parents, subagents, outputs, sidecars, following, arrived, bases } = options
    const sessions = new SessionIds(change.reader)
    this.#context = {
      following,
      indexer: new Indexer(change.reader, change.writer),
      sessions,
      bases: new BaseFinder(change.reader, sessions),
      made: this.#made,
      grafts: new Grafts(change.reader),
      projects: new ProjectFolders(),
      claimed: new Set(),
      onBytes: (read) => queue.report(read),
      onUnresolved: (parent) => parents.unresolved.push(parent),
      onArrival: (page) => arrived.add(page),
      onBase: (based) => bases.set(based.session, based),
      subagents,
      outputs,
      onSidecar: (path) => sidecars.add(path),
      onRefused: (refused) => this.#results.push(refused),
    }
  }

  /** Imports files until they have enough bytes. Returns their results. */
  async run(): Promise<readonly (Imported | Refused)[]> {
    const { queue, parents, most } = this.#options
    await parents.begin(this.#change.reader)
    while (this.#bytes < most && queue.first && !this.#repo.stopped) {
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
    const { queue, all, only = {}, scratch, onSkipped, onUnread } = this.#options
    const seen = this.#repo.env.now()
    if (first.database) {
      const inside = await orRefused(first.path, () =>
        sourcesInDatabase(this.#change, first, { all, scratch, seen, onSkipped, onUnread }),
      )
      if ('error' in inside) this.#results.push(inside)
      else queue.add(inside)
      return 'done'
    }
    const found = await openCandidate(this.#change.reader, first, { all, only, seen })
    if (!found) return 'done'
    if ('stat' in found) return this.#importSource(found)
    if ('alike' in found) await renewNote(this.#change, found.alike)
    const known = 'alike' in found ? found.alike : found
    if ('skipped' in known) onSkipped(known)
    else if ('error' in known || this.#changed.has(known.session)) this.#results.push(known)
    else this.#results.push(await updateSidecars(this.#change, known, seen, this.#context))
    return 'done'
  }

  /** Imports a file that is new or has changed. */
  async #importSource(source: Source): Promise<FileOutcome> {
    const { parents, onBegin, queue } = this.#options
    try {
      const { base, page } = source
      if (base && !queue.isFinal(source.path) && !(await this.#context.bases.isStored(base, source.format)))
        return { page, base: base.session }
      if (this.#changed.addFile(source)) return 'deferred'
      onBegin?.(source.path, source.size)
      const context = { ...this.#context, onNative: parents.onNative }
      const file = await orRefused(source.path, () => importFile(this.#repo, this.#change, source, context))
      if (!file) return 'deferred'
      this.#results.push(file)
      if ('error' in file) return 'done'
      this.#made.add(file.session)
      if (file.session !== source.native) this.#changed.add(file.session)
      parents.end(file.session)
      this.#bytes += file.newObjects > 0 ? file.bytes : 0
      return 'done'
    } finally {
      source.close()
    }
  }
}
