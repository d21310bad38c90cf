import type { BlobRef } from '../../model/canonical.ts'
import type { Digest } from '../../model/entry.ts'
import type { Json } from '../../model/json.ts'
import { NEAR } from '../../model/node.ts'
import type { Oid } from '../../model/oid.ts'
import type { Encoded, EncodedEnvelope } from '../../model/recordencoder.ts'
import type { Traits } from '../../model/view.ts'
import type { Weight } from '../../model/weight.ts'
import { BlockPacker, type Packing, type Puts } from './blockpacker.ts'
import type { Counters } from './counters.ts'
import { type Key, oidKey, runKey } from './keys.ts'
import type { Objects } from './objects.ts'
import { withRow } from './place.ts'
import { type EncodedContent, NO_ROW, type Row, type Stored } from './storedrecord.ts'
import { seal } from '../checksum.ts'
import type { CommitWriter } from './commitcodec.ts'
import { type RowLinks, RUN, Run, type Slot } from './entrypage.ts'
import { encodeRun } from './entrypagecodec.ts'

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
  /** The canonical bytes of the body, to be kept, where they are at hand. */
  readonly canonical?: Uint8Array
  /** The same in a buffer that is reused. */
  readonly encoded?: Encoded | undefined
}

/** So many entries without a child are known: tips that are appended to by turns. */
const MOST_LEAVES = 4096

interface OpenRun {
  readonly run: Run
  /** Blocks that hold its bodies and are not put yet. */
  readonly needs: Set<number>
}

/**
 * Packs entries and blobs: consecutive entries share runs and compressed blocks. What is put is put in an order in which
 * nothing names what is not there.
 */
export class Packer {
  readonly #to: Puts
  readonly #objects: Objects
  readonly #counters: Counters
  readonly #blocks: BlockPacker
  #run: OpenRun | undefined
  #closed: OpenRun[] = []
  /** How many entries this packer created. */
  entries = 0

