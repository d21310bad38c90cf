import { isFenced, SessError } from '../../model/errors.ts'
import { CHECKSUM_BYTES } from '../checksum.ts'
import { isIoError, writeError } from '../ioerrors.ts'
import { firstLoggedGroup, type LoggedGroup, logGroup, readCommitLog, trimCommitLog } from './commitlog.ts'
import type { Key } from './keys.ts'
import { ChecksummedPut, type KeyChange, type KeyValueDatabase, keyTextOf, type Put } from './keyvalue.ts'

/** Writes that share one batch. */
export interface WriteGroup {
  readonly puts: Map<string, Put>
  /** The first bytes of their keys. */
  readonly spaces: Set<number | undefined>
  readonly waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[]
  /** The commits that go into the commit log; undefined where the puts go to their own keys. */
  readonly commits: Uint8Array[] | undefined
  /** The number of the group in the commit log. */
  number?: number
  /** Of a checkpoint: the first number of the commit log that it does not cover. */
  firstUncovered?: number
  bytes: number
  isClosed: boolean
}

const newGroup = (commits?: Uint8Array[]): WriteGroup => ({
  puts: new Map(),
  spaces: new Set(),
  waiting: [],
  commits,
  bytes: 0,
  isClosed: false,
})

/** Adds a put to a group, under the text of its key. */
export function addPut(group: WriteGroup, put: Put, text = keyTextOf(put)): void {
  const { key } = put
  group.puts.set(text, put)
  group.spaces.add(key[0])
  group.bytes +=
    key.length +
    (put instanceof ChecksummedPut ? CHECKSUM_BYTES + put.content.length : (put.value?.length ?? 0))
}

/**
 * The FIFO queue of writes to one database. While a group is being written the next one gathers, so that commits in
 * flight share a sync. A small commit is part of one value of the commit log; its puts are kept in memory until a
 * checkpoint writes many of them to their own keys at once. After a failed write nothing more is written or
 * acknowledged: the database must be opened again.
 */
export class WriteQueue {
  readonly #level: KeyValueDatabase
  readonly #confirm: () => void
  /** In the order in which they are written; the first may be being written, the last gathers. */
  #queue: WriteGroup[] = []
  /** Checkpoints that are being staged: visible to reads, not queued yet. */
  readonly #staged = new Set<WriteGroup>()
  /** Puts of commits that are durable in the commit log only. */
  readonly #logged = newGroup()
  /** Resolves once nothing more is to be written; undefined while nothing is. */
  #writing: Promise<void> | undefined
  #failure: unknown
  /** The number of the first group in the commit log, and that of the next one. */
  #first: number
  #next: number

  /**
   * `confirm` is called after each write and before it is acknowledged; it throws where another process took the store
   * over.
   */
  constructor(level: KeyValueDatabase, confirm: () => void) {
    this.#level = level
    this.#confirm = confirm
    this.#first = firstLoggedGroup(level)
    this.#next = this.#first
  }

