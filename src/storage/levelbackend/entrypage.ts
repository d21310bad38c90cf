import { type Digest, oidOfEntry, oidOfPlain } from '../../model/encoding/entry.ts'
import { type Oid, oidOf, writeBytesOf } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import { type EntryHandle, jumpDepth, NEAR, type Node, type NodeLinks } from '../../model/node.ts'
import type { Weight } from '../../model/tokens.ts'
import type { Traits } from '../../model/view.ts'
import { handleOf, handlesOf, NO_ROW, optionalHandle, type Row, type RowLinks } from './rows.ts'

/** The maximum number of entries of a page. Pages of several entries begin at multiples of it. */
export const PAGE_ROWS = 256

/** A page stores every n-th oid, so that at most n entries are hashed to find one. */
const OID_STEP = 64

/** After this many reads of single digests, all digests of the page are converted at once. */
const FEW = 4

/** An entry of a page, with the location of its body. See `model/node.ts`. */
export interface PageEntry {
  readonly row: Row
  readonly parents: readonly Row[]
  readonly type: string
  readonly traits: Traits
  readonly digest: Digest
  readonly links: RowLinks
  readonly depth: number
  readonly weight: Weight
  /** Its own row at a root. */
  readonly jump: Row
  /** NO_ROW where there is none. */
  readonly merge: Row
  /** NO_ROW where there is none. */
  readonly near: readonly Row[]
  readonly block: number
  readonly index: number
}

/** The fields that few entries have: parents beyond the first, links. */
export interface RareFields {
  readonly more: readonly Row[]
  readonly links: RowLinks
}

const NO_LINKS: RowLinks = {}

/** The oid of a hole. */
const NO_OID = '' as Oid

/**
 * A page of entries with consecutive rows, without their bodies, in columns. Oids are computed on demand from stored
 * oids of outside relatives and of every 64th entry.
 */
export class EntryPage {
  readonly start: Row
  readonly types: string[] = []
  readonly typeOf: Uint8Array
  readonly traits: Uint8Array
  readonly first: Float64Array
  readonly depth: Float64Array
  readonly calls: Float64Array
  readonly tokens: Float64Array
  readonly prompts: Float64Array
  readonly texts: Float64Array
  readonly jump: Float64Array
  /** For each of NEAR a column. */
  readonly near: readonly Float64Array[]
  readonly merge: Float64Array
  readonly block: Float64Array
  readonly index: Float64Array
  readonly digests: Uint8Array
  readonly rare = new Map<number, RareFields>()
  readonly relatives = new Map<Row, Oid>()
  /** Indexes of rows whose entries were removed. No remaining entry follows them. */
  readonly holes = new Set<number>()
  readonly #oids: Oid[] = []
  /**
   * The number of single digests that were read, and all digests as hex digits: a caller that reads several reads most.
   */
  #digestReads = 0
  #hex: string | undefined
  count = 0

  /** Makes an empty page with a capacity. */
  constructor(start: Row, capacity = PAGE_ROWS) {
    this.start = start
    // The columns share two buffers: allocating one takes longer than filling a column.
    const numbers = new ArrayBuffer(8 * capacity * (10 + NEAR.length))
    const bytes = new ArrayBuffer(capacity * (2 + 32))
    let at = 0
    const column = (): Float64Array => new Float64Array(numbers, 8 * capacity * at++, capacity)
    this.typeOf = new Uint8Array(bytes, 0, capacity)
    this.traits = new Uint8Array(bytes, capacity, capacity)
    this.digests = new Uint8Array(bytes, 2 * capacity)
    this.first = column()
    this.depth = column()
    this.calls = column()
    this.tokens = column()
    this.prompts = column()
    this.texts = column()
    this.jump = column()
    this.near = NEAR.map(column)
    this.merge = column()
    this.block = column()
    this.index = column()
  }

  /** The row after its last entry. */
  get end(): Row {
    return this.start + this.count
  }

  has(row: Row): boolean {
    return row >= this.start && row < this.end && !(this.holes.size > 0 && this.holes.has(row - this.start))
  }

  /** Yields the rows of its entries in a range. */
  *rows(from: Row, to: Row): Generator<Row> {
    for (let row = Math.max(from, this.start); row < Math.min(to, this.end); row++)
      if (this.has(row)) yield row
  }

  /** Leaves a hole at the next row. */
  skip(): void {
    const i = this.count++
    this.holes.add(i)
  }

