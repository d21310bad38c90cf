import { BlobRef, decodeStored, encode } from '../../model/encoding/canonical.ts'
import { sha256 } from '../../model/encoding/sha256.ts'
import { addChecksum, removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { encodeBlobRef, isPlain, mayHaveBlobRefs } from '../levelbackend/blob.ts'
import { decodeItems } from '../levelbackend/block.ts'
import { decompress, isDense } from '../levelbackend/compression.ts'
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
  readonly #known = new Map<string, BlobRef>()

  constructor(target: KeyValueStore, next: NextBlock, revision: ContentEdits) {
    this.#target = target
    this.#revision = revision
    this.#texts = new DensePacker(target, next, TEXT_BYTES)
    this.#others = new DensePacker(target, next, TEXT_BYTES)
  }

  /** Copies the wanted blobs that were not copied before. */
  async copy(source: RewriteSource, wanted: BlobRefMap<true>): Promise<void> {
    for (const [block, items] of wanted.blocks()) {
      const left = [...items.keys()].filter((index) => !this.moves.find(new BlobRef(block, index)))
      if (left.length === 0) continue
      this.#takeFrom(
        source,
        block,
        left.sort((a, b) => a - b),
      )
      await this.#texts.throttle()
      await this.#others.throttle()
      await commitIfLarge(this.#target)
    }
    await this.#texts.close()
    await this.#others.close()
  }

  #takeFrom({ store }: RewriteSource, block: number, wanted: readonly number[]): void {
    const key = blockKey(block)
    const value = store.get(key) ?? NO_BYTES
    const packed = removeChecksum(key, value, `block ${block}`)
    const items = decodeItems(decompress(packed))
    const stays = !this.#revision.blob && isDense(packed) && isWorthKeeping(wanted.length, items.length)
    if (stays) {
      this.#target.put(key, value)
      this.moves.stay(block)
    }
    for (const index of wanted) {
      const from = new BlobRef(block, index)
      const item = items[index] ?? NO_BYTES
      if (stays) this.#find(item, from)
      else this.#move(from, item)
    }
  }

  #move(from: BlobRef, item: Uint8Array): void {
    const content = this.#revision.blob?.(item, from) ?? item
    const name = Buffer.from(sha256(content)).toString('latin1')
    const known = this.#known.get(name)
    const to = known ?? (isPlain(content) ? this.#texts : this.#others).add(content)
    if (!known) {
      this.#known.set(name, to)
      this.#find(content, to)
    }
    this.moves.move(from, to)
  }

  /** Puts the index key of a blob. */
  #find(content: Uint8Array, { block, index }: BlobRef): void {
    const key = blobKey(sha256(content))
    this.#target.put(key, addChecksum(key, encodeBlobRef(block, index)))
  }
}

/** Smaller than for texts: entries are read one by one. */
const BODY_BYTES = 4 << 20

/** Copies the bodies of entries, in the order of rows. */
export class BodyCopier {
  readonly #target: KeyValueStore
  readonly #moves: BlobMoves
  readonly #revision: ContentEdits
  readonly #packer: DensePacker
  /** Whether a block is copied unchanged, by block. */
  readonly #stays = new Map<number, boolean>()
  /** The number of wanted items, by block. */
  readonly #wanted = new Map<number, number>()

  constructor(target: KeyValueStore, next: NextBlock, moves: BlobMoves, revision: ContentEdits) {
    this.#target = target
    this.#moves = moves
    this.#revision = revision
    this.#packer = new DensePacker(target, next, BODY_BYTES)
  }

  #revised(row: Row, item: Uint8Array): Stored | undefined {
    const { body } = this.#revision
    if (!body && !mayHaveBlobRefs(item)) return undefined
    const stored = wellFormed(`the body of entry ${row}`, () => decodeStored(item) as Stored)
    return body ? body(handleOf(row), stored) : stored
  }

  /** Notes that a body is wanted, and returns the places of the blobs that it names. */
  want(source: RewriteSource, row: Row): BlobRef[] {
    const [block, index] = source.objects.page(row).bodyLocation(row)
    this.#wanted.set(block, (this.#wanted.get(block) ?? 0) + 1)
    const stored = this.#revised(row, source.objects.item(block, index))
    return stored === undefined ? [] : blobRefsIn(stored)
  }

  /** Copies the body of an entry, whose blobs must be copied before, and returns its new place. */
  copy(source: RewriteSource, row: Row): BlobRef {
    const [block, index] = source.objects.page(row).bodyLocation(row)
    const item = source.objects.item(block, index)
    const stored = this.#revised(row, item)
    const next = stored === undefined ? undefined : this.#moves.follow(stored)
    if (next === stored && this.#blockStays(source, block)) return new BlobRef(block, index)
    return this.#packer.add(next === undefined ? item.slice() : encode(next).slice())
  }

  #blockStays({ store }: RewriteSource, block: number): boolean {
    let stays = this.#stays.get(block)
    if (stays === undefined) {
      const key = blockKey(block)
      const value = store.get(key)
      const packed = value && removeChecksum(key, value, `block ${block}`)
      stays = packed !== undefined && !this.#revision.body && isDense(packed) && this.#isWanted(block, packed)
      if (value && stays) this.#target.put(key, value)
      this.#stays.set(block, stays)
    }
    return stays
  }

  #isWanted(block: number, packed: Uint8Array): boolean {
    return isWorthKeeping(this.#wanted.get(block) ?? 0, decodeItems(decompress(packed)).length)
  }

  throttle(): Promise<void> {
    return this.#packer.throttle()
  }

  /** Puts everything that was added into the table. */
  close(): Promise<void> {
    return this.#packer.close()
  }
}
