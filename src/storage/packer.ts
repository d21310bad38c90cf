import { BlobRef, encode } from '../model/canonical.ts'
import type { Digest } from '../model/entry.ts'
import { sha256 } from '../model/hash.ts'
import type { Json } from '../model/json.ts'
import { type Oid, oidOf } from '../model/oid.ts'
import type { Traits } from '../model/view.ts'
import { NO_WEIGHT, plus, type Weight } from '../model/weight.ts'
import { contentOf, contentOfBytes, spill } from './blob.ts'
import { joinItems, pack, packPlain } from './block.ts'
import type { Counters } from './counters.ts'
import { blobKey, blockKey, type Key, numberAt, oidKey, runKey } from './keys.ts'
import type { Objects } from './objects.ts'
import { placeOf, withRow } from './place.ts'
import { NO_ROW, type Row, type Stored } from './record.ts'
import { NEAR, type Node, type RowLinks, RUN, Run } from './run.ts'
import { encodeRun } from './runcodec.ts'
import { seal, unseal } from './seal.ts'
import type { Table } from './table.ts'

/** An entry on its way into the store. Its relatives are there already. */
export interface NewEntry {
  readonly oid: Oid
  readonly type: string
  readonly parents: readonly Row[]
  readonly links: RowLinks
  readonly digest: Digest
  readonly traits: Traits
  readonly weight: Weight
  readonly body: Json
}

/** A block is closed when its items reach this many bytes: larger ones compress better and cost more to read one entry. */
const BLOCK_BYTES = 512 << 10

/** Brotli's quality for what import writes: about 40 MB/s on one core. */
const QUALITY = 5

interface OpenBlock {
  readonly number: number
  readonly items: Uint8Array[]
  readonly blobs: { readonly name: string; readonly key: Key; readonly index: number }[]
  bytes: number
}

interface ClosedRun {
  readonly run: Run
  /** Blocks that hold its bodies and are not in the table yet. */
  readonly needs: Set<number>
}

/**
 * Writes entries and blobs. In bulk, consecutive entries share runs and compressed blocks; else each entry is a run
 * and a block of its own. What reaches the table reaches it in an order in which nothing names what is not there.
 */
export class Packer {
  readonly #table: Table
  readonly #objects: Objects
  readonly #counters: Counters
  readonly #bulk: boolean
  /** Blobs whose blocks are not in the table yet, by their digests. */
  readonly #freshBlobs = new Map<string, BlobRef>()
  #bodies: OpenBlock | undefined
  #blobs: OpenBlock | undefined
  #run: ClosedRun | undefined
  #closed: ClosedRun[] = []
  readonly #packing = new Set<Promise<void>>()
  #failure: unknown
  /** Blocks that are not in the table yet. */
  readonly #unput = new Set<number>()
  /** How many entries and blobs this packer created. */
  created = { entries: 0, blobs: 0 }

  constructor(table: Table, objects: Objects, counters: Counters, bulk: boolean) {
    this.#table = table
    this.#objects = objects
    this.#counters = counters
    this.#bulk = bulk
  }

