import type { Change, Repo } from '../../repo/repo.ts'
import type { Scratch } from '../../sources/scratch.ts'
import { Grafts } from '../graft.ts'
import { Indexer } from '../indexing.ts'
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
    const { queue, parents, subagents, outputs, sidecars, following } = options
    this.#context = {
      following,
      indexer: new Indexer(change.reader, change.writer),
      sessions: new SessionIds(change.reader),
      made: this.#made,
      grafts: new Grafts(change.reader),
      claimed: new Set(),
      onBytes: (read) => queue.report(read),
      onUnresolved: (parent) => parents.unresolved.push(parent),
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
    while (this.#bytes < most && queue.first && !this.#repo.stopped)
      if (await this.#importFirst(queue.first)) queue.drop()
      else queue.defer()
    queue.recall()
    await this.#context.indexer.end()
    return this.#results
  }

  /** Imports the first of the queue. Returns false where it has to wait for the next batch. */
  async #importFirst(first: Candidate): Promise<boolean> {
    const { queue, all, only = {}, scratch, onSkipped, onUnread } = this.#options
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
    if ('stat' in found) return this.#importSource(found)
    if ('skipped' in found) onSkipped(found)
    else if ('error' in found || this.#changed.has(found.session)) this.#results.push(found)
    else this.#results.push(await updateSidecars(this.#change, found, seen, this.#context))
    return true
  }

  /** Imports a file that is new or has changed. Returns false where it has to wait for the next batch. */
  async #importSource(source: Source): Promise<boolean> {
    const { parents, onBegin } = this.#options
    try {
      if (this.#changed.addFile(source)) return false
      onBegin?.(source.path, source.size)
      const context = { ...this.#context, onNative: parents.onNative }
      const file = await orRefused(source.path, () => importFile(this.#repo, this.#change, source, context))
      if (!file) return false
      this.#results.push(file)
      if ('error' in file) return true
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
