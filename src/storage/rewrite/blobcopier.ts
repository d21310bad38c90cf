import { BlobRef, decodeStored, encode } from '../../model/encoding/canonical.ts'
import { sha256 } from '../../model/encoding/sha256.ts'
import { addChecksum, removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { encodeBlobRef, encodeBytesBlob, isPlain, mayHaveBlobRefs } from '../levelbackend/blob.ts'
import { decodeItems } from '../levelbackend/block.ts'
import { type Density, decompress } from '../levelbackend/compression.ts'
import { blobKey, blockKey } from '../levelbackend/keys.ts'
import type { KeyValueStore } from '../levelbackend/keyvaluestore.ts'
import { handleOf, type Row } from '../levelbackend/rows.ts'
import type { Stored } from '../levelbackend/storedrecord.ts'
import {
  BlobMoves,
  type BlobRefMap,
  blobRefsIn,
  commitIfLarge,
  DensePacker,
  isWorthKeeping,
  type NextBlock,
  type RewriteSource,
} from './densepacker.ts'
import type { ContentEdits } from './scope.ts'

/** Blocks of texts are as large as Brotli's window: texts make up most of a store, and few are read at a time. */
const TEXT_BYTES = 16 << 20

const NO_BYTES: Uint8Array = new Uint8Array(0)

/** Copies blobs, texts apart from images and other bytes, in the order of the store: neighbours are similar. */
export class BlobCopier {
  readonly moves = new BlobMoves()
  readonly #target: KeyValueStore
  readonly #revision: ContentEdits
  readonly #texts: DensePacker
  readonly #others: DensePacker
  readonly #density: Density
  readonly #known = new Map<string, BlobRef>()

  constructor(target: KeyValueStore, next: NextBlock, revision: ContentEdits, density: Density) {
    this.#target = target
    this.#revision = revision
    this.#density = density
    this.#texts = new DensePacker(target, next, TEXT_BYTES, density)
    this.#others = new DensePacker(target, next, TEXT_BYTES, density)
  }

  /** Returns the packed bytes of the blocks with wanted blobs that were not copied before. */
  bytesOf(source: RewriteSource, wanted: BlobRefMap<true>): number {
    let bytes = 0
    for (const [block, items] of wanted.blocks())
      if (this.#left(block, items).length > 0) bytes += bytesOfBlock(source, block)
    return bytes
  }

  #left(block: number, items: ReadonlyMap<number, true>): number[] {
    return [...items.keys()].filter((index) => !this.moves.find(new BlobRef(block, index)))
  }

  /** Copies the wanted blobs that were not copied before; `onBytes` is called with the packed bytes of each block. */
  async copy(
    source: RewriteSource,
    wanted: BlobRefMap<true>,
    onBytes: (bytes: number) => void,
  ): Promise<void> {
    for (const [block, items] of wanted.blocks()) {
      const left = this.#left(block, items)
      if (left.length === 0) continue
      onBytes(bytesOfBlock(source, block))
      this.#takeFrom(
        source,
        block,
        left.sort((a, b) => a - b),
      )
      await this.#texts.throttle()
      await this.#others.throttle()
      await commitIfLarge(this.#target)
    }
    for (const bytes of this.#revision.blobs?.() ?? []) this.#put(encodeBytesBlob(bytes))
    await this.#texts.close()
    await this.#others.close()
  }

  #takeFrom({ store }: RewriteSource, block: number, wanted: readonly number[]): void {
    const key = blockKey(block)
    const value = store.get(key) ?? NO_BYTES
    const packed = removeChecksum(key, value, `block ${block}`)
    const items = decodeItems(decompress(packed))
    const stays = this.#density.isDense(packed) && this.#isKept(items, block, wanted.length)
    if (stays) {
      this.#target.put(key, value)
      this.moves.stay(block, items.length)
    }
    for (const index of wanted) {
      const from = new BlobRef(block, index)
      const item = items[index] ?? NO_BYTES
      if (stays) this.#find(item, from)
      else this.#move(from, item)
    }
  }

  /** Returns whether a block is copied unchanged: nothing that is to be removed may be in it. */
  #isKept(items: readonly Uint8Array[], block: number, wanted: number): boolean {
    const { blob } = this.#revision
    if (!blob) return isWorthKeeping(wanted, items.length)
    if (wanted !== items.length) return false
    return items.every((item, index) => blob(item, new BlobRef(block, index)) === item)
  }

  #move(from: BlobRef, item: Uint8Array): void {
    this.moves.move(from, this.#put(this.#revision.blob?.(item, from) ?? item))
  }

  /** Adds the content of a blob unless it was added, and returns its place. */
  #put(content: Uint8Array): BlobRef {
    const name = Buffer.from(sha256(content)).toString('latin1')
    const known = this.#known.get(name)
    if (known) return known
    const to = (isPlain(content) ? this.#texts : this.#others).add(content)
    this.#known.set(name, to)
    this.#find(content, to)
    return to
  }

  /** Puts the index key of a blob. */
  #find(content: Uint8Array, { block, index }: BlobRef): void {
    const key = blobKey(sha256(content))
    this.#target.put(key, addChecksum(key, encodeBlobRef(block, index)))
  }
}

