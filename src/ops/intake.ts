import type { Again, Facts, Handle, Reader, Reading, Said, Splitter, Unit } from '../formats/format.ts'
import { viewOf } from '../formats/registry.ts'
import { NodeSet } from '../graph/nodeset.ts'
import { encode } from '../model/canonical.ts'
import { type Hasher, hasher } from '../model/hash.ts'
import { Numbers } from '../model/numbers.ts'
import { oidOf } from '../model/oid.ts'
import type { Backend, NewRecord, RowLinks, Transaction } from '../repo/backend.ts'
import { NO_ROW, type Row } from '../repo/backend.ts'
import type { Change } from '../repo/repo.ts'
import { contentOf } from './content.ts'
import type { Indexer } from './index.ts'
import type { Intaken, Known } from './known.ts'
import { addEntry } from './newentry.ts'
import { type Notice, Notices } from './notices.ts'
import { SourceEntries } from './sourceentries.ts'
import { endOf, type Given, NO_HASH, nextHash, type Target } from './target.ts'

const NO_BYTES = new Uint8Array(0)

const TORN = { code: 'torn-tail', message: 'the end is no complete record yet' } as const

const NOTHING_NEW = { entry: undefined, superseded: [], again: [] } as const

/**
 * Reads one source into the store: bytes into units, units into entries and records. What is known already is not
 * written again: entries by their oids, records by their position. Records are written only into a target, behind
 * those that it has; where these are not what the source begins with, none are. Without a target the source is read
 * for its counts alone. What is known of it by its bytes is only read for what comes behind it: nothing of it is hashed
 * or looked up, its entries are known by their positions.
 */
export class Intake {
  readonly #backend: Backend
  readonly #transaction: Transaction
  readonly #indexer: Indexer
  readonly #splitter: Splitter
  readonly #reader: Reader
  readonly #target: Target | undefined
  readonly #given: Given | undefined
  readonly #known: Known | undefined
  readonly #onUnit: Intaken['onUnit']
  readonly #digest: Hasher = hasher()
  #hash = NO_HASH
  #parted = false
  /** What roots continue. */
  #ground: readonly Row[] = []
  #lines = 0
  /** How many bytes the units stand for that were read. */
  #covered = 0
  /** By handle: the row of the entry that the record carries. */
  readonly #rows = new Numbers(Float64Array)
  readonly said = new SourceEntries()
  readonly #notices = new Notices()
  bytes = 0
  salvaged = 0
  updated: number | null = null
  tail: readonly Uint8Array[] = []

  constructor(
    { backend, transaction }: Change,
    indexer: Indexer,
    { format, sample, target, given, known, onUnit }: Intaken,
  ) {
    this.#backend = backend
    this.#transaction = transaction
    this.#indexer = indexer
    this.#splitter = format.splitter()
    this.#reader = format.reader(sample.name, sample.folder)
    this.#target = target
    this.#given = given
    this.#known = known
    this.#onUnit = onUnit
  }

