import { BlobRef, decodeStored, encode } from '../../model/canonical.ts'
import { removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { mayHaveBlobRefs } from '../level/blob.ts'
import { decodeItems, decompress, isDense } from '../level/block.ts'
import { handleOf } from '../level/entrynode.ts'
import { blockKey } from '../level/keys.ts'
import type { KeyValueStore } from '../level/keyvaluestore.ts'
import type { Row, Stored } from '../level/storedrecord.ts'
import {
  type BlobMoves,
  blobRefsIn,
  DensePacker,
  isWorthKeeping,
  type NextBlock,
  type RewriteSource,
} from './densepacker.ts'
import type { ContentEdits } from './scope.ts'

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