  /** Gives the row of an entry, which is stored unless the store has it already. */
  add(entry: NewEntry): Row {
    const known = this.#objects.find(entry.oid)
    if (known !== undefined) return known
    const run = this.#openRun(entry)
    const row = run.run.end
    const item = encode(this.spill(entry.body)).slice()
    const block = this.#bulk ? (this.#bodies ??= this.#openBlock()) : (this.#blobs ??= this.#openBlock())
    const index = this.#push(block, item)
    run.needs.add(block.number)
    run.run.add({ ...this.#node(row, entry), block: block.number, index }, entry.oid, (r) =>
      this.#objects.oid(r),
    )
    this.#objects.freshRows.set(entry.oid, row)
    this.created.entries++
    if (!this.#bulk || run.run.count === RUN) this.#closeRun()
    if (this.#bulk && block.bytes >= BLOCK_BYTES) this.#closeBodies()
    return row
  }

  #openRun({ parents, links }: NewEntry): ClosedRun {
    const newest = Math.max(NO_ROW, ...parents, links.target ?? NO_ROW)
    const open = this.#run
    if (open && newest < open.run.end) return open
    this.#closeRun()
    const start = this.#bulk ? Math.ceil(this.#counters.row / RUN) * RUN : this.#counters.row
    this.#counters.row = start + (this.#bulk ? RUN : 1)
    const run = { run: new Run(start, this.#bulk ? RUN : 1), needs: new Set<number>() }
    this.#objects.openRuns.set(start, run.run)
    this.#run = run
    return run
  }

  #node(row: Row, { parents, type, digest, links, traits, weight: own }: NewEntry): Node {
    const parent = parents[0] === undefined ? undefined : this.#objects.node(parents[0])
    const near = NEAR.map((trait, i) => (traits & trait ? row : (parent?.near[i] ?? NO_ROW)))
    const merge = parents.length > 1 ? row : (parent?.merge ?? NO_ROW)
    const merged = merge !== NO_ROW
    const depth = parent ? parent.depth + 1 : 0
    const weight = plus(parent?.weight ?? NO_WEIGHT, own)
    const jump = this.#jump(row, parent)
    return { row, parents, type, traits, digest, links, depth, weight, jump, merged, merge, near }
  }

  /** Jumps of a node are as long as two equal jumps in a row (Myers, "An applicative random-access stack", 1983). */
  #jump(row: Row, parent: Node | undefined): Row {
    if (!parent) return row
    const far = this.#objects.node(parent.jump)
    const farther = this.#objects.node(far.jump)
    return parent.depth - far.depth === far.depth - farther.depth ? farther.row : parent.row
  }

  /** Gives a value with its large strings kept as blobs. */
  spill(value: Json): Stored {
    return spill(value, (text) => this.#keep(contentOf(text)))
  }

  /** Keeps raw bytes as a blob. */
  keepBytes(bytes: Uint8Array): BlobRef {
    return this.#keep(contentOfBytes(bytes))
  }

  #keep(content: Uint8Array): BlobRef {
    const digest = sha256(content)
    const name = oidOf(digest)
    const fresh = this.#freshBlobs.get(name)
    if (fresh) return this.#needed(fresh)
    const key = blobKey(digest)
    const value = this.#table.get(key)
    if (value !== undefined) {
      const place = unseal(key, value, 'the place of a blob')
      return new BlobRef(numberAt(place, 0, 6), numberAt(place, 6, 4))
    }
    const block = (this.#blobs ??= this.#openBlock())
    const index = this.#push(block, content)
    block.blobs.push({ name, key, index })
    const ref = new BlobRef(block.number, index)
    this.#freshBlobs.set(name, ref)
    this.created.blobs++
    this.#needed(ref)
    if (this.#bulk && block.bytes >= BLOCK_BYTES) this.#closeBlobs()
    return ref
  }

  /** Notes that the open run names a blob whose block is not in the table yet. */
  #needed(ref: BlobRef): BlobRef {
    if (this.#objects.openBlocks.has(ref.block)) this.#run?.needs.add(ref.block)
    return ref
  }

  #openBlock(): OpenBlock {
    const block = { number: this.#counters.block++, items: [], blobs: [], bytes: 0 }
    this.#objects.openBlocks.set(block.number, block.items)
    this.#unput.add(block.number)
    return block
  }

  #push(block: OpenBlock, item: Uint8Array): number {
    block.bytes += item.length
    return block.items.push(item) - 1
  }

  #closeBodies(): void {
    // Blobs that the bodies name go first, as the table is written in this order.
    this.#closeBlobs()
    if (this.#bodies) this.#closeBlock(this.#bodies)
    this.#bodies = undefined
  }

  #closeBlobs(): void {
    if (this.#blobs) this.#closeBlock(this.#blobs)
    this.#blobs = undefined
  }

  #closeRun(): void {
    const open = this.#run
    if (!open) return
    this.#run = undefined
    const end = open.run.end
    if (this.#counters.row === open.run.start + RUN && this.#bulk) this.#counters.row = end
    this.#closed.push(open)
    if (!this.#bulk) this.#closeBlobs()
  }

  #closeBlock(block: OpenBlock): void {
    const bytes = joinItems(block.items)
    if (!this.#bulk) {
      this.#putBlock(block, packPlain(bytes))
      return
    }
    const packing = pack(bytes, QUALITY)
      .then((packed) => this.#putBlock(block, packed))
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => this.#packing.delete(packing))
    this.#packing.add(packing)
  }

  #putBlock(block: OpenBlock, packed: Uint8Array): void {
    if (!this.#unput.delete(block.number)) return
    const key = blockKey(block.number)
    this.#table.put(key, seal(key, packed))
    for (const blob of block.blobs) {
      this.#table.put(blob.key, seal(blob.key, placeOf(block.number, blob.index)))
      this.#freshBlobs.delete(blob.name)
    }
    this.#objects.openBlocks.delete(block.number)
    for (const { needs } of this.#closed) needs.delete(block.number)
    this.#run?.needs.delete(block.number)
    this.#putRuns()
  }

  /** Puts closed runs in their order, up to the first whose bodies are not in the table. */
  #putRuns(): void {
    while (this.#closed[0]?.needs.size === 0) {
      const { run } = this.#closed.shift() as ClosedRun
      const key = runKey(run.start)
      this.#table.put(key, seal(key, encodeRun(run)))
      for (let row = run.start; row < run.end; row++) {
        const oid = run.oid(row)
        const at = oidKey(oid)
        this.#table.put(at, withRow(this.#table.get(at), row))
        this.#objects.freshRows.delete(oid)
      }
      this.#objects.keepRun(run)
    }
    this.#counters.put(this.#table)
  }

  /** Waits until at most two blocks are being compressed, so that memory stays bounded. */
  async relax(): Promise<void> {
    while (this.#packing.size > 2) await Promise.race(this.#packing)
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Puts all that was added into the table; synchronous but for the compression of blocks in bulk. */
  close(): Promise<void> | undefined {
    this.#closeRun()
    this.#closeBodies()
    if (this.#packing.size === 0) {
      this.#putRuns()
      return undefined
    }
    return this.#finish()
  }

  /** Forgets what is not in the table yet, so that nothing is built on it. */
  abandon(): void {
    for (const { run } of this.#run ? [...this.#closed, this.#run] : this.#closed) {
      this.#objects.openRuns.delete(run.start)
      for (let row = run.start; row < run.end; row++) this.#objects.freshRows.delete(run.oid(row))
    }
    for (const block of this.#unput) this.#objects.openBlocks.delete(block)
    this.#unput.clear()
    this.#closed = []
    this.#run = undefined
    this.#bodies = undefined
    this.#blobs = undefined
  }

  async #finish(): Promise<void> {
    await Promise.all(this.#packing)
    if (this.#failure !== undefined) throw this.#failure
    this.#putRuns()
  }
}
