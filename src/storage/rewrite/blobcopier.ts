import { BlobRef } from '../../model/canonical.ts'
import { sha256 } from '../../model/hash.ts'
import { addChecksum, removeChecksum } from '../checksum.ts'
import { isPlain } from '../level/blob.ts'
import { decodeItems, decompress, isDense } from '../level/block.ts'
import { blobKey, blockKey } from '../level/keys.ts'
import type { KeyValueStore } from '../level/keyvaluestore.ts'
import { encodeBlobRef } from '../level/place.ts'
import {
  BlobMoves,
  type BlobRefMap,
  commitIfLarge,
  DensePacker,
  isWorthKeeping,
  type NextBlock,
  type RewriteSource,
} from './densepacker.ts'
import type { ContentEdits } from './scope.ts'

/** Blocks of texts are as large as Brotli's window: texts make up most of a store, and few are read at a time. */
const TEXT_BYTES = 16 << 20

const EMPTY: Uint8Array = new Uint8Array(0)

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
    const value = store.get(key) ?? EMPTY
    const packed = removeChecksum(key, value, `block ${block}`)
    const items = decodeItems(decompress(packed))
    const stays = !this.#revision.blob && isDense(packed) && isWorthKeeping(wanted.length, items.length)
    if (stays) {
      this.#target.put(key, value)
      this.moves.stay(block)
    }
    for (const index of wanted) {
      const from = new BlobRef(block, index)
      const item = items[index] ?? EMPTY
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
