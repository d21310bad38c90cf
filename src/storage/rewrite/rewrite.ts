import { type BlobRef, encode } from '../../model/encoding/canonical.ts'
import { SessError } from '../../model/errors.ts'
import { type RefName, renamedRef, tombstoneOf } from '../../model/refname.ts'
import { addChecksum, removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { decodeSourceNote } from '../levelbackend/caches.ts'
import { type Density, decompress, isCompressed } from '../levelbackend/compression.ts'
import { Counters } from '../levelbackend/counters.ts'
import { EntryPage, PAGE_ROWS, type PageEntry } from '../levelbackend/entrypage.ts'
import { decodeEntryPage, encodeEntryPage } from '../levelbackend/entrypagecodec.ts'
import {
  blobKey,
  coverageKey,
  type Key,
  numberAt,
  oidKey,
  pageKey,
  prefixEnd,
  refKey,
  SPACE,
} from '../levelbackend/keys.ts'
import type { KeyValueStore } from '../levelbackend/keyvaluestore.ts'
import { operationPut, readOperation } from '../levelbackend/operations.ts'
import { decodeRef, encodeRef } from '../levelbackend/refs.ts'
import { addRow, handleOf, type Row } from '../levelbackend/rows.ts'
import { joinedCoverageContent, renamedCoverage } from '../search/coverage.ts'
import { BlobCopier, BodyCopier } from './blobcopier.ts'
import { BlobRefMap, commitIfLarge, type RewriteSource } from './densepacker.ts'
import { blobRefsOf, LogCopier } from './logcopier.ts'
import type { ContentEdits, OnCopied, RewriteScope } from './scope.ts'

/** The number of block numbers that are reserved for blocks that are written to the old database meanwhile. */
const RESERVED_BLOCKS = 2 ** 20

/**
 * Copies what is kept of a database into an empty one, densely packed in full pages, blocks and segments. Rows, logs,
 * positions and numbers of operations do not change; numbers of blocks do. Each call of `copy` copies what earlier
 * calls did not, from a later state of the same database.
 */
export class Rewrite {
  readonly #dir: string
  readonly #target: KeyValueStore
  readonly #forgetWords: boolean
  readonly #blobs: BlobCopier
  readonly #bodies: BodyCopier
  readonly #segments: LogCopier
  readonly #mirror: SmallValueCopier
  /** The number of the first new block. */
  #first: number | undefined
  #block = 0

  constructor(dir: string, target: KeyValueStore, density: Density, revision: ContentEdits = {}) {
    this.#dir = dir
    this.#target = target
    this.#forgetWords = revision.dropWords ?? false
    const next = (): number => this.#block++
    this.#blobs = new BlobCopier(target, next, revision, density)
    const how = { moves: this.#blobs.moves, revision, density }
    this.#bodies = new BodyCopier(target, next, how)
    this.#segments = new LogCopier(target, how)
    this.#mirror = new SmallValueCopier(target, density, revision)
  }

  /** Copies what is kept and was not copied before. */
  async copy(source: RewriteSource, kept: RewriteScope, onCopied: OnCopied = () => undefined): Promise<void> {
    this.#number(source)
    const wanted = new BlobRefMap<true>()
    const want = (places: readonly BlobRef[]): void => {
      for (const place of places) wanted.set(place, true)
    }
    for await (const { fresh } of windowsOf(source, this.#target, kept))
      for (const row of fresh) want(this.#bodies.want(source, row))
    let segments = 0
    for await (const { records, bytes } of this.#segments.fresh(source, kept.logs)) {
      for (const record of records) want(blobRefsOf(record))
      segments += bytes
    }
    // A former value of a ref may name bytes that a repair could not recover.
    for (const blob of kept.blobs)
      want([source.objects.findBlob(blobKey(Buffer.from(blob, 'hex'))) ?? []].flat())
    const [blobs, bodies] = [this.#blobs.bytesOf(source, wanted), this.#bodies.bytesLeft(source)]
    let done = 0
    const onBytes = (bytes: number): void => onCopied((done += bytes), blobs + bodies + segments)
    await this.#blobs.copy(source, wanted, onBytes)
    await this.#copyEntries(source, kept, onBytes)
    await this.#segments.copy(source, kept.logs, onBytes)
    await this.#mirror.copy(source.store, kept.dropped.operation)
    this.#count(source, kept)
    await this.#target.commit()
  }

  /** Numbers new blocks after all that are, or will be, in the old database. */
  #number({ counters }: RewriteSource): void {
    if (this.#first === undefined) {
      this.#first = counters.block + RESERVED_BLOCKS
      this.#block = this.#first
    } else if (counters.block > this.#first)
      throw new SessError('busy', this.#dir, {
        detail: 'more was written meanwhile than can be copied',
      })
  }

  #count({ counters }: RewriteSource, { dropped }: RewriteScope): void {
    const { row, log, operation, commit } = counters
    const block = this.#block === this.#first ? counters.block : this.#block
    const indexed = this.#forgetWords ? 0 : counters.indexed
    const next = Object.assign(new Counters(), { row, block, log, operation, commit, indexed, dropped })
    const { key, value } = next.put()
    this.#target.put(key, value)
  }

  async #copyEntries(
    source: RewriteSource,
    kept: RewriteScope,
    onBytes: (bytes: number) => void,
  ): Promise<void> {
    for await (const window of windowsOf(source, this.#target, kept)) {
      this.#copyWindow(source, window)
      onBytes(this.#bodies.bytesCopied())
      await this.#bodies.throttle()
      await commitIfLarge(this.#target)
    }
    await this.#bodies.close()
  }

  /** Writes the page of a window, and the index keys of the entries that are copied. */
  #copyWindow(source: RewriteSource, { start, taken, fresh }: PageWindow): void {
    const { objects } = source
    const page = new EntryPage(start, PAGE_ROWS)
    const rows = taken ? [...taken.rows(start, start + PAGE_ROWS), ...fresh].sort((a, b) => a - b) : fresh
    for (const row of rows) {
      while (page.end < row) page.skip()
      const slot = taken?.has(row) ? taken.entry(row) : this.#copyEntry(source, row)
      page.add(slot, objects.oid(row), (relative) => objects.oid(relative))
    }
    const key = pageKey(start)
    this.#target.put(key, addChecksum(key, encodeEntryPage(page)))
    for (const row of fresh) this.#target.change(oidKey(objects.oid(row)), (before) => addRow(before, row))
  }

  #copyEntry(source: RewriteSource, row: Row): PageEntry {
    const { block, index } = this.#bodies.copy(source, row)
    return { ...source.objects.page(row).entry(row), block, index }
  }
}

/** A range of PAGE_ROWS rows from a multiple of PAGE_ROWS, some of which are copied. */
interface PageWindow {
  readonly start: Row
  /** The rows that were copied before. */
  readonly taken: EntryPage | undefined
  /** The rows that are to be copied. */
  readonly fresh: readonly Row[]
}

const PAGES = Uint8Array.of(SPACE.page)

function pageAt(store: KeyValueStore, start: Row): EntryPage | undefined {
  const key = pageKey(start)
  const value = store.get(key)
  return value && decodeEntryPage(start, removeChecksum(key, value, `the page at ${start}`))
}

/** Yields in order the windows with entries that are kept and were not copied yet. */
async function* windowsOf(
  { store }: RewriteSource,
  target: KeyValueStore,
  { entries }: RewriteScope,
): AsyncGenerator<PageWindow> {
  let start = -1
  let fresh: Row[] = []
  let taken: EntryPage | undefined
  for await (const [key, value] of store.range(PAGES, prefixEnd(PAGES))) {
    const first = numberAt(key, 1, 6)
    if (first - (first % PAGE_ROWS) !== start) {
      if (fresh.length > 0) yield { start, taken, fresh }
      start = first - (first % PAGE_ROWS)
      fresh = []
      taken = pageAt(target, start)
    }
    const page = decodeEntryPage(first, removeChecksum(key, value, `the page at ${first}`))
    for (const row of page.rows(page.start, page.end))
      if (entries.has(handleOf(row)) && !taken?.has(row)) fresh.push(row)
  }
  if (fresh.length > 0) yield { start, taken, fresh }
}

/** The keyspaces with small values: search coverage, the list of sessions, operations, refs, notes, the word index. */
const SPACES = [SPACE.coverage, SPACE.list, SPACE.operation, SPACE.ref, SPACE.source, SPACE.words]

const utf8 = new TextDecoder()

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

function joinedCoverageValue(key: Key, one: Uint8Array, other: Uint8Array): Uint8Array {
  const content = (value: Uint8Array): Uint8Array =>
    removeChecksum(key, value, 'the search coverage of a session')
  return addChecksum(key, joinedCoverageContent(content(one), content(other)))
}

/** Copies small values, and later their changes. */
export class SmallValueCopier {
  readonly #target: KeyValueStore
  readonly #density: Density
  readonly #revision: ContentEdits
  /** The checksums of the copied values, by key. */
  readonly #copied = new Map<string, string>()
  /** By new key the former ones, of values whose keys change: more than one only for search coverage. */
  readonly #claimed = new Map<string, Set<string>>()

  constructor(target: KeyValueStore, density: Density, revision: ContentEdits) {
    this.#target = target
    this.#density = density
    this.#revision = revision
  }

  /** Copies what is new or changed, and deletes what is gone. Of operations only those after `dropped`. */
  async copy(source: KeyValueStore, dropped: number): Promise<void> {
    const gone = new Set(this.#copied.keys())
    const { dropWords: forgetWords, ref } = this.#revision
    // The list of sessions repeats refs. Without it, refs are read.
    const left: number[] = [...(forgetWords ? [SPACE.words] : []), ...(ref ? [SPACE.list] : [])]
    const spaces = SPACES.filter((space) => !left.includes(space))
    for (const space of spaces)
      for await (const [key, value] of source.range(Uint8Array.of(space), prefixEnd(Uint8Array.of(space)))) {
        if (space === SPACE.operation && numberAt(key, 1, 6) <= dropped) continue
        const name = textOf(key)
        const sum = textOf(value.subarray(0, 8))
        if (this.#copied.get(name) !== sum) {
          const revised = await this.#revised(source, key, value)
          // A deletion of what was never copied would write its key, which may be what must not be there.
          if (revised === undefined) continue
          this.#copied.set(name, sum)
          this.#put(source, key, revised)
        }
        gone.delete(name)
        await commitIfLarge(this.#target)
      }
    for (const name of gone) {
      this.#copied.delete(name)
      const key = this.#renamed(Buffer.from(name, 'latin1'))
      const next = textOf(key)
      const claims = this.#claimed.get(next)
      claims?.delete(name)
      if (!this.#copied.has(next) && !claims?.size) this.#target.put(key, undefined)
    }
    for (const [name, is] of this.#revision.refs ?? []) {
      const key = refKey(name)
      this.#target.put(key, addChecksum(key, encodeRef(is)))
    }
  }

  /**
   * Puts a value under its new key. Coverage of two sessions that get the same key is joined. Throws `exists` where two
   * refs get it: one would replace the other.
   */
  #put(source: KeyValueStore, key: Key, revised: Uint8Array): void {
    const next = this.#renamed(key)
    const [name, former] = [textOf(next), textOf(key)]
    const claims = this.#claimed.get(name) ?? new Set()
    // A key that was copied before and is gone since does not count.
    const isShared = [...claims, ...(this.#copied.has(name) ? [name] : [])].some(
      (other) => other !== former && source.get(Buffer.from(other, 'latin1')) !== undefined,
    )
    if (isShared && key[0] !== SPACE.coverage)
      throw new SessError('exists', utf8.decode(next.subarray(1)), {
        detail: 'two names become the same without the secret: rename one of them first',
      })
    if (name !== former) this.#claimed.set(name, claims.add(former))
    const other = isShared ? this.#target.get(next) : undefined
    this.#target.put(next, other ? joinedCoverageValue(next, other, revised) : revised)
  }

  /** Returns the key of a value in the new database. */
  #renamed(key: Key): Key {
    const { namePart } = this.#revision
    if (!namePart || (key[0] !== SPACE.ref && key[0] !== SPACE.coverage)) return key
    const name = utf8.decode(key.subarray(1))
    if (key[0] === SPACE.coverage) return coverageKey(namePart(name))
    return tombstoneOf(name) ? key : refKey(renamedRef(name as RefName, namePart))
  }

  async #revised(source: KeyValueStore, key: Key, value: Uint8Array): Promise<Uint8Array | undefined> {
    const { ref, operation, note, sessionName } = this.#revision
    const bytes = (): Uint8Array => removeChecksum(key, value, 'a value')
    const name = (): string => utf8.decode(key.subarray(1))
    if (key[0] === SPACE.words) return this.#repacked(key, bytes())
    if (key[0] === SPACE.coverage && sessionName)
      return addChecksum(this.#renamed(key), renamedCoverage(bytes(), sessionName))
    if (key[0] === SPACE.ref && ref) {
      const is = wellFormed(`the ref ${name()}`, () => decodeRef(bytes()))
      return addChecksum(this.#renamed(key), encodeRef(ref(is, name() as RefName)))
    }
    if (key[0] === SPACE.source && note) {
      const next = note(decodeSourceNote(bytes(), name()), name())
      return next && addChecksum(key, encode(next))
    }
    if (key[0] === SPACE.operation && operation) {
      const is = readOperation(source, numberAt(key, 1, 6))
      return is && operationPut(operation(is)).value
    }
    if (key[0] === SPACE.operation) return this.#repacked(key, bytes())
    return value
  }

  async #repacked(key: Key, packed: Uint8Array): Promise<Uint8Array> {
    const isWorthPacking = isCompressed(packed) && !this.#density.isDense(packed)
    return addChecksum(key, isWorthPacking ? await this.#density.pack(decompress(packed)) : packed)
  }
}
