import { BlobRef, encode, layOut } from '../../model/encoding/canonical.ts'
import { sha256 } from '../../model/encoding/sha256.ts'
import type { Json } from '../../model/json.ts'
import type { Encoded, EncodedEnvelope } from '../../model/recordencoder.ts'
import { addChecksum } from '../checksum.ts'
import { BLOB_CHARS, encodeBlobRef, encodeBytesBlob, encodeTextBlob, spill, withTextBlobAt } from './blob.ts'
import { BlockBuffer, MAX_ITEMS } from './block.ts'
import type { CommitEncoder } from './commitlog.ts'
import { compress } from './compression.ts'
import type { Counters } from './counters.ts'
import { blobKey, blockKey, type Key, keyText } from './keys.ts'
import type { Objects } from './objects.ts'
import { EncodedContent, type Stored } from './storedrecord.ts'

/** A block of bodies is closed at this size: a larger one compresses better and costs more to read one entry. */
const BODY_BYTES = 512 << 10
/** A block of blobs is larger: they make up most of a store and are seldom read. */
const BLOB_BYTES = 2 << 20

/** Brotli's quality for imports: 6 takes a tenth more time and gains 2 %. */
const DENSE_QUALITY = 5
/** Brotli's quality for appends, four times as fast: 10 to 25 % larger, until gc compresses it again. */
const FAST_QUALITY = 2

/** Receives the puts of a packer. */
export interface PutTarget {
  put(key: Key, value: Uint8Array | undefined): void
  /** Replaces the value of a key by what a function returns for it. */
  change(key: Key, to: (value: Uint8Array | undefined) => Uint8Array): void
}

/** The target and the options of a packer. */
export interface PackerOptions {
  readonly to: PutTarget
  readonly objects: Objects
  readonly counters: Counters
  /** Compress more, which takes longer. */
  readonly dense?: boolean
}

/** A body to be stored. */
export interface NewBody {
  readonly body: Json
  /** Its canonical bytes, where they are known. The packer may keep them. */
  readonly canonical?: Uint8Array | undefined
  /** The canonical bytes in a buffer that is reused. */
  readonly encoded?: Encoded | undefined
}

/** The block of a body, and its index there. */
export interface BodyLocation {
  readonly block: number
  readonly index: number
}

/** The size of a new buffer in bytes: a full block and an average last item. */
const BUFFER_BYTES = BLOB_BYTES + (64 << 10)
/** The number of buffers that are kept for reuse. */
const MAX_FREE = 4

/** Returns the bytes of the header of a large text in CBOR. */
const headerOf = (size: number): number => (size < 0x10000 ? 3 : 5)

/** The initial size of the buffer in which stored bytes are assembled. */
const SCRATCH_BYTES = 64 << 10

interface PendingBlock {
  readonly number: number
  readonly items: BlockBuffer
  readonly blobs: { readonly key: Key; readonly index: number }[]
}

/** Packs bodies and blobs into blocks, which are compressed once they are full. */
export class BlockPacker {
  readonly #to: PutTarget
  readonly #objects: Objects
  readonly #counters: Counters
  readonly #onPut: (block: number) => void
  #bodies: PendingBlock | undefined
  #blobs: PendingBlock | undefined
  readonly #isDense: boolean
  readonly #quality: number
  /** Buffers of blocks that were put, to be used again. */
  readonly #free: Buffer[] = []
  readonly #packing = new Set<Promise<void>>()
  #failure: unknown
  /** Blocks that are not written yet. */
  readonly #pending = new Map<number, PendingBlock>()
  /** While set, collects the pending blocks that blob references name. */
  referenced: Set<number> | undefined
  #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES)
  #length = 0
  /** How many blobs were stored. */
  created = 0

  /** `onPut` is called when a block was put into the target. */
  constructor({ to, objects, counters, dense = false }: PackerOptions, onPut: (block: number) => void) {
    this.#to = to
    this.#objects = objects
    this.#counters = counters
    this.#isDense = dense
    this.#quality = dense ? DENSE_QUALITY : FAST_QUALITY
    this.#onPut = onPut
  }

  /** Returns whether a block of this packer is not written yet. */
  isPending(block: number): boolean {
    return this.#pending.has(block)
  }

  /** Adds a body, with its large strings as blobs, also to a commit. Returns its location. */
  add(body: NewBody, commit?: CommitEncoder): BodyLocation {
    const item = this.#storedForm(body, commit)
    const block = (this.#bodies ??= this.#open())
    commit?.body(block.number, item)
    const at = { block: block.number, index: block.items.push(item) }
    if (block.items.size >= BODY_BYTES || block.items.length >= MAX_ITEMS) this.#closeBodies()
    return at
  }

  /** Returns the bytes of a body as it is stored, valid until the next call. */
  #storedForm({ body, canonical, encoded }: NewBody, commit: CommitEncoder | undefined): Uint8Array {
    if (encoded) {
      this.#length = 0
      this.#addStored(encoded, 0, encoded.bytes.length, commit)
      return this.#scratch.subarray(0, this.#length)
    }
    // A short body has no large string.
    const stored = canonical && canonical.length < BLOB_CHARS ? body : this.spill(body, commit)
    return stored === body && canonical ? canonical : encode(stored)
  }

