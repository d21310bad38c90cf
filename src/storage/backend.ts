import type { Awaitable } from '../model/awaitable.ts'
import type { BlobRef } from '../model/canonical.ts'
import type { Digest } from '../model/entry.ts'
import type { Json } from '../model/json.ts'
import type { Oid } from '../model/oid.ts'
import type { RefName } from '../model/refname.ts'
import type { Said } from '../model/said.ts'
import type { Utf8Room } from '../model/utf8room.ts'
import type { Spine } from './columns/spine.ts'
import type { Stretch } from './columns/stretch.ts'
import type { Extent } from './extent.ts'
import type { KeptList, ListMoment } from './list.ts'
import type { Row, Stored, StoredEnvelope, StoredRecord } from './record.ts'
import type { Forgotten } from './rewrite/kept.ts'
import type { NewEntry } from './runs/packer.ts'
import type { Node } from './runs/run.ts'
import type { WordSegment } from './words/wordsegment.ts'

export type { Awaitable }

/** What a ref holds: an oid as text, or a small map. Compared by its canonical bytes. */
export type RefValue = Json

/** One move of a ref; undefined stands for no such ref, before or after. */
export interface RefMove {
  readonly name: RefName
  readonly old: RefValue | undefined
  readonly new: RefValue | undefined
}

/** What an operation did with another: took it back, did it again, or went back to where it had left all refs. */
export interface Turn {
  readonly kind: 'undo' | 'redo' | 'restore'
  /** The number of the other operation; 0 stands for the beginning. */
  readonly operation: number
}

/** What one command did to refs. */
export interface Operation {
  /** Consecutive from 1. */
  readonly number: number
  /** The hash of the rest and of the id before it: what fsck follows. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly time: number
  /** `user@host` of the process. */
  readonly who: string
  /** The command as typed, or the library call. */
  readonly command: string
  readonly moves: readonly RefMove[]
  /** Of an undo, a redo and a restore. */
  readonly turn?: Turn
}

/** What was found at a path when it was last read: a cache, so that an unchanged file costs a stat. */
export interface SourceNote {
  readonly [key: string]: Json
}

/** A record on its way into a log, its large strings still in place. */
export interface NewRecord extends Omit<StoredRecord, 'content'> {
  readonly content:
    | { readonly shape: string; readonly values: readonly Json[]; readonly spelling: string }
    | { readonly raw: readonly Uint8Array[] }
}

export interface StoreSizes {
  readonly entries: number
  readonly blobs: number
}

/** Makes an operation of the next free number, for the commit of a number that grows by one each time. */
export type MakeOperation = (next: number, commit: number) => Operation

/**
 * Gathers what lands together. What was added is seen through the backend at once; it is durable, with all moves of
 * refs or none of them, when `commit` resolves. Objects and records of a transaction that is never committed stay
 * invisible: nothing names them. What one transaction added another may build on only once that one is committed.
 */
export interface Transaction {
  /** Gives the row of an entry, storing it unless it is there. The rows it names must be there. */
  add(entry: NewEntry): Row
  /** Gives the number of a new, empty log. */
  newLog(): number
  /** Appends a record to a log at a position: positions of a log are consecutive, and none is written twice. */
  record(log: number, position: number, record: NewRecord): void
  /** Keeps bytes outside of any log, and gives where. */
  keepBytes(bytes: Uint8Array): BlobRef
  /** Moves refs, each only from the value that is given as old: throws `conflict` where one has moved. */
  move(moves: readonly RefMove[]): void
  /**
   * Adds an operation to the operation log when the transaction commits. `make` gets the next number; an operation
   * that it gives the number of the newest one replaces that.
   */
  operation(make: MakeOperation): void
  note(path: string, note: SourceNote): void
  /** Tells what an entry says, for the index of words: before `index`, in any order. */
  tell(row: Row, said: readonly Said[]): void
  /** How far the index of words goes, with what this transaction does. */
  readonly indexed: Row
  /** Takes what was told of the rows from `indexed` into the index, in whole groups that begin below a row. */
  index(to: Row): Promise<void>
  /** Forgets the index of words and where the entries of sessions are, to tell both anew. */
  forgetIndex(): Promise<void>
  /** Adds to where the entries of a session are. */
  cover(session: string, extent: Extent): void
  /** Keeps a list for `list`, in the place of the one before. */
  keepList(list: KeptList): void
  /** Waits until what is gathered is small again. To be called now and then in long transactions. */
  relax(): Promise<void>
  /** How many entries and blobs it stored so far that were not there. */
  readonly created: { readonly entries: number; readonly blobs: number }
  commit(): Promise<void>
  /** Lets go of what was gathered, where it is not to be committed: nothing of it is seen any more. */
  abandon(): void
}

/** How a transaction begins. */
export interface Beginning {
  /** Pack what is added together: for imports, not for single appends. */
  readonly bulk?: boolean
  /** Pack it small, which takes longer. */
  readonly dense?: boolean
}

