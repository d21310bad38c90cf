import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Awaitable } from '../../model/async.ts'
import { type BlobRef, decodeStored } from '../../model/encoding/canonical.ts'
import { bytesOf, type Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { Node } from '../../model/node.ts'
import type { BlobId } from '../../model/record.ts'
import { removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { LruCache } from '../lrucache.ts'
import {
  blobIdOf,
  blocksReferenced,
  decodeBlobRef,
  decodeBytesBlob,
  decodeTextBlob,
  mayHaveBlobRefs,
  restore,
  restoreBytes,
} from './blob.ts'
import { BlockReader, type PendingItems, undefinedIfCorrupt } from './blockreader.ts'
import { type EntryPage, PAGE_ROWS, StoredNode } from './entrypage.ts'
import { decodeEntryPage } from './entrypagecodec.ts'
import { blobKey, type Key, keyText, numberAt, oidKey, pageKey, prefixEnd, SPACE, spaceKey } from './keys.ts'
import type { KeyValueStore } from './keyvaluestore.ts'
import { decodeRows, type Row } from './rows.ts'
import type { Stored } from './storedrecord.ts'

const CACHED_PAGES = 96

/** So many oids are looked up in one turn of the event loop: about a millisecond. */
const OIDS_PER_TURN = 16

const isList = (stored: Stored): stored is readonly Stored[] => Array.isArray(stored)

/** Returns whether no part is or contains a blob reference. */
function areSmall(parts: readonly Stored[]): boolean {
  for (const part of parts) if (typeof part === 'object' && part !== null) return false
  return true
}

type ItemLocation = readonly [block: number, index: number]

/** Of a block of which so many items are wanted at most, only the beginning is decompressed. */
const FEW_ITEMS = 16

/** Returns the blocks of some items, each with the last of these where they are few. */
function lastItems(places: readonly ItemLocation[]): Map<number, number | undefined> {
  const counts = new Map<number, number>()
  const lasts = new Map<number, number | undefined>()
  for (const [block, index] of places) {
    const count = (counts.get(block) ?? 0) + 1
    counts.set(block, count)
    lasts.set(block, count > FEW_ITEMS ? undefined : Math.max(index, lasts.get(block) ?? 0))
  }
  return lasts
}

/** Returns the end of a sequence of locations that are consecutive in one block. */
function endOfSequence(places: readonly ItemLocation[], from: number): number {
  const [block, first] = places[from] as ItemLocation
  let end = from + 1
  while (places[end]?.[0] === block && places[end]?.[1] === first + end - from) end++
  return end
}

/** Reads entries and blobs, including those that are not written yet. */
export class Objects {
  readonly #store: KeyValueStore
  readonly #blocks: BlockReader
  readonly #pages = new LruCache<Row, EntryPage>(CACHED_PAGES, () => 1)
  /** Pages that are not written yet. */
  readonly openPages = new Map<Row, EntryPage>()
  readonly pendingRows = new Map<Oid, Row>()
  /** Entries that were added here and have no child: an entry that continues one of them is new. */
  readonly leaves = new Set<Row>()
  /** The locations of blobs that are not written yet, by the text of their keys. */
  readonly pendingBlobs = new Map<string, BlobRef>()

  constructor(store: KeyValueStore) {
    this.#store = store
    this.#blocks = new BlockReader(store)
  }

  /** Returns the rows of the entries whose oids may be this one: the index keeps 8 bytes of an oid. */
  #candidates(oid: Oid): Row[] {
    const value = this.#store.get(oidKey(oid))
    return value ? decodeRows(value) : []
  }

  /** Returns the location of the blob with a key, or undefined. */
  findBlob(key: Key): BlobRef | undefined {
    const value = this.#store.get(key)
    return value && decodeBlobRef(key, value)
  }

  /** Returns the row of the entry with an oid, or undefined. */
  find(oid: Oid): Row | undefined {
    const fresh = this.pendingRows.get(oid)
    if (fresh !== undefined) return fresh
    return this.#candidates(oid).find((row) => this.#findPage(row)?.oid(row) === oid)
  }

  /**
   * Returns the rows of the oids that are stored, in the order of rows, so that each page is read once. Of many oids, other
   * events run in between, and then `check`.
   */
  findMany(oids: Iterable<Oid>, check?: () => void): Awaitable<ReadonlyMap<Oid, Row>> {
    const steps = this.#findSteps(oids)
    const first = steps.next()
    return first.done ? first.value : this.#findSliced(steps, check)
  }

  async #findSliced(
    steps: Generator<void, ReadonlyMap<Oid, Row>>,
    check?: () => void,
  ): Promise<ReadonlyMap<Oid, Row>> {
    for (;;) {
      await nextTurn()
      check?.()
      const step = steps.next()
      if (step.done) return step.value
    }
  }

  /** Finds the rows of oids, and yields now and then. */
  *#findSteps(oids: Iterable<Oid>): Generator<void, ReadonlyMap<Oid, Row>> {
    const candidates: [Oid, Row][] = []
    let count = 0
    for (const oid of oids) {
      const fresh = this.pendingRows.get(oid)
      for (const row of fresh === undefined ? this.#candidates(oid) : [fresh]) candidates.push([oid, row])
      if (++count % OIDS_PER_TURN === 0) yield
    }
    candidates.sort(([, a], [, b]) => a - b)
    const found = new Map<Oid, Row>()
    for (const [oid, row] of candidates) {
      if (this.#findPage(row)?.oid(row) === oid) found.set(oid, row)
      if (++count % OIDS_PER_TURN === 0) yield
    }
    return found
  }

  /** Returns at most `limit` oids that begin with some hex digits. */
  async findByPrefix(prefix: string, limit: number): Promise<Oid[]> {
    const whole = bytesOf(prefix.slice(0, 16))
    const from = new Uint8Array([SPACE.oid, ...whole])
    const found = new Set<Oid>()
    for (const oid of this.pendingRows.keys()) if (oid.startsWith(prefix)) found.add(oid)
    const add = (row: Row): void => {
      const oid = this.#findPage(row)?.oid(row)
      if (oid?.startsWith(prefix)) found.add(oid)
    }
    for await (const [, value] of this.#store.range(from, prefixEnd(from))) {
      decodeRows(value).forEach(add)
      if (found.size >= limit) break
    }
    return [...found].slice(0, limit)
  }

  /** Yields the rows of entries in a short range. */
  *rows(from: Row, to: Row): Generator<Row> {
    for (let row = from; row < to; ) {
      const start = row - (row % PAGE_ROWS)
      const page = this.#pageAt(start)
      if (page) yield* page.rows(row, to)
      row = start + PAGE_ROWS
    }
  }

  /** Yields the rows of entries in a range, including those that are not written yet. */
  async *rowsFrom(from: Row, to: Row): AsyncGenerator<Row> {
    const end = prefixEnd(spaceKey(SPACE.page))
    const open = [...this.openPages.values()].sort((a, b) => a.start - b.start)
    // The page that holds the first of these rows may begin before it.
    for await (const [key, value] of this.#store.range(pageKey(Math.max(0, from - PAGE_ROWS + 1)), end)) {
      const start = numberAt(key, 1, 6)
      if (start >= to) return
      yield* decodeEntryPage(start, removeChecksum(key, value, `the page at ${start}`)).rows(from, to)
    }
    for (const page of open) yield* page.rows(from, to)
  }

  /** Returns the first row of an entry in a range, of those that are not written yet too; undefined for none. */
  async firstRow(from: Row, to: Row): Promise<Row | undefined> {
    let first: Row | undefined
    for await (const row of this.rowsFrom(from, to)) {
      first = row
      break
    }
    for (const page of this.openPages.values())
      for (const row of page.rows(from, first ?? to)) {
        first = row
        break
      }
    return first
  }

  /** Returns the first rows of all pages, in order, including those that are not written yet. */
  async pageStarts(): Promise<Row[]> {
    const starts = new Set(this.openPages.keys())
    const prefix = spaceKey(SPACE.page)
    for await (const key of this.#store.keys(prefix, prefixEnd(prefix))) starts.add(numberAt(key, 1, 6))
    return [...starts].sort((a, b) => a - b)
  }

  node(row: Row): Node {
    return new StoredNode(this.page(row), row)
  }

  /** Returns the depth and the jump pointer of an entry. */
  depthAndJump(row: Row): readonly [depth: number, jump: Row] {
    const page = this.page(row)
    const i = row - page.start
    return [page.depth[i] as number, page.jumpAt(i)]
  }

  oid(row: Row): Oid {
    return this.page(row).oid(row)
  }

  /** Returns the page of a row. Throws `corrupt` where it is missing. */
  page(row: Row): EntryPage {
    const page = this.#findPage(row)
    if (!page) throw new SessError('corrupt', `entry ${row} is missing`)
    return page
  }

  #findPage(row: Row): EntryPage | undefined {
    const page = this.#pageAt(row - (row % PAGE_ROWS))
    return page?.has(row) ? page : undefined
  }

  #pageAt(start: Row): EntryPage | undefined {
    const known = this.openPages.get(start) ?? this.#pages.get(start)
    if (known) return known
    const key = pageKey(start)
    const value = this.#store.get(key)
    if (value === undefined) return undefined
    const page = decodeEntryPage(start, removeChecksum(key, value, `the page at ${start}`))
    this.#pages.set(start, page)
    return page
  }

  /** Moves a page that was written to the cache. */
  cachePage(page: EntryPage): void {
    this.openPages.delete(page.start)
    this.#pages.set(page.start, page)
  }

  /** Returns the body of an entry. */
  body(row: Row): Json {
    const bytes = this.item(...this.page(row).bodyLocation(row))
    const stored = wellFormed(`the body of entry ${row}`, () => decodeStored(bytes) as Stored)
    return mayHaveBlobRefs(bytes) ? this.withBlobs(stored) : (stored as Json)
  }

  /** Returns the canonical bytes of the body of an entry. */
  canonicalBody(row: Row): Uint8Array {
    const bytes = this.item(...this.page(row).bodyLocation(row))
    if (!mayHaveBlobRefs(bytes)) return bytes
    const contentAt = (ref: BlobRef): Uint8Array => this.item(ref.block, ref.index)
    return wellFormed(`the body of entry ${row}`, () => restoreBytes(bytes, contentAt))
  }

  /**
   * Decompresses the blocks of entries' bodies, and of the blobs in them, on the thread pool, up to a limit. Damage is
   * reported by the later read.
   */
  async prefetch(rows: readonly Row[]): Promise<void> {
    const places: ItemLocation[] = []
    undefinedIfCorrupt(() => {
      for (const row of rows) {
        const place = this.#findPage(row)?.bodyLocation(row)
        if (place) places.push(place)
      }
    })
    const blocks = await this.#blocks.prefetch(lastItems(places))
    const named = new Map<number, undefined>()
    for (let i = 0; i < places.length; ) {
      const end = endOfSequence(places, i)
      const [block, first] = places[i] as ItemLocation
      const items = blocks.get(block)?.between(first, first + end - i)
      if (items) for (const other of blocksReferenced(items)) named.set(other, undefined)
      i = end
    }
    await this.#blocks.prefetch(named)
  }

  /** Returns a stored value with the strings of its blobs. */
  withBlobs(stored: Stored): Json {
    if (isList(stored) && areSmall(stored)) return stored as readonly Json[]
    return restore(stored, (ref) => decodeTextBlob(this.item(ref.block, ref.index)))
  }

  /** Returns the bytes of a blob. */
  bytesOfBlob(ref: BlobRef): Uint8Array {
    return decodeBytesBlob(this.item(ref.block, ref.index))
  }

  /** Returns the bytes with a name. Throws `corrupt` where they are missing or do not match it. */
  readBlob(id: BlobId): Uint8Array {
    const bytes = this.bytesOfBlob(this.locateBlob(id))
    if (blobIdOf(bytes) !== id) throw new SessError('corrupt', `the bytes ${id} are not what their name says`)
    return bytes
  }

  /** Returns the location of the bytes with a name. Throws `corrupt` where they are missing. */
  locateBlob(id: BlobId): BlobRef {
    const key = blobKey(Buffer.from(id, 'hex'))
    const place = this.pendingBlobs.get(keyText(key)) ?? this.findBlob(key)
    if (!place) throw new SessError('corrupt', `the bytes ${id} are missing`)
    return place
  }

  /** Returns an item of a block. Throws `corrupt` where it is missing. */
  item(block: number, index: number): Uint8Array {
    return this.#blocks.item(block, index)
  }

  /** The blocks that are not written yet. */
  get openBlocks(): Map<number, PendingItems> {
    return this.#blocks.open
  }
}
