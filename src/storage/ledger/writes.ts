import { isFenced, SessError } from '../../model/errors.ts'
import { isSick, writeFault } from '../fault.ts'
import type { Key } from '../keys.ts'
import type { Change, Level } from '../pairs.ts'
import { type Put, SealedPut, textOfPut } from '../put.ts'
import { SEAL } from '../seal.ts'
import { firstInLedger, ledgerPut, ledgerTrim, type Numbered, readLedger } from './ledger.ts'

/** What is written together. */
export interface Group {
  readonly puts: Map<string, Put>
  /** The first bytes of their keys. */
  readonly spaces: Set<number | undefined>
  readonly waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[]
  /** The commits that go into the ledger; without any the puts go to their places. */
  readonly ledger: Uint8Array[] | undefined
  /** The number that it will have there. */
  number?: number
  /** Of puts to whose places all goes that stands in the ledger before a number. */
  places?: number
  bytes: number
  isClosed: boolean
}

const newGroup = (ledger?: Uint8Array[]): Group => ({
  puts: new Map(),
  spaces: new Set(),
  waiting: [],
  ledger,
  bytes: 0,
  isClosed: false,
})

/** Adds a put to a group, under the text of its key. */
export function putInto(group: Group, put: Put, text = textOfPut(put)): void {
  const { key } = put
  group.puts.set(text, put)
  group.spaces.add(key[0])
  group.bytes +=
    key.length + (put instanceof SealedPut ? SEAL + put.content.length : (put.value?.length ?? 0))
}

/**
 * What is written and not in its place in the database yet, in groups: while one is being written the next one gathers,
 * so that many small commits share a sync. A small commit is one value of the ledger, whatever it puts; what it puts is
 * kept here until much has come together and goes to its places at once. After a failed write nothing more is written
 * or acknowledged: the database must be opened again.
 */
export class Writes {
  readonly #level: Level
  readonly #confirm: () => void
  /** In the order in which they are written; the first one may be on its way, the last one gathers. */
  #queue: Group[] = []
  /** What is being laid out to go to its place: seen by reads, in no queue yet. */
  readonly #aside = new Set<Group>()
  /** What was put by commits in the ledger, durable there. */
  readonly #settled = newGroup()
  /** Resolves once nothing more is to be written; undefined while nothing is. */
  #writing: Promise<void> | undefined
  #failure: unknown
  /** The number of the first group that is not checkpointed, and that of the next one. */
  #first: number
  #next: number

  /**
   * `confirm` is called after each write and before it is acknowledged; it throws where another process took the store
   * over.
   */
  constructor(level: Level, confirm: () => void) {
    this.#level = level
    this.#confirm = confirm
    this.#first = firstInLedger(level)
    this.#next = this.#first
  }