  /** Returns the groups in the commit log; to be called once, right after the database was opened. */
  *loggedGroups(): Generator<LoggedGroup> {
    for (const numbered of readCommitLog(this.#level, this.#first)) {
      this.#next = numbered[0] + 1
      yield numbered
    }
  }

  /** Notes a put of a commit that is durable in the commit log. */
  noteLogged(put: Put): void {
    addPut(this.#logged, put)
  }

  /** Returns the newest put under a key, as text, that is not at its own key yet. */
  findPut(text: string): Put | undefined {
    for (let i = this.#queue.length - 1; i >= 0; i--) {
      const put = (this.#queue[i] as WriteGroup).puts.get(text)
      if (put) return put
    }
    let found: Put | undefined
    for (const group of this.#staged) found = group.puts.get(text) ?? found
    return found ?? this.#logged.puts.get(text)
  }

  /** Returns the puts in a range of keys that are not at their own keys yet, in the order of keys. */
  putsBetween(from: Key, to: Key): Put[] {
    const found = new Map<string, Put>()
    for (const { spaces, puts } of [this.#logged, ...this.#staged, ...this.#queue])
      if (spaces.has(from[0]))
        for (const [text, put] of puts)
          if (Buffer.compare(put.key, from) >= 0 && Buffer.compare(put.key, to) < 0) found.set(text, put)
    return [...found.values()].sort((a, b) => Buffer.compare(a.key, b.key))
  }

  /** The bytes that wait to be written to their own keys. */
  get pendingBytes(): number {
    return this.#queue.reduce((sum, group) => sum + (group.commits ? 0 : group.bytes), 0)
  }

  /** Puts a value at its own key with the next group, under the text of the key. */
  put(key: Key, value: Uint8Array | undefined, text: string): void {
    addPut(this.#gathering(false), { key, value }, text)
  }

  /** Adds a commit and its puts to the group that gathers. Returns the number of that group in the commit log. */
  addCommit(bytes: Uint8Array, puts: readonly Put[]): number {
    const group = this.#gathering(true)
    group.commits?.push(bytes)
    for (const put of puts) addPut(group, put)
    group.number ??= this.#next++
    return group.number
  }

  /** Closes the group that gathers commits: the next one gets another number. */
  closeGroup(): void {
    const last = this.#queue.at(-1)
    if (last?.commits) last.isClosed = true
  }

  #gathering(inCommitLog: boolean): WriteGroup {
    const last = this.#queue.at(-1)
    const isOpen = last && !last.isClosed && last.firstUncovered === undefined
    if (isOpen && (last.commits !== undefined) === inCommitLog) return last
    const group = newGroup(inCommitLog ? [] : undefined)
    this.#queue.push(group)
    return group
  }

  /** Returns a group in which a checkpoint is staged: visible to reads at once, written by `checkpoint`. */
  stage(): WriteGroup {
    const group = newGroup()
    this.#staged.add(group)
    return group
  }

  /** Drops a staged group. */
  unstage(group: WriteGroup): void {
    this.#staged.delete(group)
  }

  /** Writes a staged group, which covers the commit log up to a number. */
  checkpoint(group: WriteGroup, upTo: number): Promise<void> {
    this.#staged.delete(group)
    group.firstUncovered = upTo + 1
    const last = this.#queue.at(-1)
    // The puts that gather for their own keys may have been computed from this checkpoint.
    if (last && !last.isClosed && !last.commits && last.waiting.length === 0) this.#queue.splice(-1, 0, group)
    else this.#queue.push(group)
    return this.#await(group)
  }

  /** Resolves once all that was put before is durable. */
  commit(): Promise<void> {
    return this.#await(this.#queue.at(-1) ?? this.#gathering(true))
  }

  #await(group: WriteGroup): Promise<void> {
    return new Promise((resolve, reject) => {
      group.waiting.push({ resolve, reject })
      this.#writing ??= this.#write()
    })
  }

  /** Resolves once nothing is being written, whatever the outcome. */
  async settled(): Promise<void> {
    while (this.#writing) await this.#writing
  }

  /** Writes groups as long as a client waits for one. */
  async #write(): Promise<void> {
    try {
      for (let [group] = this.#queue; group && this.#isDue(group); [group] = this.#queue) {
        group.isClosed = true
        await this.#writeGroup(group)
        for (const { resolve } of this.#queue.shift()?.waiting ?? []) resolve()
      }
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#writing = undefined
    }
  }

  #isDue({ waiting }: WriteGroup): boolean {
    return this.#queue.length > 1 || waiting.length > 0
  }

  #fail(error: unknown): void {
    this.#failure = error
    const [group, ...later] = this.#queue
    for (const { reject } of group?.waiting ?? []) reject(this.#outcome(error))
    // Nothing of the later groups was written.
    for (const { waiting } of later) for (const { reject } of waiting) reject(this.failure())
  }

  /** Returns the error of the group that failed: after an I/O error it may be durable all the same. */
  #outcome(error: unknown): SessError {
    const fault = this.failure()
    if (isFenced(error) || !isIoError(error)) return fault
    return new SessError('uncertain', this.#where, { detail: fault.message, cause: error })
  }

  async #writeGroup(group: WriteGroup): Promise<void> {
    if (group.firstUncovered !== undefined) return this.#writeCheckpoint(group, group.firstUncovered)
    if (group.commits === undefined) return this.#writeToOwnKeys(group)
    if (group.number !== undefined)
      await this.#level.batch([logGroup(group.number, group.commits)], { sync: true })
    this.#confirm()
    for (const put of group.puts.values()) this.noteLogged(put)
  }

  async #writeToOwnKeys({ puts }: WriteGroup): Promise<void> {
    const changes = changesOf(puts.values())
    if (changes.length > 0) await this.#level.batch(changes, { sync: true })
    this.#confirm()
    for (const text of puts.keys()) this.#logged.puts.delete(text)
  }

  /**
   * Synced, although it only moves what is durable: LevelDB rotates its log without a sync of the former one, so that
   * a later synced write might otherwise outlast this one.
   */
  async #writeCheckpoint(group: WriteGroup, first: number): Promise<void> {
    const changes = changesOf([...this.#logged.puts.values(), ...group.puts.values()])
    await this.#level.batch([...changes, ...trimCommitLog(this.#first, first)], { sync: true })
    this.#first = first
    this.#logged.puts.clear()
    this.#logged.spaces.clear()
  }

  /** Whether a write failed, after which the database must be opened again. */
  get failed(): boolean {
    return this.#failure !== undefined
  }

  /** Returns the error of a write that failed. */
  failure(): SessError {
    return writeError(this.#failure, this.#where)
  }

  get #where(): string {
    return this.#level.location ?? 'memory'
  }

  /** Whether anything waits to be written. */
  get isBusy(): boolean {
    return this.#queue.length > 0
  }
}

const changesOf = (puts: Iterable<Put>): KeyChange[] =>
  Array.from(puts, ({ key, value }) =>
    value === undefined ? { type: 'del' as const, key } : { type: 'put' as const, key, value },
  )