  constructor(packing: Packing) {
    const { to, objects, counters } = packing
    this.#to = to
    this.#objects = objects
    this.#counters = counters
    this.#blocks = new BlockPacker(packing, (block) => {
      for (const { needs } of this.#closed) needs.delete(block)
      this.#run?.needs.delete(block)
      this.#putRuns()
    })
  }

  /** How many blobs this packer created. */
  get blobs(): number {
    return this.#blocks.created
  }

  /** The row that the next entry gets at least. */
  get next(): Row {
    return this.#run?.run.end ?? this.#counters.row
  }

  /** Gives the row of an entry, which is stored unless the store has it already, and tells a commit what was stored. */
  add(entry: NewEntry, commit?: CommitWriter): Row {
    const known = this.#isNew(entry) ? undefined : this.#objects.find(entry.oid)
    if (known !== undefined) return known
    const { run } = this.#runFor(entry)
    const row = run.end
    const slot = this.#slot(row, entry, this.#blocks.add(entry, commit))
    commit?.entry(slot, entry.oid)
    this.#take(slot, entry.oid)
    return row
  }

  /** Tells whether an entry cannot be in the store: one of its parents has no child there. */
  #isNew({ parents }: NewEntry): boolean {
    return parents.some((parent) => this.#objects.leaves.has(parent))
  }

  #take(slot: Slot, oid: Oid): void {
    const { run, needs } = this.#run as OpenRun
    const { leaves } = this.#objects
    for (const parent of slot.parents) leaves.delete(parent)
    if (leaves.size === MOST_LEAVES) leaves.clear()
    leaves.add(slot.row)
    if (this.#blocks.lacks(slot.block)) needs.add(slot.block)
    run.add(slot, oid, (row) => this.#objects.oid(row))
    this.#objects.freshRows.set(oid, slot.row)
    this.entries++
    if (run.count === RUN) this.#closeRun()
  }

  /** Adds a body again, to the block that it had. */
  takeBody(block: number, item: Uint8Array): void {
    this.#blocks.takeBody(block, item)
  }

  /** Adds a blob again, to the block that it had. */
  takeBlob(block: number, content: Uint8Array, key: Key): void {
    this.#blocks.takeBlob(block, content, key)
  }

  /** Adds an entry again, under the row that it had. */
  takeEntry(slot: Slot, oid: Oid): void {
    if (this.#run?.run.end !== slot.row) {
      this.#closeRun()
      this.#beginRun(slot.row)
    }
    this.#take(slot, oid)
  }

  #runFor({ parents, links }: NewEntry): OpenRun {
    let newest = links.target ?? NO_ROW
    for (const parent of parents) if (parent > newest) newest = parent
    const open = this.#run
    if (open && newest < open.run.end) return open
    this.#closeRun()
    return this.#beginRun(Math.ceil(this.#counters.row / RUN) * RUN)
  }

  #beginRun(start: Row): OpenRun {
    this.#counters.row = Math.max(this.#counters.row, start + RUN)
    const run = { run: new Run(start), needs: new Set<number>() }
    this.#objects.openRuns.set(start, run.run)
    this.#run = run
    this.#blocks.named = run.needs
    return run
  }

  #slot(row: Row, entry: NewEntry, { block, index }: BlobRef): Slot {
    const { parents, type, digest, links, traits, weight: own } = entry
    const [first] = parents
    const run = first === undefined ? undefined : this.#objects.run(first)
    // Of the entry that it continues only some columns are read: a node of it would take as long as all else here.
    const i = run && first !== undefined ? first - run.start : 0
    const near = NEAR.map((trait, k) => (traits & trait ? row : (run?.near[k]?.[i] ?? NO_ROW)))
    const merge = parents.length > 1 ? row : (run?.merge[i] ?? NO_ROW)
    const depth = (run?.depth[i] ?? -1) + 1
    const weight = {
      calls: (run?.calls[i] ?? 0) + own.calls,
      tokens: (run?.tokens[i] ?? 0) + own.tokens,
    }
    const jump =
      run && first !== undefined ? this.#jump(first, run.depth[i] as number, run.jump[i] as Row) : row
    return {
      row,
      parents,
      type,
      traits,
      digest,
      links,
      depth,
      weight,
      jump,
      merge,
      near,
      block,
      index,
    }
  }

  /**
   * Gives where an entry behind a row jumps to, from the depth of that and its own jump: they are as long as two equal
   * jumps in a row (Myers, "An applicative random-access stack", 1983).
   */
  #jump(row: Row, depth: number, jump: Row): Row {
    const [far, farther] = this.#objects.depthAndJump(jump)
    const [farthest] = this.#objects.depthAndJump(farther)
    return depth - far === far - farthest ? farther : row
  }

  /** Gives a value with its large strings kept as blobs. */
  spill(value: Json, commit?: CommitWriter): Stored {
    return this.#blocks.spill(value, commit)
  }

  /** Returns an envelope as it is stored, its large strings kept as blobs. */
  spillEnvelope(envelope: EncodedEnvelope, commit?: CommitWriter): EncodedContent {
    return this.#blocks.spillEnvelope(envelope, commit)
  }

  /** Keeps raw bytes as a blob. */
  keepBytes(bytes: Uint8Array, commit?: CommitWriter): BlobRef {
    return this.#blocks.keepBytes(bytes, commit)
  }

  #closeRun(): void {
    const open = this.#run
    if (!open) return
    this.#run = undefined
    this.#blocks.named = undefined
    const { start, end } = open.run
    if (this.#counters.row === start + RUN) this.#counters.row = end
    this.#closed.push(open)
  }

  /** Puts closed runs in their order, up to the first whose bodies are not put. */
  #putRuns(): void {
    while (this.#closed[0]?.needs.size === 0) {
      const { run } = this.#closed.shift() as OpenRun
      const key = runKey(run.start)
      this.#to.put(key, seal(key, encodeRun(run)))
      for (let row = run.start; row < run.end; row++) {
        const oid = run.oid(row)
        this.#to.change(oidKey(oid), (rows) => withRow(rows, row))
        this.#objects.freshRows.delete(oid)
      }
      this.#objects.keepRun(run)
    }
  }

  /** Waits until at most two blocks are being compressed, so that memory stays bounded. */
  relax(): Promise<void> {
    return this.#blocks.relax()
  }

  /** Puts all that was added. */
  async close(): Promise<void> {
    this.#closeRun()
    await this.#blocks.close()
    this.#putRuns()
  }

  /** Forgets what is not put yet, so that nothing is built on it. */
  abandon(): void {
    for (const { run } of this.#run ? [...this.#closed, this.#run] : this.#closed) {
      this.#objects.openRuns.delete(run.start)
      for (let row = run.start; row < run.end; row++) this.#objects.freshRows.delete(run.oid(row))
    }
    this.#blocks.abandon()
    this.#closed = []
    this.#run = undefined
  }
}