/**
 * An implementation of storage. Laws, checked by the conformance suite (`sess/conformance`):
 * - an entry that was added is found by its oid, has the row it was given for good, and gives back its body;
 * - adding it again changes nothing and gives the same row; parents have smaller rows than children;
 * - a ref moves only from its old value; of several moves in one transaction all happen or none;
 * - what a resolved commit wrote is there after a crash, where the backend is durable;
 * - a word that was told of an entry is found in the segment of its row; a segment may be missing, but tells all or
 *   nothing of the rows that it covers.
 * Reads may answer at once or with a promise, so that a local backend costs no turn of the event loop.
 */
export interface Backend {
  /** What this backend cannot have is false: `durable` where it forgets, `prefixes` where it finds no oid by prefix. */
  readonly can: { readonly durable: boolean; readonly prefixes: boolean }
  find(oid: Oid): Awaitable<Row | undefined>
  /** Gives the rows of those oids that are there, in the order of rows: of many, much cheaper than one by one. */
  findAll(oids: Iterable<Oid>): Awaitable<ReadonlyMap<Oid, Row>>
  /** Gives the oids that begin with some hex digits (4 or more), at most `limit` of them. */
  findPrefix(prefix: string, limit: number): Promise<Oid[]>
  /** Gives how many of an oid's first hex digits, 4 or more, name it alone: 64 where this backend cannot tell. */
  shortest(oid: Oid): Promise<number>
  node(row: Row): Awaitable<Node>
  oid(row: Row): Awaitable<Oid>
  body(row: Row): Awaitable<Json>
  /**
   * Gives the value of a record from its envelope and the body of its entry, or of none where NO_ROW: what `fill` makes of
   * both, and cheaper. Throws `corrupt` where they do not match.
   */
  filled(row: Row, envelope: StoredEnvelope): Awaitable<Json>
  /**
   * Adds the compact JSON text of what `filled` gives to a room, which is cheaper. Throws as that; then what was added is of no
   * meaning.
   */
  addFilled(room: Utf8Room, row: Row, envelope: StoredEnvelope): Awaitable<void>
  /**
   * Has the bodies of some entries at hand for `body`, where that makes many of them cheaper than one by one; how many is
   * up to the backend. Throws nothing of what is damaged: `body` does.
   */
  fetch(rows: readonly Row[]): Promise<void>
  /** Hashes the bytes that a body is stored in, much cheaper than the body; undefined where they are not all of it. */
  digest(row: Row): Awaitable<Digest | undefined>
  /** Gives a stored value whole. */
  whole(stored: Stored): Awaitable<Json>
  /** Gives kept bytes. */
  bytes(place: BlobRef): Awaitable<Uint8Array>
  /** Gives the records of a log from a position up to and without another, forwards or backwards. */
  records(log: number, from: number, to: number, reverse?: boolean): AsyncIterable<[number, StoredRecord]>
  /** Like `records`, without what the records hold: much cheaper. */
  spine(log: number, from: number, to: number, reverse?: boolean): AsyncIterable<[number, Spine]>
  /** Gives the same many at a time: those that stand together, in either order, each stretch from its first record on. */
  stretches(log: number, from: number, to: number, reverse?: boolean): AsyncIterable<Stretch>
  /** Gives one record, or throws `corrupt` where the log has none there. Cheap for records that stand together. */
  record(log: number, position: number): Awaitable<StoredRecord>
  /**
   * Tells whether a log goes on from the position where a transaction ended: records of one that was undone, which
   * stay, or of one that was never committed. What is to follow that position then belongs into a new log.
   */
  goesOn(log: number, position: number): Awaitable<boolean>
  /** Gives the logs, each with how many records lie there, those of what was undone included. */
  logs(): AsyncIterable<readonly [log: number, count: number]>
  ref(name: RefName): Awaitable<RefValue | undefined>
  /** Gives the refs whose names begin with a prefix, in the order of names. */
  refs(prefix: string): AsyncIterable<[RefName, RefValue]>
  /** The number of the newest operation, 0 before the first. */
  lastOperation(): Awaitable<number>
  operation(number: number): Awaitable<Operation | undefined>
  /** The newest operation that was let go: those behind it are there. */
  forgotten(): Awaitable<Forgotten>
  /** How many transactions with an operation were committed. */
  commits(): Awaitable<number>
  noted(path: string): Awaitable<SourceNote | undefined>
  begin(beginning?: Beginning): Transaction
  /** Gives the rows of all entries from one up to another, those included that nothing reaches. */
  rows(from?: Row, to?: Row): AsyncIterable<Row>
  /** The row that the next entry gets at least. */
  next(): Awaitable<Row>
  /** The row up to which the index of words goes: which words are said in older rows `words` tells. */
  indexed(): Awaitable<Row>
  /** Gives the index of words, in the order of rows. Throws `corrupt` where a part of it is damaged. */
  words(): AsyncIterable<WordSegment>
  /** Gives where the entries of a session are; undefined where it was not noted. */
  extent(session: string): Awaitable<Extent | undefined>
  /** Gives by session where its entries are. */
  extents(): Promise<ReadonlyMap<string, Extent>>
  /** Gives the list that was kept last; it may be forgotten at any time. */
  list(): Awaitable<KeptList | undefined>
  /** Gives the moment that it is of: cheap, whatever the list has. */
  listMoment(): Awaitable<ListMoment | undefined>
  sizes(): Promise<StoreSizes>
  /** Checks what only the backend can see, and gives what is wrong, a line each. */
  verify(): AsyncIterable<string>
  close(): Promise<void>
}