  /** How many entries the source holds, those included that were given. */
  get held(): number {
    const held = new NodeSet()
    for (const row of this.#given?.rows ?? []) if (row !== NO_ROW) held.add(row)
    for (let i = 0; i < this.records; i++) if (this.#rows.get(i) !== NO_ROW) held.add(this.#rows.get(i))
    return held.size
  }

  get leaves(): ReadonlySet<Row> {
    return this.said.leaves
  }

  get records(): number {
    return this.#rows.length
  }

  get notices(): readonly Notice[] {
    return this.#notices.all
  }

  get hash(): string {
    return this.#hash
  }

  /** Whether the target's records are not those that the source begins with, as it is read now. */
  get parted(): boolean {
    return this.#parted
  }

  get facts(): Facts {
    return this.#reader.facts()
  }

  /** The row of the entry that the agent would resume from, or NO_ROW. */
  get active(): Row {
    const handle = this.#reader.active()
    return handle === null ? NO_ROW : this.rowOf(handle)
  }

  /** What the source's user named, by label. */
  get labels(): ReadonlyMap<string, Row> {
    return this.#named(this.facts.labels)
  }

  /** The newest entry of each branch that the source names. */
  get branches(): ReadonlyMap<string, Row> {
    return this.#named(this.facts.branches)
  }

  #named(names: ReadonlyMap<string, Handle> = new Map()): ReadonlyMap<string, Row> {
    return new Map([...names].map(([name, handle]) => [name.toWellFormed(), this.rowOf(handle)]))
  }

  /** Takes the next bytes of the source. */
  async push(bytes: Uint8Array): Promise<void> {
    this.#digest.update(bytes)
    this.bytes += bytes.length
    for (const unit of this.#splitter.push(bytes)) await this.#take(unit)
    await this.#transaction.relax()
    await this.#indexer.relax()
  }

  /** Ends the source, and gives the SHA-256 of its bytes. */
  async end(): Promise<string> {
    const { units, tail, torn = false } = this.#splitter.end()
    for (const unit of units) await this.#take(unit)
    this.#stand()
    const [target, known] = [this.#target, this.#known]
    if (known && this.records < endOf(known)) this.#parted = true
    else if (target && this.records <= endOf(target)) this.#compare(target)
    this.tail = tail
    if (torn) this.#notices.add(this.#lines + 1, TORN)
    return oidOf(this.#digest.digest())
  }

  /** Compares what was read with the records of a target, where it has any. */
  #compare({ count, hash }: Target): void {
    if (count > 0 && this.#hash !== hash) this.#parted = true
  }

  /**
   * Where all that was given was read and no more, lets the tip stand for where the agent would resume; where that is
   * nowhere, what begins anew continues the tip.
   */
  #stand(): void {
    const { rows, tip } = this.#given ?? {}
    if (tip === undefined || rows?.length !== this.records) return
    const active = this.#reader.active()
    if (active === null) this.#ground = [tip]
    else this.#rows.set(active, tip)
  }

  async #take(unit: Unit): Promise<void> {
    const known = this.#known
    if (known && this.#parted) return
    this.#onUnit?.(unit)
    this.#stand()
    const first = this.records
    const given = this.#given?.rows[first]
    this.#lines = unit.line
    const { warnings = [], ...read } = this.#reader.read(unit)
    const {
      entry,
      superseded = [],
      again = [],
      ...reading
    } = given === undefined ? read : { ...read, ...NOTHING_NEW }
    if (unit.salvaged) this.salvaged++
    for (const warning of unit.warning ? [unit.warning, ...warnings] : warnings)
      this.#notices.add(unit.line, warning)
    this.#covered += unit.bytes.length
    for (const { time } of [reading, ...again])
      if (time !== undefined && time > (this.updated ?? Number.NEGATIVE_INFINITY)) this.updated = time
    for (const handle of superseded) await this.#supersede(this.rowOf(handle))
    if (known && first < endOf(known)) {
      if (given === undefined) await this.#pass(known, entry, again)
      else this.#rows.push(given)
      if (!this.#parted && this.records >= endOf(known)) this.#goOn(known)
      return
    }
    const canonical = entry && encode(entry.body).slice()
    const row = entry && canonical ? await this.#add(entry, canonical) : (given ?? NO_ROW)
    this.#rows.push(row)
    for (const one of again) this.#rows.push(await this.#again(one))
    await this.#record(first, reading, unit.bytes, () => ({
      lead: unit.bytes.slice(0, unit.lead),
      content: contentOf(unit, entry, canonical),
    }))
    for (const [i, one] of again.entries())
      await this.#record(first + 1 + i, one, NO_BYTES, () => ({ lead: NO_BYTES, content: { raw: [] } }))
  }

  /** Records what stands at a position; its bytes go into the hash, what is kept of them into the log. */
  async #record(
    position: number,
    { time, native }: Pick<Reading, 'time' | 'native'>,
    bytes: Uint8Array,
    kept: () => Pick<NewRecord, 'lead' | 'content'>,
  ): Promise<void> {
    const target = this.#target
    if (!target) return
    if (position === endOf(target)) this.#compare(target)
    const envelope = {
      ...(time === undefined ? {} : { time }),
      ...(native === undefined ? {} : { native: native.toWellFormed() }),
    }
    const given = this.#given?.rows[position]
    const row = given === undefined ? (this.#rows.at(position) ?? NO_ROW) : NO_ROW
    const oid = row === NO_ROW ? null : await this.#backend.oid(row)
    this.#hash = nextHash(this.#hash, oid, envelope, bytes)
    if (position < endOf(target) || this.#parted) return
    const tip = given ?? this.active
    this.#transaction.record(target.log, position - (target.first ?? 0), { row, tip, ...envelope, ...kept() })
  }

  /** Passes a unit whose records the log has. */
  async #pass(known: Known, entry: Said | undefined, again: readonly Again[]): Promise<void> {
    this.#passRecord(known, entry)
    for (const one of again) if (!this.#parted) this.#passRecord(known, await this.#againOf(one))
  }

  #passRecord({ first, rows }: Known, said: Said | undefined): void {
    const row = rows.at(this.records - first) ?? NO_ROW
    this.#rows.push(row)
    if ((row === NO_ROW) !== (said === undefined)) this.#parted = true
    else if (said) this.said.add(row, this.#parentsOf(said), viewOf(said.type, said.body))
  }

  /** Goes on behind what is known, where that is what was read. */
  #goOn({ hash, count, tip, bytes }: Known): void {
    this.#stand()
    this.#hash = hash
    if (this.#covered !== bytes || (count > 0 && this.active !== tip)) this.#parted = true
  }

  /** Gives an entry that was said before behind another parent. */
  async #againOf({ said, parent }: Again): Promise<Said> {
    const row = this.rowOf(said)
    const { type } = await this.#backend.node(row)
    return { type, body: await this.#backend.body(row), parent }
  }

  async #again(one: Again): Promise<Row> {
    const said = await this.#againOf(one)
    return this.#add(said, encode(said.body).slice())
  }

  async #supersede(row: Row): Promise<void> {
    if (!this.said.stands(row)) return
    const { type } = await this.#backend.node(row)
    this.said.supersede(row, viewOf(type, await this.#backend.body(row)))
  }

  #parentsOf({ parent, also = [] }: Said): readonly Row[] {
    const parents = [parent, ...also].flatMap((handle) => (handle === null ? [] : [this.rowOf(handle)]))
    return parents.length === 0 ? this.#ground : parents
  }

  async #add(said: Said, canonical: Uint8Array): Promise<Row> {
    const parents = this.#parentsOf(said)
    const { type, body } = said
    const view = viewOf(type, body)
    const links = this.#linksOf(said)
    const into = { backend: this.#backend, transaction: this.#transaction }
    const { row } = await addEntry(into, { type, body, canonical, view, parents, links })
    this.#indexer.tell(row, view)
    this.said.add(row, parents, view)
    return row
  }

  #linksOf({ links = {} }: Said): RowLinks {
    const { firstKept, kept, target } = links
    return {
      ...(firstKept === undefined ? {} : { firstKept: this.rowOf(firstKept) }),
      ...(kept === undefined ? {} : { kept: kept.map((handle) => this.rowOf(handle)) }),
      ...(target === undefined ? {} : { target: this.rowOf(target) }),
    }
  }

  /** Gives the row of the entry that a record carries. */
  rowOf(handle: Handle): Row {
    const row = this.#rows.at(handle)
    if (row === undefined || row === NO_ROW) throw new RangeError(`record ${handle} carries no entry`)
    return row
  }
}