  /** Appends an entry with its oid. `oidAt` returns the oids of its parents and links. */
  add(slot: PageEntry, oid: Oid, oidAt: (row: Row) => Oid): void {
    const { parents, links, weight, near } = slot
    const i = this.count++
    let type = this.types.indexOf(slot.type)
    if (type < 0) type = this.types.push(slot.type) - 1
    this.typeOf[i] = type
    this.traits[i] = slot.traits
    this.first[i] = parents[0] ?? NO_ROW
    this.depth[i] = slot.depth
    this.calls[i] = weight.calls
    this.tokens[i] = weight.tokens
    this.prompts[i] = weight.prompts
    this.texts[i] = weight.texts
    this.jump[i] = slot.jump
    for (let k = 0; k < near.length; k++) (this.near[k] as Float64Array)[i] = near[k] as Row
    this.merge[i] = slot.merge
    this.block[i] = slot.block
    this.index[i] = slot.index
    writeBytesOf(slot.digest, this.digests, 32 * i)
    this.#hex = undefined
    this.#digestReads = 0
    if (parents.length > 1 || !isEmpty(links)) this.rare.set(i, { more: parents.slice(1), links })
    for (const row of parents) this.#addRelative(row, oidAt)
    if (this.rare.has(i)) for (const row of linked(links)) this.#addRelative(row, oidAt)
    this.#oids[i] = oid
  }

  /** Stores the oid of a parent or link that is outside of the page. */
  #addRelative(row: Row, oidAt: (row: Row) => Oid): void {
    if (row < this.start && !this.relatives.has(row)) this.relatives.set(row, oidAt(row))
  }

  /** Sets the fields of an entry that follow from its parents. Returns whether one of them was another. */
  point(row: Row, pointers: Pick<PageEntry, 'near' | 'merge' | 'depth' | 'jump'>): boolean {
    const i = row - this.start
    const { near, merge, depth, jump } = pointers
    const now = [...this.near.map((column) => column[i]), this.merge[i], this.depth[i], this.jump[i]]
    const next = [...near, merge, depth, jump]
    if (next.every((value, k) => value === now[k])) return false
    for (let k = 0; k < near.length; k++) (this.near[k] as Float64Array)[i] = near[k] as Row
    this.merge[i] = merge
    this.depth[i] = depth
    this.jump[i] = jump
    return true
  }

  /** Returns the location of an entry's body. */
  bodyLocation(row: Row): readonly [block: number, index: number] {
    const i = row - this.start
    return [this.block[i] as number, this.index[i] as number]
  }

  /** Returns an entry, to be added to another page. */
  entry(row: Row): PageEntry {
    const i = row - this.start
    const [block, index] = this.bodyLocation(row)
    return {
      row,
      parents: this.parentsAt(i),
      type: this.typeAt(i),
      traits: this.traits[i] as Traits,
      digest: this.digestAt(i),
      links: this.rare.get(i)?.links ?? NO_LINKS,
      depth: this.depth[i] as number,
      weight: this.weightAt(i),
      jump: this.jump[i] as Row,
      merge: this.merge[i] as Row,
      near: this.near.map((column) => column[i] as Row),
      block,
      index,
    }
  }

  weightAt(i: number): Weight {
    const { calls, tokens, prompts, texts } = this
    return {
      calls: calls[i] as number,
      tokens: tokens[i] as number,
      prompts: prompts[i] as number,
      texts: texts[i] as number,
    }
  }

  parentsAt(i: number): readonly Row[] {
    const first = this.first[i] as number
    if (first === NO_ROW) return []
    const more = this.rare.size === 0 ? undefined : this.rare.get(i)?.more
    return more ? [first, ...more] : [first]
  }

  oid(row: Row): Oid {
    const index = row - this.start
    const known = this.#oids[index]
    if (known !== undefined) return known
    for (let i = index - (index % OID_STEP); i <= index; i++)
      if (!this.holes.has(i)) this.#oids[i] ??= this.#hash(i)
    return this.#oids[index] ?? NO_OID
  }

  /** The indexes of the entries whose oids are stored. */
  get indexesOfStoredOids(): number[] {
    const steps: number[] = []
    for (let i = OID_STEP - 1; i < this.count - 1; i += OID_STEP) if (!this.holes.has(i)) steps.push(i)
    return steps
  }

  /** Sets the stored oid of an entry. */
  setOid(index: number, oid: Oid): void {
    this.#oids[index] = oid
  }

  /** Returns whether the stored oids are those of their entries. */
  hasValidOids(): boolean {
    const stored = this.#oids.slice()
    this.#oids.length = 0
    return stored.every((oid, i) => this.oid(this.start + i) === oid)
  }

  #hash(i: number): Oid {
    const first = this.first[i] as number
    const at = (row: Row): Oid => {
      if (row >= this.start + i)
        throw new SessError(
          'corrupt',
          `the page at ${this.start} has a parent or link after entry ${this.start + i}`,
        )
      // An entry before the last stored oid may depend on one that is not stored.
      const oid = row < this.start ? this.relatives.get(row) : this.oid(row)
      if (!oid) throw new SessError('corrupt', `the page at ${this.start} lacks the oid of a parent or link`)
      return oid
    }
    const parent = first === NO_ROW ? undefined : at(first)
    const rare = this.rare.get(i)
    if (!rare) return oidOfPlain(parent, this.typeAt(i), this.digests.subarray(32 * i, 32 * i + 32))
    const { firstKept, kept, target } = rare.links
    return oidOfEntry({
      parents: parent === undefined ? [] : [parent, ...rare.more.map(at)],
      type: this.typeAt(i),
      digest: this.digestAt(i),
      links: {
        ...(firstKept === undefined ? {} : { firstKept: at(firstKept) }),
        ...(kept === undefined ? {} : { kept: kept.map(at) }),
        ...(target === undefined ? {} : { target: at(target) }),
      },
    })
  }

  /** Returns the jump pointer of an entry. Throws `corrupt` where a walk that follows it would not end. */
  jumpAt(i: number): Row {
    const [row, jump] = [this.start + i, this.jump[i] as Row]
    if (jump > row || (jump === row && (this.depth[i] as number) > 0))
      throw new SessError('corrupt', `entry ${row} jumps to no ancestor`)
    return jump
  }

  typeAt(i: number): string {
    return this.types[this.typeOf[i] as number] as string
  }

  digestAt(i: number): Digest {
    if (this.#digestReads++ < FEW)
      return oidOf(this.digests.subarray(32 * i, 32 * i + 32)) as string as Digest
    this.#hex ??= Buffer.from(this.digests.buffer, this.digests.byteOffset, 32 * this.count).toString('hex')
    return this.#hex.slice(64 * i, 64 * i + 64) as Digest
  }
}

