import { BlobRef, encode } from '../../model/canonical.ts'
import { sha256 } from '../../model/hash.ts'
import type { Json } from '../../model/json.ts'
import type { Counters } from '../counters.ts'
import { blobKey, blockKey, type Key, textOf } from '../keys.ts'
import type { Objects } from '../objects.ts'
import { placeOf } from '../place.ts'
import type { Stored } from '../record.ts'
import { seal } from '../seal.ts'
import type { CommitWriter } from '../wal/commit.ts'
import { BLOB_CHARS, contentOf, contentOfBytes, spill } from './blob.ts'
import { joinItems, pack } from './block.ts'

/** A block is closed when its items reach this many bytes: larger ones compress better and cost more to read one entry. */
const BODY_BYTES = 512 << 10
/** Of blobs, which few ask for, and which are most of a store. */
const BLOB_BYTES = 2 << 20

/** Brotli's quality for what is to be small: about 40 MB/s on one core. */
const SMALL = 6
/** And for what somebody waits for, four times as quick: a tenth to a quarter larger, until it is packed anew. */
const QUICK = 2

/** Where what was packed is put. */
export interface Puts {
  put(key: Key, value: Uint8Array | undefined): void
  /** Puts what a function makes of what stands there. */
  change(key: Key, to: (value: Uint8Array | undefined) => Uint8Array): void
}

/** What packs entries, and where what was packed is put. */
export interface Packing {
  readonly to: Puts
  readonly objects: Objects
  readonly counters: Counters
  /** Whether it is packed small, which takes longer. */
  readonly dense?: boolean
}

interface OpenBlock {
  readonly number: number
  readonly items: Uint8Array[]
  readonly blobs: { readonly key: Key; readonly index: number }[]
  bytes: number
}

/** Packs bodies and blobs into blocks, which are compressed as they are full. */
export class BlockPacker {
  readonly #to: Puts
  readonly #objects: Objects
  readonly #counters: Counters
  readonly #onPut: (block: number) => void
  #bodies: OpenBlock | undefined
  #blobs: OpenBlock | undefined
  readonly #quality: number
  readonly #packing = new Set<Promise<void>>()
  #failure: unknown
  /** Blocks that are not put yet. */
  readonly #unput = new Map<number, OpenBlock>()
  /** Which blocks that are not put yet are named by blobs: told while it is set. */
  named: Set<number> | undefined
  /** How many blobs were stored. */
  created = 0

  /** `onPut` is called when a block was put. */
  constructor({ to, objects, counters, dense = false }: Packing, onPut: (block: number) => void) {
    this.#to = to
    this.#objects = objects
    this.#counters = counters
    this.#quality = dense ? SMALL : QUICK
    this.#onPut = onPut
  }

  /** Whether a block is of these and is not put yet. */
  lacks(block: number): boolean {
    return this.#unput.has(block)
  }

