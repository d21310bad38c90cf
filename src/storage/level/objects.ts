import { bytesIn, type Slice } from '../../model/bytes.ts'
import { type BlobRef, decodeStored } from '../../model/canonical.ts'
import { SessError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { Node } from '../../model/node.ts'
import { bytesOf, type Oid } from '../../model/oid.ts'
import type { BlobId } from '../../model/record.ts'
import { blobIdOf, blocksNamed, bytesOfContent, mayName, restore, textOfContent } from './blob.ts'
import { Blocks, type OpenItems, unlessDamaged } from './blockreader.ts'
import { Cache } from '../lrucache.ts'
import { EntryNode } from './entrynode.ts'
import { wellFormed } from '../ioerrors.ts'
import { all, behind, blobKey, type Key, numberAt, oidKey, runKey, SPACE, textOf } from './keys.ts'
import { openPlace, rowsOf } from './place.ts'
import type { Row, Stored } from './storedrecord.ts'
import { RUN, type Run } from './entrypage.ts'
import { decodeRun } from './entrypagecodec.ts'
import { unseal } from '../checksum.ts'
import type { Table } from './keyvaluestore.ts'

const CACHED_RUNS = 96

const isList = (stored: Stored): stored is readonly Stored[] => Array.isArray(stored)

/** Tells whether no part is the place of a blob or holds one. */
function areSmall(parts: readonly Stored[]): boolean {
  for (const part of parts) if (typeof part === 'object' && part !== null) return false
  return true
}

type Place = readonly [block: number, index: number]

/** Gives where those end of some places that follow each other in a block. */
function endOfSequence(places: readonly Place[], from: number): number {
  const [block, first] = places[from] as Place
  let end = from + 1
  while (places[end]?.[0] === block && places[end]?.[1] === first + end - from) end++
  return end
}

/** Reads entries and blobs, those included that are on their way to the database. */
export class Objects {
  readonly #table: Table
  readonly #blocks: Blocks
  readonly #runs = new Cache<Row, Run>(CACHED_RUNS, () => 1)
  /** What is being gathered and is not in the table yet. */
  readonly openRuns = new Map<Row, Run>()
  readonly freshRows = new Map<Oid, Row>()
  /** Entries that were added here and have no child: one that continues such an entry is new. */
  readonly leaves = new Set<Row>()
  /** By the text of its key where each blob will be. */
  readonly freshBlobs = new Map<string, BlobRef>()

  constructor(table: Table) {
    this.#table = table
    this.#blocks = new Blocks(table)
  }

  /** Gives the rows of entries that an oid may be the one of, and of no other. */
  #candidates(oid: Oid): Row[] {
    const value = this.#table.get(oidKey(oid))
    return value ? rowsOf(value) : []
  }

  /** Gives where a blob is whose digest begins with the bytes of a key, or undefined where the store has none. */
  blob(key: Key): BlobRef | undefined {
    const value = this.#table.get(key)
    return value && openPlace(key, value)
  }

  /** Gives the row of the entry with an oid, or undefined where the store has none. */
  find(oid: Oid): Row | undefined {
    const fresh = this.freshRows.get(oid)
    if (fresh !== undefined) return fresh
    return this.#candidates(oid).find((row) => this.#tryRun(row)?.oid(row) === oid)
  }

  /** Gives the rows of those oids that are there, in the order of rows, so that each run is read once. */
  findAll(oids: Iterable<Oid>): ReadonlyMap<Oid, Row> {
    const candidates: [Oid, Row][] = []
    for (const oid of oids) {
      const fresh = this.freshRows.get(oid)
      for (const row of fresh === undefined ? this.#candidates(oid) : [fresh]) candidates.push([oid, row])
    }
    candidates.sort(([, a], [, b]) => a - b)
    return new Map(candidates.filter(([oid, row]) => this.#tryRun(row)?.oid(row) === oid))
  }

  /** Gives the oids that begin with these hex digits, at most `limit` of them. */
  async findPrefix(prefix: string, limit: number): Promise<Oid[]> {
    const whole = bytesOf(prefix.slice(0, 16))
    const from = new Uint8Array([SPACE.oid, ...whole])
    const found = new Set<Oid>()
    for (const oid of this.freshRows.keys()) if (oid.startsWith(prefix)) found.add(oid)
    const add = (row: Row): void => {
      const oid = this.#tryRun(row)?.oid(row)
      if (oid?.startsWith(prefix)) found.add(oid)
    }
    for await (const [, value] of this.#table.range(from, behind(from))) {
      rowsOf(value).forEach(add)
      if (found.size >= limit) break
    }
    return [...found].slice(0, limit)
  }

  /** Gives the rows of the entries from one row up to another, which is not far. */
  *rows(from: Row, to: Row): Generator<Row> {
    for (let row = from; row < to; ) {
      const run = this.#tryRun(row)
      if (run) yield* run.rows(row, to)
      row = run?.end ?? row + 1
    }
  }

  /** Yields the rows of all entries from one up to another, those included that are not in the table yet. */
  async *rowsFrom(from: Row, to: Row): AsyncGenerator<Row> {
    const end = behind(all(SPACE.run))
    const open = [...this.openRuns.values()].sort((a, b) => a.start - b.start)
    // The page that holds the first of these rows may begin before it.
    for await (const [key, value] of this.#table.range(runKey(Math.max(0, from - RUN + 1)), end)) {
      const start = numberAt(key, 1, 6)
      if (start >= to) return
      yield* decodeRun(start, unseal(key, value, `the run at ${start}`)).rows(from, to)
    }
    for (const run of open) yield* run.rows(from, to)
  }

  node(row: Row): Node {
    return new EntryNode(this.run(row), row)
  }

  /** Gives how many entries precede one, and where it jumps to: what its node tells of that. */
  depthAndJump(row: Row): readonly [depth: number, jump: Row] {
    const run = this.run(row)
    const i = row - run.start
    return [run.depth[i] as number, run.jump[i] as Row]
  }

  oid(row: Row): Oid {
    return this.run(row).oid(row)
  }

  /** Gives the run that holds a row, or throws `corrupt` where it is missing. */
  run(row: Row): Run {
    const run = this.#tryRun(row)
    if (!run) throw new SessError('corrupt', `entry ${row} is missing`)
    return run
  }

  #tryRun(row: Row): Run | undefined {
    const run = this.#runAt(row - (row % RUN))
    return run?.has(row) ? run : undefined
  }

  #runAt(start: Row): Run | undefined {
    const known = this.openRuns.get(start) ?? this.#runs.get(start)
    if (known) return known
    const key = runKey(start)
    const value = this.#table.get(key)
    if (value === undefined) return undefined
    const run = decodeRun(start, unseal(key, value, `the run at ${start}`))
    this.#runs.set(start, run)
    return run
  }

  /** Keeps a run that was just closed. */
  keepRun(run: Run): void {
    this.openRuns.delete(run.start)
    this.#runs.set(run.start, run)
  }

  /** Gives the stored bytes of an entry's body. */
  stored(row: Row): Slice {
    const [block, index] = this.run(row).place(row)
    return this.#blocks.slice(block, index)
  }

  /** Gives the body of an entry. */
  body(row: Row): Json {
    const bytes = bytesIn(this.stored(row))
    const stored = wellFormed(`the body of entry ${row}`, () => decodeStored(bytes) as Stored)
    return mayName(bytes) ? this.whole(stored) : (stored as Json)
  }

  /**
   * Has the bodies of some entries at hand, as far as the cache has room: their blocks, and those of the blobs in them,
   * are unpacked on other threads. What cannot be read is told by who reads it.
   */
  async fetch(rows: readonly Row[]): Promise<void> {
    const places: Place[] = []
    unlessDamaged(() => {
      for (const row of rows) {
        const place = this.#tryRun(row)?.place(row)
        if (place) places.push(place)
      }
    })
    const blocks = await this.#blocks.fetch(new Set(places.map(([block]) => block)))
    const named = new Set<number>()
    for (let i = 0; i < places.length; ) {
      const end = endOfSequence(places, i)
      const [block, first] = places[i] as Place
      const items = blocks.get(block)?.between(first, first + end - i)
      if (items) for (const other of blocksNamed(items)) named.add(other)
      i = end
    }
    await this.#blocks.fetch(named)
  }

  /** Gives a stored value with its blobs put back. */
  whole(stored: Stored): Json {
    if (isList(stored) && areSmall(stored)) return stored as readonly Json[]
    return restore(stored, (ref) => textOfContent(this.item(ref.block, ref.index)))
  }

  /** Gives the bytes that a blob stands for. */
  bytes(ref: BlobRef): Uint8Array {
    return bytesOfContent(this.item(ref.block, ref.index))
  }

  /** Returns the bytes with a name. Throws `corrupt` where they are missing, or are others. */
  blobBytes(id: BlobId): Uint8Array {
    const bytes = this.bytes(this.placeOfBlob(id))
    if (blobIdOf(bytes) !== id) throw new SessError('corrupt', `the bytes ${id} are not what their name says`)
    return bytes
  }

  /** Returns where bytes with a name are. Throws `corrupt` where they are missing. */
  placeOfBlob(id: BlobId): BlobRef {
    const key = blobKey(Buffer.from(id, 'hex'))
    const place = this.freshBlobs.get(textOf(key)) ?? this.blob(key)
    if (!place) throw new SessError('corrupt', `the bytes ${id} are missing`)
    return place
  }

  /** Gives an item of a block, or throws `corrupt` where it is missing. */
  item(block: number, index: number): Uint8Array {
    return this.#blocks.item(block, index)
  }

  /** The blocks that are being gathered and are not in the table yet. */
  get openBlocks(): Map<number, OpenItems> {
    return this.#blocks.open
  }
}
