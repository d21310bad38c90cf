import type { LogId } from '../../model/record.ts'
import type { Counters } from './counters.ts'
import { type Ends, LogPacker, type Segment } from './logs.ts'
import type { Objects } from './objects.ts'
import type { Row } from './storedrecord.ts'
import { Packer } from './entrypacker.ts'
import type { Table } from './keyvaluestore.ts'
import { type CommitReader, readCommits } from './commitcodec.ts'
import type { Group } from './writequeue.ts'

/** The number of commits, or of their bytes, after which a checkpoint begins. */
const COMMITS = 256
const BYTES = 512 << 10

/** The additions of commits in the write-ahead log, as they are packed. */
interface Pack {
  readonly group: Group
  readonly packer: Packer
  readonly logs: LogPacker
  /** The bytes of the commits. */
  readonly commits: Uint8Array[]
  bytes: number
  /** The number in the write-ahead log of the last one. */
  last: number
}

/**
 * The additions of recent small commits, which are durable in the write-ahead log only. They are kept packed in memory,
 * visible to reads, and are rebuilt from the write-ahead log when the database is opened. A checkpoint writes them as
 * entry pages and log segments, in the background.
 */
export class Memtable {
  readonly #table: Table
  readonly #objects: Objects
  readonly #counters: Counters
  /** The ends of the logs that were added to. */
  readonly ends: Ends = new Map()
  #pack: Pack
  /** The checkpoints that are being written, the oldest first. */
  #leaving: Pack[] = []
  #checkpointed: Promise<void> = Promise.resolve()

  constructor(table: Table, objects: Objects, counters: Counters) {
    this.#table = table
    this.#objects = objects
    this.#counters = counters
    this.#pack = this.#newPack()
    for (const [number, bytes] of table.wal()) {
      this.#take(bytes, (put) => table.noteLogged(put))
      this.#note(bytes, number)
    }
  }

  #newPack(): Pack {
    const group = this.#table.layOut()
    const to = {
      put: (key: Uint8Array, value: Uint8Array | undefined) => this.#table.lay(group, key, value),
      change: (key: Uint8Array, next: (value: Uint8Array | undefined) => Uint8Array) =>
        this.#table.lay(group, key, next(this.#table.get(key))),
    }
    const packer = new Packer({ to, objects: this.#objects, counters: this.#counters })
    return { group, packer, logs: new LogPacker(to, this.ends), commits: [], bytes: 0, last: -1 }
  }

  /** Repeats what a commit did. */
  #take(bytes: Uint8Array, put: CommitReader['put']): void {
    const { packer, logs } = this.#pack
    readCommits(bytes, {
      put,
      body: (block, item) => packer.takeBody(block, item),
      blob: (block, content, key) => packer.takeBlob(block, content, key),
      entry: (slot, oid) => packer.takeEntry(slot, oid),
      record: (log, position, record) => logs.append(log, position, record),
    })
  }

  #note(bytes: Uint8Array, number: number): void {
    this.#pack.commits.push(bytes)
    this.#pack.bytes += bytes.length
    this.#pack.last = number
  }

  /** The packer of entries that are added now. */
  get packer(): Packer {
    return this.#pack.packer
  }

  /** The packer of records that are added now. */
  get logs(): LogPacker {
    return this.#pack.logs
  }

  /** The lowest row that the next entry may get. */
  get next(): Row {
    return this.packer.next
  }

  /** Returns the segments of a log that are not put yet, in order. */
  unput(log: LogId): readonly Segment[] {
    const now = this.logs.unput(log)
    return this.#leaving.length === 0
      ? now
      : [...this.#leaving.flatMap(({ logs }) => logs.unput(log)), ...now]
  }

  /** Notes a commit, whose parts were added before, and its number in the write-ahead log. */
  entered(bytes: Uint8Array, number: number): void {
    this.#note(bytes, number)
    if (this.#pack.commits.length >= COMMITS || this.#pack.bytes >= BYTES) this.#leave()
  }

  /** Forgets what was added since the last commit. */
  reset(): void {
    const { group, packer, logs, commits } = this.#pack
    packer.abandon()
    logs.abandon()
    this.#table.forget(group)
    this.#pack = { ...this.#newPack(), commits, bytes: this.#pack.bytes, last: this.#pack.last }
    for (const bytes of commits) this.#take(bytes, () => undefined)
  }

  /** Writes all that was committed to its own keys; resolves once that is durable. */
  checkpoint(): Promise<void> {
    if (this.#pack.commits.length > 0) this.#leave()
    return this.#checkpointed
  }

  /** Resolves once no checkpoint is being written. */
  async rest(): Promise<void> {
    try {
      await this.#checkpointed
    } finally {
      // Where packing failed, other writes may still go on: the database is not closed before they end.
      await this.#table.rest()
    }
  }

  #leave(): void {
    const pack = this.#pack
    // A checkpoint covers groups of the write-ahead log whole.
    this.#table.cut()
    this.#leaving.push(pack)
    this.#pack = this.#newPack()
    this.#checkpointed = this.#lay(pack, this.#checkpointed)
    // Rejects in `checkpoint` and `rest`.
    this.#checkpointed.catch(() => undefined)
  }

  async #lay(pack: Pack, before: Promise<void>): Promise<void> {
    await Promise.all([pack.packer.close(), pack.logs.close(), before])
    await this.#table.checkpoint(pack.group, pack.last)
    this.#leaving = this.#leaving.filter((other) => other !== pack)
  }
}