  /** Returns an envelope in stored form, with its large strings as blobs. */
  spillEnvelope(envelope: EncodedEnvelope, commit?: CommitEncoder): EncodedContent {
    const { shape, spelling, places } = envelope
    const ends: number[] = []
    this.#length = 0
    for (let i = 0; i < places.length; i += 2) {
      this.#addStored(envelope, places[i] as number, places[i + 1] as number, commit)
      ends.push(this.#length)
    }
    return new EncodedContent(shape, spelling, this.#written(), ends)
  }

  /** Copies a part of encoded bytes, with blob references for its large strings. */
  #addStored({ bytes, large }: Encoded, from: number, to: number, commit: CommitEncoder | undefined): void {
    let at = from
    for (let i = 0; i < large.length; i += 2) {
      const [start, end] = [large[i] as number, large[i + 1] as number]
      if (start < from) continue
      if (start >= to) break
      const place = withTextBlobAt(bytes, start, end, (content) => this.#keep(content, commit))
      this.#copy(bytes, at, start - headerOf(end - start))
      const stored = layOut(place)
      this.#copy(stored, 0, stored.length)
      at = end
    }
    this.#copy(bytes, at, to)
  }

  #copy(bytes: Buffer, from: number, to: number): void {
    const length = this.#length + to - from
    if (length > this.#scratch.length) {
      const larger = Buffer.allocUnsafeSlow(2 * length)
      this.#scratch.copy(larger, 0, 0, this.#length)
      this.#scratch = larger
    }
    bytes.copy(this.#scratch, this.#length, from, to)
    this.#length = length
  }

  #written(): Uint8Array {
    const written = Buffer.allocUnsafe(this.#length)
    this.#scratch.copy(written, 0, 0, this.#length)
    return written
  }

  /** Returns a value with its large strings as blobs. */
  spill(value: Json, commit?: CommitEncoder): Stored {
    return spill(value, (text) => this.#keep(encodeTextBlob(text), commit))
  }

  /** Stores raw bytes as a blob. */
  keepBytes(bytes: Uint8Array, commit?: CommitEncoder): BlobRef {
    return this.#keep(encodeBytesBlob(bytes), commit)
  }

  /** Stores a copy of a blob's content unless it is stored already. */
  #keep(content: Uint8Array, commit: CommitEncoder | undefined): BlobRef {
    const key = blobKey(sha256(content))
    const fresh = this.#objects.pendingBlobs.get(keyText(key))
    if (fresh) return this.#reference(fresh)
    const known = this.#objects.findBlob(key)
    if (known) return known
    const block = (this.#blobs ??= this.#open())
    commit?.blob(block.number, content, key)
    const at = this.#reference(this.#pushBlob(block, content, key))
    if (block.items.size >= BLOB_BYTES) this.#closeBlobs()
    return at
  }

  #reference(at: BlobRef): BlobRef {
    if (this.#pending.has(at.block)) this.referenced?.add(at.block)
    return at
  }

  #pushBlob(block: PendingBlock, content: Uint8Array, key: Key): BlobRef {
    const at = new BlobRef(block.number, block.items.push(content))
    block.blobs.push({ key, index: at.index })
    this.#objects.pendingBlobs.set(keyText(key), at)
    this.created++
    return at
  }

  /** Adds a body of a logged commit again, to the same block. */
  replayBody(block: number, item: Uint8Array): void {
    if (this.#bodies && this.#bodies.number !== block) this.#close(this.#bodies)
    if (this.#bodies?.number !== block) this.#bodies = this.#open(block)
    this.#bodies.items.push(item)
  }

  /** Adds a blob of a logged commit again, to the same block. */
  replayBlob(block: number, content: Uint8Array, key: Key): void {
    if (this.#blobs?.number !== block) {
      this.#closeBlobs()
      this.#blobs = this.#open(block)
    }
    this.#pushBlob(this.#blobs, content, key)
  }

  #open(number = this.#counters.block): PendingBlock {
    this.#counters.block = Math.max(this.#counters.block, number + 1)
    const items = this.#isDense ? new BlockBuffer(BUFFER_BYTES, this.#free.pop()) : new BlockBuffer()
    const block: PendingBlock = { number, items, blobs: [] }
    this.#objects.openBlocks.set(number, block.items)
    this.#pending.set(number, block)
    return block
  }

  #closeBodies(): void {
    // Blobs that the bodies reference are written first.
    this.#closeBlobs()
    if (this.#bodies) this.#close(this.#bodies)
    this.#bodies = undefined
  }

  #closeBlobs(): void {
    if (this.#blobs) this.#close(this.#blobs)
    this.#blobs = undefined
  }

  #close(block: PendingBlock): void {
    const packing = compress(block.items.encode(), this.#quality)
      .then((packed) => this.#put(block, packed))
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => this.#packing.delete(packing))
    this.#packing.add(packing)
  }

  #put(block: PendingBlock, packed: Uint8Array): void {
    if (!this.#pending.delete(block.number)) return
    const key = blockKey(block.number)
    this.#to.put(key, addChecksum(key, packed))
    for (const blob of block.blobs) {
      this.#to.put(blob.key, addChecksum(blob.key, encodeBlobRef(block.number, blob.index)))
      this.#objects.pendingBlobs.delete(keyText(blob.key))
    }
    this.#objects.openBlocks.delete(block.number)
    if (this.#isDense && this.#free.length < MAX_FREE) this.#free.push(block.items.release())
    this.#onPut(block.number)
  }

  /** Waits until at most `most` blocks are being compressed, so that memory stays bounded. */
  async throttle(most = 2): Promise<void> {
    while (this.#packing.size > most) await Promise.race(this.#packing)
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Writes all blocks. */
  async close(): Promise<void> {
    this.#closeBodies()
    await this.throttle(0)
  }

  /** Drops everything that is not written yet. */
  abandon(): void {
    for (const { number, blobs } of this.#pending.values()) {
      this.#objects.openBlocks.delete(number)
      for (const { key } of blobs) this.#objects.pendingBlobs.delete(keyText(key))
    }
    this.#pending.clear()
    this.#bodies = undefined
    this.#blobs = undefined
  }
}