  /** Adds a body, its large strings kept as blobs, and tells a commit. Gives where it stands. */
  add(
    { body, canonical }: { readonly body: Json; readonly canonical?: Uint8Array },
    commit?: CommitWriter,
  ): BlobRef {
    // What is short as a whole has no string that is large.
    const stored = canonical && canonical.length < BLOB_CHARS ? body : this.spill(body, commit)
    const item = stored === body && canonical ? canonical : encode(stored)
    const block = (this.#bodies ??= this.#open())
    commit?.body(block.number, item)
    const at = new BlobRef(block.number, push(block, item))
    if (block.bytes >= BODY_BYTES) this.#closeBodies()
    return at
  }

  /** Gives a value with its large strings kept as blobs. */
  spill(value: Json, commit?: CommitWriter): Stored {
    return spill(value, (text) => this.#keep(contentOf(text), commit))
  }

  /** Keeps raw bytes as a blob. */
  keepBytes(bytes: Uint8Array, commit?: CommitWriter): BlobRef {
    return this.#keep(contentOfBytes(bytes), commit)
  }

  #keep(content: Uint8Array, commit: CommitWriter | undefined): BlobRef {
    const key = blobKey(sha256(content))
    const fresh = this.#objects.freshBlobs.get(textOf(key))
    if (fresh) return this.#name(fresh)
    const known = this.#objects.blob(key)
    if (known) return known
    const block = (this.#blobs ??= this.#open())
    commit?.blob(block.number, content, key)
    const at = this.#name(this.#pushBlob(block, content, key))
    if (block.bytes >= BLOB_BYTES) this.#closeBlobs()
    return at
  }

  #name(at: BlobRef): BlobRef {
    if (this.#unput.has(at.block)) this.named?.add(at.block)
    return at
  }

  #pushBlob(block: OpenBlock, content: Uint8Array, key: Key): BlobRef {
    const at = new BlobRef(block.number, push(block, content))
    block.blobs.push({ key, index: at.index })
    this.#objects.freshBlobs.set(textOf(key), at)
    this.created++
    return at
  }

  /** Adds a body again, to the block that it had. */
  takeBody(block: number, item: Uint8Array): void {
    if (this.#bodies && this.#bodies.number !== block) this.#close(this.#bodies)
    if (this.#bodies?.number !== block) this.#bodies = this.#open(block)
    push(this.#bodies, item)
  }

  /** Adds a blob again, to the block that it had. */
  takeBlob(block: number, content: Uint8Array, key: Key): void {
    if (this.#blobs?.number !== block) {
      this.#closeBlobs()
      this.#blobs = this.#open(block)
    }
    this.#pushBlob(this.#blobs, content, key)
  }

  #open(number = this.#counters.block): OpenBlock {
    this.#counters.block = Math.max(this.#counters.block, number + 1)
    const block: OpenBlock = { number, items: [], blobs: [], bytes: 0 }
    this.#objects.openBlocks.set(number, block.items)
    this.#unput.set(number, block)
    return block
  }

  #closeBodies(): void {
    // Blobs that the bodies name go first, as the table is written in this order.
    this.#closeBlobs()
    if (this.#bodies) this.#close(this.#bodies)
    this.#bodies = undefined
  }

  #closeBlobs(): void {
    if (this.#blobs) this.#close(this.#blobs)
    this.#blobs = undefined
  }

  #close(block: OpenBlock): void {
    const packing = pack(joinItems(block.items), this.#quality)
      .then((packed) => this.#put(block, packed))
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => this.#packing.delete(packing))
    this.#packing.add(packing)
  }

  #put(block: OpenBlock, packed: Uint8Array): void {
    if (!this.#unput.delete(block.number)) return
    const key = blockKey(block.number)
    this.#to.put(key, seal(key, packed))
    for (const blob of block.blobs) {
      this.#to.put(blob.key, seal(blob.key, placeOf(block.number, blob.index)))
      this.#objects.freshBlobs.delete(textOf(blob.key))
    }
    this.#objects.openBlocks.delete(block.number)
    this.#onPut(block.number)
  }

  /** Waits until at most so many blocks are being compressed, so that memory stays bounded. */
  async relax(most = 2): Promise<void> {
    while (this.#packing.size > most) await Promise.race(this.#packing)
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Puts all blocks. */
  async close(): Promise<void> {
    this.#closeBodies()
    await this.relax(0)
  }

  /** Forgets what is not put yet, so that nothing is built on it. */
  abandon(): void {
    for (const { number, blobs } of this.#unput.values()) {
      this.#objects.openBlocks.delete(number)
      for (const { key } of blobs) this.#objects.freshBlobs.delete(textOf(key))
    }
    this.#unput.clear()
    this.#bodies = undefined
    this.#blobs = undefined
  }
}

function push(block: OpenBlock, item: Uint8Array): number {
  block.bytes += item.length
  return block.items.push(item) - 1
}