const isEmpty = ({ firstKept, kept, target }: RowLinks): boolean =>
  firstKept === undefined && kept === undefined && target === undefined

function linked({ firstKept, kept, target }: RowLinks): Row[] {
  return [firstKept ?? [], kept ?? [], target ?? []].flat()
}

/** Returns links by handles as links by rows. */
export const rowLinks = (links: NodeLinks): RowLinks => links as RowLinks

/** The node of an entry in a page: each part is read from its column when it is asked for, because most are not. */
export class StoredNode implements Node {
  readonly #page: EntryPage
  readonly #i: number

  constructor(page: EntryPage, row: Row) {
    this.#page = page
    this.#i = row - page.start
  }

  get handle(): EntryHandle {
    return handleOf(this.order)
  }

  get order(): number {
    return this.#page.start + this.#i
  }

  get oid(): Oid {
    return this.#page.oid(this.order)
  }

  get parents(): readonly EntryHandle[] {
    const parents = this.#page.parentsAt(this.#i)
    for (const parent of parents)
      if (parent >= this.order)
        throw new SessError('corrupt', `entry ${this.order} has a parent stored after it`)
    return handlesOf(parents)
  }

  get type(): string {
    return this.#page.typeAt(this.#i)
  }

  get traits(): Traits {
    return this.#page.traits[this.#i] as number
  }

  get digest(): Digest {
    return this.#page.digestAt(this.#i)
  }

  get links(): NodeLinks {
    return (this.#page.rare.get(this.#i)?.links ?? NO_LINKS) as NodeLinks
  }

  get depth(): number {
    return this.#page.depth[this.#i] as number
  }

  get weight(): Weight {
    return this.#page.weightAt(this.#i)
  }

  get jump(): EntryHandle {
    return handleOf(this.#page.jumpAt(this.#i))
  }

  get jumpDepth(): number {
    return jumpDepth(this.depth)
  }

  get merge(): EntryHandle | undefined {
    return optionalHandle(this.#earlier(this.#page.merge[this.#i] as Row))
  }

  get near(): readonly (EntryHandle | undefined)[] {
    return this.#page.near.map((column) => optionalHandle(this.#earlier(column[this.#i] as Row)))
  }

  /** Throws `corrupt` where a row is a later one: a walk that follows it would not end. */
  #earlier(row: Row): Row {
    if (row > this.order) throw new SessError('corrupt', `entry ${this.order} points to a later one`)
    return row
  }
}
