import type { Counters } from '../counters.ts'
import { type Ends, LogPacker, type Segment } from '../logs.ts'
import type { Objects } from '../objects.ts'
import type { Row } from '../record.ts'
import { Packer } from '../runs/packer.ts'
import type { Table } from '../table.ts'
import { type CommitReader, readCommits } from './commit.ts'
import type { Group } from './writes.ts'

/** So many commits, or bytes of them, come together before what they did is packed and goes to its place. */
const COMMITS = 256
const BYTES = 512 << 10

/** What commits in the ledger added, as it is packed together. */
interface Pack {
  readonly group: Group
  readonly packer: Packer
  readonly logs: LogPacker
  /** The bytes of the commits. */
  readonly commits: Uint8Array[]
  bytes: number
  /** The number of the last one in the ledger. */
  last: number
}

/**
 * What small commits added and is only in the ledger so far. It is gathered in memory as it will be packed, seen by
 * reads, and put together again from the ledger when the database is opened. Once it is much it goes to its place,
 * beside what is written meanwhile.
 */
export class Loose {
  readonly #table: Table
  readonly #objects: Objects
  readonly #counters: Counters
  /** Where the logs end that were added to. */
  readonly ends: Ends = new Map()
  #pack: Pack
  /** What is on its way to its place, the oldest first. */
  #leaving: Pack[] = []
  #placed: Promise<void> = Promise.resolve()

  constructor(table: Table, objects: Objects, counters: Counters) {
    this.#table = table
    this.#objects = objects
    this.#counters = counters
    this.#pack = this.#newPack()
    for (const [number, bytes] of table.ledger()) {
      this.#take(bytes, (put) => table.settle(put))
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

  /** Does again what a commit did. */
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

  /** Packs what is added now. */
  get packer(): Packer {
    return this.#pack.packer
  }

  /** Packs the records that are added now. */
  get logs(): LogPacker {
    return this.#pack.logs
  }

  /** The row that the next entry gets at least. */
  get next(): Row {
    return this.packer.next
  }

  /** Gives the segments of a log that are not put yet, in order. */
  unput(log: number): readonly Segment[] {
    const now = this.logs.unput(log)
    return this.#leaving.length === 0
      ? now
      : [...this.#leaving.flatMap(({ logs }) => logs.unput(log)), ...now]
  }

  /** Notes a commit, whose parts were added before, and its number in the ledger. */
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

  /** Resolves once all that was committed is in its place. */
  place(): Promise<void> {
    if (this.#pack.commits.length > 0) this.#leave()
    return this.#placed
  }

  /** Resolves once nothing is on its way. */
  async rest(): Promise<void> {
    try {
      await this.#placed
    } finally {
      // Where packing failed, others may still be written: what they are written to is not closed before.
      await this.#table.rest()
    }
  }

  #leave(): void {
    const pack = this.#pack
    // A number of the ledger goes to its place whole.
    this.#table.cut()
    this.#leaving.push(pack)
    this.#pack = this.#newPack()
    this.#placed = this.#lay(pack, this.#placed)
    // Whoever waits for it is told.
    this.#placed.catch(() => undefined)
  }

  async #lay(pack: Pack, before: Promise<void>): Promise<void> {
    await Promise.all([pack.packer.close(), pack.logs.close(), before])
    await this.#table.place(pack.group, pack.last)
    this.#leaving = this.#leaving.filter((other) => other !== pack)
  }
}
