import type { LogId } from '../../model/record.ts'
import { type CommitHandler, decodeCommits } from './commitlog.ts'
import type { Counters } from './counters.ts'
import { EntryPacker } from './entrypacker.ts'
import type { KeyValueStore } from './keyvaluestore.ts'
import type { Objects } from './objects.ts'
import { type LogEnds, LogReader, LogWriter, type PendingSegment } from './recordlogs.ts'
import type { Row } from './rows.ts'
import type { WriteGroup } from './writequeue.ts'

/** The number of commits, or of their bytes, after which a checkpoint begins. */
const COMMITS = 256
const BYTES = 512 << 10

/** The additions of commits in the commit log, gathered in pages. */
interface PendingCommits {
  readonly group: WriteGroup
  readonly packer: EntryPacker
  readonly logs: LogWriter
  /** The bytes of the commits. */
  readonly commits: Uint8Array[]
  bytes: number
  /** The number of the last one in the commit log. */
  last: number
}

/**
 * The additions of recent small commits, which are durable in the commit log only. They are kept packed in memory,
 * visible to reads, and are rebuilt from the commit log when the database is opened. A checkpoint writes them as
 * entry pages and log segments, in the background.
 */
export class Memtable {
  readonly #store: KeyValueStore
  readonly #objects: Objects
  readonly #counters: Counters
  /** The ends of the logs that were added to. */
  readonly ends: LogEnds = new Map()
  /** Reads the logs of the database, with the records of the memtable. */
  readonly reader: LogReader
  #gathering: PendingCommits
  /** The checkpoints that are being written, the oldest first. */
  #checkpointing: PendingCommits[] = []
  #checkpointed: Promise<void> = Promise.resolve()

  constructor(store: KeyValueStore, objects: Objects, counters: Counters) {
    this.#store = store
    this.#objects = objects
    this.#counters = counters
    this.reader = new LogReader(store, (log) => this.pendingSegments(log), this.ends)
    this.#gathering = this.#newGathering()
    for (const [number, bytes] of store.writes.loggedGroups()) {
      this.#replay(bytes, (put) => store.writes.noteLogged(put))
      this.#note(bytes, number)
    }
  }

  #newGathering(): PendingCommits {
    const group = this.#store.writes.stage()
    const to = {
      put: (key: Uint8Array, value: Uint8Array | undefined) => this.#store.stagePut(group, key, value),
      change: (key: Uint8Array, next: (value: Uint8Array | undefined) => Uint8Array) =>
        this.#store.stagePut(group, key, next(this.#store.get(key))),
    }
    const packer = new EntryPacker({ to, objects: this.#objects, counters: this.#counters })
    return { group, packer, logs: new LogWriter(to, this.ends, this.reader), commits: [], bytes: 0, last: -1 }
  }

  /** Repeats a logged commit. */
  #replay(bytes: Uint8Array, put: CommitHandler['put']): void {
    const { packer, logs } = this.#gathering
    decodeCommits(bytes, {
      put,
      body: (block, item) => packer.blocks.replayBody(block, item),
      blob: (block, content, key) => packer.blocks.replayBlob(block, content, key),
      entry: (slot, oid) => packer.replayEntry(slot, oid),
      record: (log, position, record) => logs.append(log, position, record),
    })
  }

  #note(bytes: Uint8Array, number: number): void {
    this.#gathering.commits.push(bytes)
    this.#gathering.bytes += bytes.length
    this.#gathering.last = number
  }

  /** The packer of entries that are added now. */
  get packer(): EntryPacker {
    return this.#gathering.packer
  }

  /** The packer of records that are added now. */
  get logs(): LogWriter {
    return this.#gathering.logs
  }

  /** The lowest row that the next entry may get. */
  get next(): Row {
    return this.packer.next
  }

  /** Returns the pending segments of a log, in order. */
  pendingSegments(log: LogId): readonly PendingSegment[] {
    const now = this.logs.pending(log)
    return this.#checkpointing.length === 0
      ? now
      : [...this.#checkpointing.flatMap(({ logs }) => logs.pending(log)), ...now]
  }

  /** Notes a commit, whose parts were added before, and its number in the commit log. */
  committed(bytes: Uint8Array, number: number): void {
    this.#note(bytes, number)
    if (this.#gathering.commits.length >= COMMITS || this.#gathering.bytes >= BYTES) this.#beginCheckpoint()
  }

  /** Forgets what was added since the last commit. */
  reset(): void {
    const { group, packer, logs, commits } = this.#gathering
    packer.abandon()
    logs.abandon()
    this.#store.writes.unstage(group)
    this.#gathering = {
      ...this.#newGathering(),
      commits,
      bytes: this.#gathering.bytes,
      last: this.#gathering.last,
    }
    for (const bytes of commits) this.#replay(bytes, () => undefined)
  }

  /** Writes all that was committed to its own keys; resolves once that is durable. */
  checkpoint(): Promise<void> {
    if (this.#gathering.commits.length > 0) this.#beginCheckpoint()
    return this.#checkpointed
  }

  /** Resolves once no checkpoint is being written. */
  async settled(): Promise<void> {
    try {
      await this.#checkpointed
    } finally {
      // Where packing failed, other writes may still go on: the database is not closed before they end.
      await this.#store.writes.settled()
    }
  }

  #beginCheckpoint(): void {
    const pack = this.#gathering
    // A checkpoint covers groups of the commit log whole.
    this.#store.writes.closeGroup()
    this.#checkpointing.push(pack)
    this.#gathering = this.#newGathering()
    this.#checkpointed = this.#writeCheckpoint(pack, this.#checkpointed)
    // Rejects in `checkpoint` and `settled`.
    this.#checkpointed.catch(() => undefined)
  }

  async #writeCheckpoint(pack: PendingCommits, before: Promise<void>): Promise<void> {
    await Promise.all([pack.packer.close(), pack.logs.close(), before])
    await this.#store.checkpoint(pack.group, pack.last)
    this.#checkpointing = this.#checkpointing.filter((other) => other !== pack)
  }
}
