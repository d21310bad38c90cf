import { BlobRef, encode, layOut } from '../../model/canonical.ts'
import { sha256 } from '../../model/hash.ts'
import type { Json } from '../../model/json.ts'
import type { Encoded, EncodedEnvelope } from '../../model/recordencoder.ts'
import { addChecksum } from '../checksum.ts'
import { BLOB_CHARS, encodeBlobRef, encodeBytesBlob, encodeTextBlob, spill, withTextBlobAt } from './blob.ts'
import { BlockBuffer } from './block.ts'
import type { CommitEncoder } from './commitlog.ts'
import { compress } from './compression.ts'
import type { Counters } from './counters.ts'
import { blobKey, blockKey, type Key, keyText } from './keys.ts'
import type { Objects } from './objects.ts'
import { EncodedContent, type Stored } from './storedrecord.ts'

/** A block is closed when its items reach this many bytes: larger ones compress better and cost more to read one entry. */
const BODY_BYTES = 512 << 10
/** Of blobs, which few ask for, and which are most of a store. */
const BLOB_BYTES = 2 << 20

/** Brotli's quality for what is to be small: 6 takes a tenth more time and gains 2 %. */
const SMALL = 5
/** And for what somebody waits for, four times as quick: a tenth to a quarter larger, until it is packed again. */
const QUICK = 2

/** Where what was packed is put. */
export interface PutTarget {
  put(key: Key, value: Uint8Array | undefined): void
  /** Puts what a function makes of what stands there. */
  change(key: Key, to: (value: Uint8Array | undefined) => Uint8Array): void
}

/** What packs entries, and where what was packed is put. */
export interface PackerOptions {
  readonly to: PutTarget
  readonly objects: Objects
  readonly counters: Counters
  /** Whether it is packed small, which takes longer. */
  readonly dense?: boolean
}

/** A body on its way into the store. */
export interface NewBody {
  readonly body: Json
  /** Its canonical bytes, to be kept, where they are at hand. */
  readonly canonical?: Uint8Array
  /** The same in a buffer that is reused. */
  readonly encoded?: Encoded | undefined
}

/** Bytes of a new buffer: those of a block, and of most items that may go beyond them. */
const BUFFER_BYTES = BLOB_BYTES + (64 << 10)
/** So many buffers are kept to be used again. */
const MAX_FREE = 4

/** Returns the bytes of the header of a large text in CBOR. */
const headerOf = (size: number): number => (size < 0x10000 ? 3 : 5)

/** The size of the buffer in which stored bytes are put together. */
const SCRATCH_BYTES = 64 << 10

interface OpenBlock {
  readonly number: number
  readonly items: BlockBuffer
  readonly blobs: { readonly key: Key; readonly index: number }[]
}

/** Packs bodies and blobs into blocks, which are compressed as they are full. */
export class BlockPacker {
  readonly #to: PutTarget
  readonly #objects: Objects
  readonly #counters: Counters
  readonly #onPut: (block: number) => void
  #bodies: OpenBlock | undefined
  #blobs: OpenBlock | undefined
  readonly #isDense: boolean
  readonly #quality: number
  /** Buffers of blocks that were put, to be used again. */
  readonly #free: Buffer[] = []
  readonly #packing = new Set<Promise<void>>()
  #failure: unknown
  /** Blocks that are not put yet. */
  readonly #pending = new Map<number, OpenBlock>()
  /** Which blocks that are not put yet are named by blobs: told while it is set. */
  referenced: Set<number> | undefined
  #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES)
  #length = 0
  /** How many blobs were stored. */
  created = 0

  /** `onPut` is called when a block was put. */
  constructor({ to, objects, counters, dense = false }: PackerOptions, onPut: (block: number) => void) {
    this.#to = to
    this.#objects = objects
    this.#counters = counters
    this.#isDense = dense
    this.#quality = dense ? SMALL : QUICK
    this.#onPut = onPut
  }

  /** Whether a block is of these and is not put yet. */
  isPending(block: number): boolean {
    return this.#pending.has(block)
  }

  /** Adds a body, its large strings kept as blobs, and tells a commit. Gives where it stands. */
  add(body: NewBody, commit?: CommitEncoder): BlobRef {
    const item = this.#storedForm(body, commit)
    const block = (this.#bodies ??= this.#open())
    commit?.body(block.number, item)
    const at = new BlobRef(block.number, block.items.push(item))
    if (block.items.size >= BODY_BYTES) this.#closeBodies()
    return at
  }

  /** Returns the bytes of a body as it is stored, valid until the next call. */
  #storedForm({ body, canonical, encoded }: NewBody, commit: CommitEncoder | undefined): Uint8Array {
    if (encoded) {
      this.#length = 0
      this.#addStored(encoded, 0, encoded.bytes.length, commit)
      return this.#scratch.subarray(0, this.#length)
    }
    // What is short as a whole has no string that is large.
    const stored = canonical && canonical.length < BLOB_CHARS ? body : this.spill(body, commit)
    return stored === body && canonical ? canonical : encode(stored)
  }

  /** Returns an envelope as it is stored, its large strings kept as blobs. */
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

  /** Writes a part of encoded bytes, with the places of blobs for its large strings. */
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

  /** Gives a value with its large strings kept as blobs. */
  spill(value: Json, commit?: CommitEncoder): Stored {
    return spill(value, (text) => this.#keep(encodeTextBlob(text), commit))
  }

  /** Keeps raw bytes as a blob. */
  keepBytes(bytes: Uint8Array, commit?: CommitEncoder): BlobRef {
    return this.#keep(encodeBytesBlob(bytes), commit)
  }

  /** Keeps a copy of a content. */
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

  #pushBlob(block: OpenBlock, content: Uint8Array, key: Key): BlobRef {
    const at = new BlobRef(block.number, block.items.push(content))
    block.blobs.push({ key, index: at.index })
    this.#objects.pendingBlobs.set(keyText(key), at)
    this.created++
    return at
  }

  /** Adds a body again, to the block that it had. */
  replayBody(block: number, item: Uint8Array): void {
    if (this.#bodies && this.#bodies.number !== block) this.#close(this.#bodies)
    if (this.#bodies?.number !== block) this.#bodies = this.#open(block)
    this.#bodies.items.push(item)
  }

  /** Adds a blob again, to the block that it had. */
  replayBlob(block: number, content: Uint8Array, key: Key): void {
    if (this.#blobs?.number !== block) {
      this.#closeBlobs()
      this.#blobs = this.#open(block)
    }
    this.#pushBlob(this.#blobs, content, key)
  }

  #open(number = this.#counters.block): OpenBlock {
    this.#counters.block = Math.max(this.#counters.block, number + 1)
    const items = this.#isDense ? new BlockBuffer(BUFFER_BYTES, this.#free.pop()) : new BlockBuffer()
    const block: OpenBlock = { number, items, blobs: [] }
    this.#objects.openBlocks.set(number, block.items)
    this.#pending.set(number, block)
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
    const packing = compress(block.items.encode(), this.#quality)
      .then((packed) => this.#put(block, packed))
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => this.#packing.delete(packing))
    this.#packing.add(packing)
  }

  #put(block: OpenBlock, packed: Uint8Array): void {
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

  /** Waits until at most so many blocks are being compressed, so that memory stays bounded. */
  async throttle(most = 2): Promise<void> {
    while (this.#packing.size > most) await Promise.race(this.#packing)
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Puts all blocks. */
  async close(): Promise<void> {
    this.#closeBodies()
    await this.throttle(0)
  }

  /** Forgets what is not put yet, so that nothing is built on it. */
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