const bytesOfBlock = ({ store }: RewriteSource, block: number): number =>
  store.get(blockKey(block))?.length ?? 0

/** Smaller than for texts: entries are read one by one. */
const BODY_BYTES = 4 << 20

/** Copies the bodies of entries, in the order of rows. */
export class BodyCopier {
  readonly #target: KeyValueStore
  readonly #moves: BlobMoves
  readonly #revision: ContentEdits
  readonly #packer: DensePacker
  /**
   * The number of items of each block that is copied unchanged, 0 of others. A block that was still being filled when it
   * was copied has more of them later.
   */
  readonly #unchanged = new Map<number, number>()
  /** The number of wanted items, by block. */
  readonly #wanted = new Map<number, number>()
  /** The packed bytes of the blocks with wanted bodies of which none was copied yet, by block. */
  readonly #left = new Map<number, number>()
  #copied = 0
  /** The blocks with bodies that change. */
  readonly #changed = new Set<number>()
  readonly #density: Density

  constructor(
    target: KeyValueStore,
    next: NextBlock,
    { moves, revision, density }: { moves: BlobMoves; revision: ContentEdits; density: Density },
  ) {
    this.#target = target
    this.#moves = moves
    this.#revision = revision
    this.#density = density
    this.#packer = new DensePacker(target, next, BODY_BYTES, density)
  }

  /** Returns a body before and after it changes; undefined for one that stays and names no blob. */
  #revised(row: Row, item: Uint8Array): { readonly before: Stored; readonly after: Stored } | undefined {
    const { body, edited } = this.#revision
    const isEdited = body !== undefined && (edited?.has(handleOf(row)) ?? true)
    if (!isEdited && !mayHaveBlobRefs(item)) return undefined
    const before = wellFormed(`the body of entry ${row}`, () => decodeStored(item) as Stored)
    return { before, after: isEdited ? body(handleOf(row), before) : before }
  }

  /** Notes that a body is wanted, and returns the places of the blobs that it names. */
  want(source: RewriteSource, row: Row): BlobRef[] {
    const [block, index] = source.objects.page(row).bodyLocation(row)
    this.#wanted.set(block, (this.#wanted.get(block) ?? 0) + 1)
    const revised = this.#revised(row, source.objects.item(block, index))
    if (!revised) return []
    if (revised.after !== revised.before) this.#changed.add(block)
    return blobRefsIn(revised.after)
  }

  /** Returns the packed bytes of the blocks with wanted bodies that are not copied yet. */
  bytesLeft(source: RewriteSource): number {
    let bytes = 0
    for (const block of this.#wanted.keys()) {
      if (this.#unchanged.has(block)) continue
      this.#left.set(block, bytesOfBlock(source, block))
      bytes += this.#left.get(block) ?? 0
    }
    return bytes
  }

  /** Returns the packed bytes of the blocks that were begun since the last call. */
  bytesCopied(): number {
    const copied = this.#copied
    this.#copied = 0
    return copied
  }

  /** Copies the body of an entry, whose blobs must be copied before, and returns its new place. */
  copy(source: RewriteSource, row: Row): BlobRef {
    const [block, index] = source.objects.page(row).bodyLocation(row)
    const item = source.objects.item(block, index)
    this.#copied += this.#left.get(block) ?? 0
    this.#left.delete(block)
    const revised = this.#revised(row, item)
    const next = revised && this.#moves.follow(revised.after)
    if (next === revised?.before && index < this.#unchangedItems(source, block))
      return new BlobRef(block, index)
    return this.#packer.add(next === undefined ? item.slice() : encode(next).slice())
  }

  /** Copies a block unchanged where that is worth it, and returns the number of its items that are copied so. */
  #unchangedItems({ store }: RewriteSource, block: number): number {
    const known = this.#unchanged.get(block)
    if (known !== undefined) return known
    const key = blockKey(block)
    const value = store.get(key)
    const packed = value && removeChecksum(key, value, `block ${block}`)
    const mayStay = packed !== undefined && this.#density.isDense(packed) && !this.#changed.has(block)
    const items = mayStay ? decodeItems(decompress(packed)).length : 0
    const stays = value !== undefined && mayStay && this.#isWanted(block, items)
    if (stays) this.#target.put(key, value)
    this.#unchanged.set(block, stays ? items : 0)
    return stays ? items : 0
  }

  #isWanted(block: number, items: number): boolean {
    const wanted = this.#wanted.get(block) ?? 0
    return this.#revision.body ? wanted === items : isWorthKeeping(wanted, items)
  }

  throttle(): Promise<void> {
    return this.#packer.throttle()
  }

  /** Puts everything that was added into the table. */
  close(): Promise<void> {
    return this.#packer.close()
  }
}
