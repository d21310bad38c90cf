import type { Oid } from '../../model/encoding/oid.ts'
import { NEAR } from '../../model/node.ts'
import type { NewEntry } from '../backend.ts'
import { addChecksum } from '../checksum.ts'
import { BlockPacker, type BodyLocation, type PackerOptions, type PutTarget } from './blockpacker.ts'
import type { CommitEncoder } from './commitlog.ts'
import type { Counters } from './counters.ts'
import { EntryPage, PAGE_ROWS, type PageEntry } from './entrypage.ts'
import { encodeEntryPage } from './entrypagecodec.ts'
import { oidKey, pageKey } from './keys.ts'
import type { Objects } from './objects.ts'
import { addRow, NO_ROW, type Row, type RowLinks } from './rows.ts'

/** An entry to be stored, with the rows of its parents and links, which are stored already. */
export interface RowEntry extends Omit<NewEntry, 'parents' | 'links'> {
  readonly parents: readonly Row[]
  readonly links: RowLinks
}

/** Maximum number of known leaves. */
const MAX_LEAVES = 4096

/** A larger number could not be read back. The parent may come from a store that claims any depth or weight. */
const atMost = (number: number): number => Math.min(number, Number.MAX_SAFE_INTEGER)

/** Returns the fields of an entry that follow from its parents, which are stored, and its traits. */
export function pointersOf(
  objects: Objects,
  row: Row,
  parents: readonly Row[],
  traits: number,
): Pick<PageEntry, 'near' | 'merge' | 'depth' | 'jump'> {
  const [first] = parents
  const page = first === undefined ? undefined : objects.page(first)
  // Reads only some columns of the parent: creating its node would take as long as the rest of this function.
  const i = page && first !== undefined ? first - page.start : 0
  return {
    near: NEAR.map((trait, k) => (traits & trait ? row : (page?.near[k]?.[i] ?? NO_ROW))),
    merge: parents.length > 1 ? row : (page?.merge[i] ?? NO_ROW),
    depth: atMost((page?.depth[i] ?? -1) + 1),
    jump: page && first !== undefined ? jumpOf(objects, first, page.depth[i] as number, page.jumpAt(i)) : row,
  }
}

/**
 * Returns the jump pointer of a child, from the depth and the jump pointer of its parent: it is as long as two
 * consecutive equal jumps, else it is the parent (Myers, "An applicative random-access stack", 1983).
 */
function jumpOf(objects: Objects, row: Row, depth: number, jump: Row): Row {
  const [far, farther] = objects.depthAndJump(jump)
  const [farthest] = objects.depthAndJump(farther)
  return depth - far === far - farthest ? farther : row
}

interface OpenPage {
  readonly page: EntryPage
  /** The blocks with its bodies and blobs that are not written yet. */
  readonly needs: Set<number>
}

/**
 * Packs entries and blobs: consecutive entries share pages and compressed blocks. Puts are ordered so that nothing
 * refers to an object that is not stored yet.
 */
export class EntryPacker {
  readonly #to: PutTarget
  readonly #objects: Objects
  readonly #counters: Counters
  /** The packer of bodies and blobs. */
  readonly blocks: BlockPacker
  #page: OpenPage | undefined
  #closed: OpenPage[] = []
  /** The number of entries that this packer created. */
  entries = 0