  /** Gives what stands in the ledger by its numbers, as a database that was just opened has them. */
  *ledger(): Generator<Numbered> {
    for (const numbered of readLedger(this.#level, this.#first)) {
      this.#next = numbered[0] + 1
      yield numbered
    }
  }

  /** Tells what a commit in the ledger put. */
  settle(put: Put): void {
    putInto(this.#settled, put)
  }

  /** Gives what was put last under a key, as text, and is not in its place yet. */
  seen(text: string): Put | undefined {
    for (let i = this.#queue.length - 1; i >= 0; i--) {
      const put = (this.#queue[i] as Group).puts.get(text)
      if (put) return put
    }
    let found: Put | undefined
    for (const group of this.#aside) found = group.puts.get(text) ?? found
    return found ?? this.#settled.puts.get(text)
  }

  /** Gives what is not in its place yet from one key up to and without another that begins like it, in the order of keys. */
  between(from: Key, to: Key): Put[] {
    const found = new Map<string, Put>()
    for (const { spaces, puts } of [this.#settled, ...this.#aside, ...this.#queue])
      if (spaces.has(from[0]))
        for (const [text, put] of puts)
          if (Buffer.compare(put.key, from) >= 0 && Buffer.compare(put.key, to) < 0) found.set(text, put)
    return [...found.values()].sort((a, b) => Buffer.compare(a.key, b.key))
  }

  /** The bytes that wait to be written to their places. */
  get pending(): number {
    return this.#queue.reduce((sum, group) => sum + (group.ledger ? 0 : group.bytes), 0)
  }

  /** Puts something where it belongs, with the next group, under the text of its key. */
  put(key: Key, value: Uint8Array | undefined, text: string): void {
    putInto(this.#gathering(false), { key, value }, text)
  }

  /** Adds a commit to the ledger, as bytes, with what it puts. Gives the number under which it will stand there. */
  enter(bytes: Uint8Array, puts: readonly Put[]): number {
    const group = this.#gathering(true)
    group.ledger?.push(bytes)
    for (const put of puts) putInto(group, put)
    group.number ??= this.#next++
    return group.number
  }

  /** Has what is entered next stand under another number. */
  cut(): void {
    const last = this.#queue.at(-1)
    if (last?.ledger) last.isClosed = true
  }

  #gathering(inLedger: boolean): Group {
    const last = this.#queue.at(-1)
    if (last && !last.isClosed && (last.ledger !== undefined) === inLedger && last.places === undefined)
      return last
    const group = newGroup(inLedger ? [] : undefined)
    this.#queue.push(group)
    return group
  }

  /** Gives a group to lay out what goes to its place: seen at once, written by `place`. */
  layOut(): Group {
    const group = newGroup()
    this.#aside.add(group)
    return group
  }

  /** Forgets what was laid out. */
  forget(group: Group): void {
    this.#aside.delete(group)
  }

  /** Writes what was laid out, with which all is in its place that the ledger has up to a number. */
  place(group: Group, upTo: number): Promise<void> {
    this.#aside.delete(group)
    group.places = upTo + 1
    const last = this.#queue.at(-1)
    // What gathers for its own place was built on this, or may be.
    if (last && !last.isClosed && !last.ledger && last.waiting.length === 0) this.#queue.splice(-1, 0, group)
    else this.#queue.push(group)
    return this.#await(group)
  }

  /** Resolves once all that was put before is durable. */
  commit(): Promise<void> {
    return this.#await(this.#queue.at(-1) ?? this.#gathering(true))
  }

  #await(group: Group): Promise<void> {
    return new Promise((resolve, reject) => {
      group.waiting.push({ resolve, reject })
      this.#writing ??= this.#write()
    })
  }

  /** Resolves once nothing is being written, whatever became of it. */
  async rest(): Promise<void> {
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

  #isDue({ waiting }: Group): boolean {
    return this.#queue.length > 1 || waiting.length > 0
  }

  #fail(error: unknown): void {
    this.#failure = error
    const [group, ...later] = this.#queue
    for (const { reject } of group?.waiting ?? []) reject(this.#outcome(error))
    // Nothing of the later groups was written.
    for (const { waiting } of later) for (const { reject } of waiting) reject(this.failure())
  }

  /** Returns the error of the group that failed: after an I/O error it may be in the log all the same. */
  #outcome(error: unknown): SessError {
    const fault = this.failure()
    if (isFenced(error) || !isSick(error)) return fault
    return new SessError('uncertain', this.#where, { detail: fault.message, cause: error })
  }

  async #writeGroup(group: Group): Promise<void> {
    if (group.places !== undefined) return this.#writeAll(group, group.places)
    if (group.ledger === undefined) return this.#writeInPlace(group)
    if (group.number !== undefined)
      await this.#level.batch([ledgerPut(group.number, group.ledger)], { sync: true })
    this.#confirm()
    for (const put of group.puts.values()) this.settle(put)
  }

  async #writeInPlace({ puts }: Group): Promise<void> {
    const changes = changesOf(puts.values())
    if (changes.length > 0) await this.#level.batch(changes, { sync: true })
    this.#confirm()
    for (const text of puts.keys()) this.#settled.puts.delete(text)
  }

  /**
   * Synced, although it only moves what is durable: LevelDB rotates its log without a sync of the former one, so that
   * a later synced write might otherwise outlast this one.
   */
  async #writeAll(group: Group, first: number): Promise<void> {
    const changes = changesOf([...this.#settled.puts.values(), ...group.puts.values()])
    await this.#level.batch([...changes, ...ledgerTrim(this.#first, first)], { sync: true })
    this.#first = first
    this.#settled.puts.clear()
    this.#settled.spaces.clear()
  }

  /** Whether a write failed, after which the database must be opened again. */
  get failed(): boolean {
    return this.#failure !== undefined
  }

  /** Returns the error of a write that failed. */
  failure(): SessError {
    return writeFault(this.#failure, this.#where)
  }

  get #where(): string {
    return this.#level.location ?? 'memory'
  }

  /** Whether anything waits to be written. */
  get isBusy(): boolean {
    return this.#queue.length > 0
  }
}

const changesOf = (puts: Iterable<Put>): Change[] =>
  Array.from(puts, ({ key, value }) =>
    value === undefined ? { type: 'del' as const, key } : { type: 'put' as const, key, value },
  )
