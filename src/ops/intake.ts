import type {
  Again,
  Facts,
  Format,
  Handle,
  Reader,
  Reading,
  Said,
  Sample,
  Splitter,
  Unit,
  Warning,
} from '../formats/format.ts'
import { viewOf } from '../formats/registry.ts'
import { NodeSet } from '../graph/nodeset.ts'
import { encode } from '../model/canonical.ts'
import { type Hasher, hasher } from '../model/hash.ts'
import { Numbers } from '../model/numbers.ts'
import { oidOf } from '../model/oid.ts'
import { NO_SUMMARY, promptIn, type Summary, withoutView, withView } from '../model/summary.ts'
import type { View } from '../model/view.ts'
import type { Backend, NewRecord, RowLinks, Transaction } from '../repo/backend.ts'
import { NO_ROW, type Row } from '../repo/backend.ts'
import type { Change } from '../repo/repo.ts'
import { contentOf } from './content.ts'
import type { Indexer } from './index.ts'
import { addEntry } from './newentry.ts'
import { endOf, type Given, NO_HASH, nextHash, type Target } from './target.ts'

/** A warning and where in its source it belongs. */
export interface Notice extends Warning {
  readonly line: number
}

/** At most this many warnings of a source are kept; the last of them says how many more there were. */
const MOST_NOTICES = 100

const NO_BYTES = new Uint8Array(0)

const NOTHING_NEW = { entry: undefined, superseded: [], again: [] } as const

/** What is read: its format, its names, and the log that it is read into, where it is. */
interface Intaken {
  readonly format: Format
  readonly sample: Pick<Sample, 'name' | 'folder'>
  readonly target?: Target | undefined
  readonly given?: Given | undefined
}

/**
 * Reads one source into the store: bytes into units, units into entries and records. What is known already is not
 * written again: entries by their oids, records by their position. Records are written only into a target, behind
 * those that it has; where these are not what the source begins with, none are. Without a target the source is read
 * for its counts alone.
 */
export class Intake {
  readonly #backend: Backend
  readonly #transaction: Transaction
  readonly #indexer: Indexer
  readonly #splitter: Splitter
  readonly #reader: Reader
  readonly #target: Target | undefined
  readonly #given: Given | undefined
  readonly #digest: Hasher = hasher()
  #hash = NO_HASH
  #parted = false
  /** What roots continue. */
  #ground: readonly Row[] = []
  #lines = 0
  #dropped = 0
  /** By handle: the row of the entry that the record carries. */
  readonly #rows = new Numbers(Float64Array)
  /** The rows of the source's entries, but for those that were given. */
  readonly entries = new NodeSet()
  /** Those that no other entry of the source continues, in the order of the source. */
  readonly leaves = new Set<Row>()
  /** Those that others were put in the place of. */
  readonly #superseded = new Set<Row>()
  readonly notices: Notice[] = []
  bytes = 0
  salvaged = 0
  updated: number | null = null
  /** What the source's entries come to, and the first words of its user. */
  summary: Summary = NO_SUMMARY
  prompt: string | undefined
  tail: readonly Uint8Array[] = []

  constructor(
    { backend, transaction }: Change,
    indexer: Indexer,
    { format, sample, target, given }: Intaken,
  ) {
    this.#backend = backend
    this.#transaction = transaction
    this.#indexer = indexer
    this.#splitter = format.splitter()
    this.#reader = format.reader(sample.name, sample.folder)
    this.#target = target
    this.#given = given
  }

  /** How many entries the source holds, those included that were given. */
  get held(): number {
    const held = new NodeSet()
    for (const row of this.#given?.rows ?? []) if (row !== NO_ROW) held.add(row)
    for (let i = 0; i < this.records; i++) if (this.#rows.get(i) !== NO_ROW) held.add(this.#rows.get(i))
    return held.size
  }

  get records(): number {
    return this.#rows.length
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
    return handle === null ? NO_ROW : this.#rowOf(handle)
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
    return new Map([...names].map(([name, handle]) => [name.toWellFormed(), this.#rowOf(handle)]))
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
    const target = this.#target
    if (target && this.records <= endOf(target)) this.#compare(target)
    this.tail = tail
    if (torn)
      this.#notice(this.#lines + 1, { code: 'torn-tail', message: 'the end is no complete record yet' })
    if (this.#dropped > 0)
      this.notices.push({
        code: 'more-warnings',
        line: 0,
        message: `${this.#dropped} more warnings are not shown`,
      })
    return oidOf(this.#digest.digest())
  }

  #notice(line: number, warning: Warning): void {
    if (this.notices.length < MOST_NOTICES)
      this.notices.push({ code: warning.code, line, message: warning.message })
    else this.#dropped++
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
    this.#stand()
    const given = this.#given?.rows[this.records]
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
      this.#notice(unit.line, warning)
    for (const handle of superseded) await this.#supersede(this.#rowOf(handle))
    const canonical = entry && encode(entry.body).slice()
    const row = entry && canonical ? await this.#add(entry, canonical) : (given ?? NO_ROW)
    const first = this.#rows.push(row)
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
    if (time !== undefined && time > (this.updated ?? Number.NEGATIVE_INFINITY)) this.updated = time
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

  /** Adds an entry that was said before behind another parent, and gives its row. */
  async #again({ said, parent }: Again): Promise<Row> {
    const row = this.#rowOf(said)
    const { type } = await this.#backend.node(row)
    const body = await this.#backend.body(row)
    return this.#add({ type, body, parent }, encode(body).slice())
  }

  async #supersede(row: Row): Promise<void> {
    if (this.#superseded.has(row)) return
    this.#superseded.add(row)
    this.leaves.delete(row)
    const { type } = await this.#backend.node(row)
    this.summary = withoutView(this.summary, viewOf(type, await this.#backend.body(row)))
  }

  /** Counts an entry unless it is counted already, as a leaf until something continues it. */
  #count(row: Row, view: View): void {
    const back = this.#superseded.delete(row)
    if (!this.entries.add(row) && !back) return
    this.leaves.add(row)
    this.summary = withView(this.summary, view)
    this.prompt ??= promptIn(view)
  }

  async #add(said: Said, canonical: Uint8Array): Promise<Row> {
    const parents = [said.parent, ...(said.also ?? [])].flatMap((handle) =>
      handle === null ? [] : [this.#rowOf(handle)],
    )
    if (parents.length === 0) parents.push(...this.#ground)
    for (const parent of parents) this.leaves.delete(parent)
    const { type, body } = said
    const view = viewOf(type, body)
    const links = this.#linksOf(said)
    const into = { backend: this.#backend, transaction: this.#transaction }
    const { row } = await addEntry(into, { type, body, canonical, view, parents, links })
    this.#indexer.tell(row, view)
    this.#count(row, view)
    return row
  }

  #linksOf({ links = {} }: Said): RowLinks {
    const { firstKept, kept, target } = links
    return {
      ...(firstKept === undefined ? {} : { firstKept: this.#rowOf(firstKept) }),
      ...(kept === undefined ? {} : { kept: kept.map((handle) => this.#rowOf(handle)) }),
      ...(target === undefined ? {} : { target: this.#rowOf(target) }),
    }
  }

  #rowOf(handle: Handle): Row {
    const row = this.#rows.at(handle)
    if (row === undefined || row === NO_ROW) throw new RangeError(`record ${handle} carries no entry`)
    return row
  }
}