  constructor(packing: PackerOptions) {
    const { to, objects, counters } = packing
    this.#to = to
    this.#objects = objects
    this.#counters = counters
    this.blocks = new BlockPacker(packing, (block) => {
      for (const { needs } of this.#closed) needs.delete(block)
      this.#page?.needs.delete(block)
      this.#putPages()
    })
  }

  /** The lowest row that the next entry may get. */
  get next(): Row {
    return this.#page?.page.end ?? this.#counters.row
  }

  /** Stores an entry unless it is stored already, and adds it to the commit. Returns its row. */
  add(entry: RowEntry, commit?: CommitEncoder): Row {
    const known = this.#isNew(entry) ? undefined : this.#objects.find(entry.oid)
    if (known !== undefined) return known
    const { page } = this.#pageFor(entry)
    const row = page.end
    const slot = this.#newPageEntry(row, entry, this.blocks.add(entry, commit))
    commit?.entry(slot, entry.oid)
    this.#append(slot, entry.oid)
    return row
  }

  /** Returns whether the entry must be new, because a parent has no children. */
  #isNew({ parents }: RowEntry): boolean {
    return parents.some((parent) => this.#objects.leaves.has(parent))
  }

  #append(slot: PageEntry, oid: Oid): void {
    const { page, needs } = this.#page as OpenPage
    const { leaves } = this.#objects
    for (const parent of slot.parents) leaves.delete(parent)
    if (leaves.size === MAX_LEAVES) leaves.clear()
    leaves.add(slot.row)
    if (this.blocks.isPending(slot.block)) needs.add(slot.block)
    page.add(slot, oid, (row) => this.#objects.oid(row))
    this.#objects.pendingRows.set(oid, slot.row)
    this.entries++
    if (page.count === PAGE_ROWS) this.#closePage()
  }

  /** Adds an entry of a logged commit again, with the same row. */
  replayEntry(slot: PageEntry, oid: Oid): void {
    if (this.#page?.page.end !== slot.row) {
      this.#closePage()
      this.#beginPage(slot.row)
    }
    this.#append(slot, oid)
  }

  #pageFor({ parents, links }: RowEntry): OpenPage {
    let newest = links.target ?? NO_ROW
    for (const parent of parents) if (parent > newest) newest = parent
    const open = this.#page
    if (open && newest < open.page.end) return open
    this.#closePage()
    return this.#beginPage(Math.ceil(this.#counters.row / PAGE_ROWS) * PAGE_ROWS)
  }

  #beginPage(start: Row): OpenPage {
    this.#counters.row = Math.max(this.#counters.row, start + PAGE_ROWS)
    const page = { page: new EntryPage(start), needs: new Set<number>() }
    this.#objects.openPages.set(start, page.page)
    this.#page = page
    this.blocks.referenced = page.needs
    return page
  }

  #newPageEntry(row: Row, entry: RowEntry, { block, index }: BodyLocation): PageEntry {
    const { parents, type, digest, links, traits, weight: own } = entry
    const [first] = parents
    const page = first === undefined ? undefined : this.#objects.page(first)
    const i = page && first !== undefined ? first - page.start : 0
    const { near, merge, depth, jump } = pointersOf(this.#objects, row, parents, traits)
    const weight = {
      calls: atMost((page?.calls[i] ?? 0) + own.calls),
      tokens: atMost((page?.tokens[i] ?? 0) + own.tokens),
      prompts: atMost((page?.prompts[i] ?? 0) + own.prompts),
      texts: atMost((page?.texts[i] ?? 0) + own.texts),
    }
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

  #closePage(): void {
    const open = this.#page
    if (!open) return
    this.#page = undefined
    this.blocks.referenced = undefined
    const { start, end } = open.page
    if (this.#counters.row === start + PAGE_ROWS) this.#counters.row = end
    this.#closed.push(open)
  }

  /** Writes closed pages in their order, up to the first whose bodies are not written. */
  #putPages(): void {
    while (this.#closed[0]?.needs.size === 0) {
      const { page } = this.#closed.shift() as OpenPage
      const key = pageKey(page.start)
      this.#to.put(key, addChecksum(key, encodeEntryPage(page)))
      for (let row = page.start; row < page.end; row++) {
        const oid = page.oid(row)
        this.#to.change(oidKey(oid), (rows) => addRow(rows, row))
        this.#objects.pendingRows.delete(oid)
      }
      this.#objects.cachePage(page)
    }
  }

  /** Writes everything that was added. */
  async close(): Promise<void> {
    this.#closePage()
    await this.blocks.close()
    this.#putPages()
  }

  /** Drops everything that is not written yet. */
  abandon(): void {
    for (const { page } of this.#page ? [...this.#closed, this.#page] : this.#closed) {
      this.#objects.openPages.delete(page.start)
      for (let row = page.start; row < page.end; row++) this.#objects.pendingRows.delete(page.oid(row))
    }
    this.blocks.abandon()
    this.#closed = []
    this.#page = undefined
  }
}
