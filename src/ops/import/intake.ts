import type { Facts, ParsedEntry, Reader, Reading, RechainedEntry } from '../../formats/format.ts'
import { viewOf } from '../../formats/registry.ts'
import { splitterFor } from '../../formats/sample.ts'
import type { Splitter, Unit } from '../../formats/unit.ts'
import { encode } from '../../model/canonical.ts'
import { type Hasher, hasher } from '../../model/hash.ts'
import type { Json } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import { oidOf } from '../../model/oid.ts'
import type { NewRecord } from '../../model/record.ts'
import type { Change } from '../../repo/repo.ts'
import { addEntry } from '../append/growth.ts'
import type { Indexer } from '../index.ts'
import { contentOf } from './content.ts'
import type { Intaken, Into, Known } from './known.ts'
import { type Notice, Notices } from './notices.ts'
import { RecordEntries } from './recordentries.ts'
import { SourceEntries } from './sourceentries.ts'
import { endOf, type Given, NO_HASH, nextHash, type Target } from './target.ts'

const NO_BYTES = new Uint8Array(0)

const NONE: readonly never[] = []

const NOTHING_NEW: Reading = {}

/**
 * Reads one source into the store: bytes into units, units into entries and records. What is known already is not
 * written again: entries by their oids, records by their position. Records are written only into a target, behind
 * those that it has; where these are not what the source begins with, none are. Without a target the source is read
 * for its counts alone. What is known of it by its bytes is only read for what comes behind it: nothing of it is hashed
 * or looked up, its entries are known by their positions.
 */
export class Intake {
  /** What it is read into; undefined while it rests. */
  #into: Into | undefined
  readonly #splitter: Splitter
  readonly #reader: Reader
  #target: Target | undefined
  readonly #given: Given | undefined
  #known: Known | undefined
  readonly #onUnit: Intaken['onUnit']
  readonly #digest: Hasher = hasher()
  #hash = NO_HASH
  #parted = false
  /** How many bytes the units stand for that were read. */
  #covered = 0
  readonly entries = new RecordEntries()
  readonly said = new SourceEntries()
  readonly #notices = new Notices()
  bytes = 0
  salvaged = 0
  began: number | null = null
  updated: number | null = null
  tail: readonly Uint8Array[] = []

  constructor(
    { reader, writer }: Pick<Change, 'reader' | 'writer'>,
    indexer: Indexer,
    { format, sample, target, given, known, onUnit, onNative }: Intaken,
  ) {
    this.#into = { reader, writer, indexer, onNative }
    this.#splitter = splitterFor(format, sample)
    this.#reader = format.reader(sample.name, sample.folder, sample.above)
    this.#target = target
    this.#given = given
    this.#known = known
    this.#onUnit = onUnit
  }

  /** How many entries the source holds, those included that were given. */
  get held(): number {
    return this.entries.countWith((this.#given?.entries ?? []).map((entry) => entry ?? undefined))
  }

  get leaves(): ReadonlySet<EntryHandle> {
    return this.said.leaves
  }

  get records(): number {
    return this.entries.length
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

  /** The entry that the agent would resume from. */
  get active(): EntryHandle | undefined {
    const handle = this.#reader.active()
    return handle === null ? undefined : this.entries.of(handle)
  }

  /** What the source's user named, by label. */
  get labels(): ReadonlyMap<string, EntryHandle> {
    return this.entries.named(this.facts.labels)
  }

  /** The newest entry of each branch that the source names. */
  get branches(): ReadonlyMap<string, EntryHandle> {
    return this.entries.named(this.facts.branches)
  }

  /** Takes the next bytes of the source. */
  async push(bytes: Uint8Array): Promise<void> {
    this.#digest.update(bytes)
    this.bytes += bytes.length
    for (const unit of this.#splitter.push(bytes)) await this.#take(unit)
    const { writer, indexer } = this.#open
    await writer.flush()
    await indexer.flush()
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
    this.#notices.end(tail, torn)
    return oidOf(this.#digest.copy().digest())
  }

  /** Whether it may go on when its source has grown. */
  get goesOn(): boolean {
    return this.#splitter.resumable === true && !this.#given && !this.#parted
  }

  /** Lets go of the store, until it goes on. */
  rest(): void {
    this.#into = undefined
  }

  /** Goes on with what its source has grown by, into the log that has all it read so far. */
  goOn({ reader, writer }: Change, into: Pick<Into, 'indexer' | 'onNative'>, target: Target): void {
    this.#into = { reader, writer, ...into }
    this.#target = target
    this.#known = undefined
  }

  get #open(): Into {
    if (!this.#into) throw new RangeError('a source that rests is not read')
    return this.#into
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
    const { entries, tip } = this.#given ?? {}
    if (tip === undefined || entries?.length !== this.records) return
    const active = this.#reader.active()
    if (active === null) this.entries.ground = [tip]
    else this.entries.set(active, tip)
  }

  async #take(unit: Unit): Promise<void> {
    const known = this.#known
    if (known && this.#parted) return
    this.#onUnit?.(unit)
    this.#stand()
    const first = this.records
    const given = this.#given?.entries[first]
    const reading = this.#reader.read(unit)
    const {
      entry,
      dangling,
      superseded = NONE,
      rechained: again = NONE,
    } = given === undefined ? reading : NOTHING_NEW
    if (unit.salvaged) this.salvaged++
    this.#notices.take(unit, reading.warnings ?? NONE)
    this.#covered += unit.bytes.length
    this.#date(reading.time)
    for (const { time } of again) this.#date(time)
    if (dangling !== undefined && this.entries.ground.length === 0) this.said.lacking++
    for (const handle of superseded) await this.#supersede(this.entries.of(handle))
    if (known && first < endOf(known)) {
      if (given === undefined) await this.#pass(known, entry, again, unit.value)
      else this.entries.push(given ?? undefined)
      if (!this.#parted && this.records >= endOf(known)) this.#goOn(known)
      return
    }
    const canonical = entry && encode(entry.body)
    const handle = entry && canonical ? await this.#add(entry, canonical, unit.value) : (given ?? undefined)
    this.entries.push(handle)
    if (entry && handle !== undefined && this.entries.parentsOf(entry).length === 0)
      this.said.roots.push({ handle, time: reading.time, lacks: dangling })
    for (const one of again) this.entries.push(await this.#again(one))
    await this.#record(first, reading, unit.bytes, () => ({
      lead: unit.bytes.slice(0, unit.lead),
      content: contentOf(unit, entry, canonical),
    }))
    for (const [i, one] of again.entries())
      await this.#record(first + 1 + i, one, NO_BYTES, () => ({ lead: NO_BYTES, content: { raw: [] } }))
  }

  /** Takes the time of a record. */
  #date(time: number | undefined): void {
    this.began ??= time ?? null
    if (time !== undefined && time > (this.updated ?? Number.NEGATIVE_INFINITY)) this.updated = time
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
    const envelope = { time, native: native?.toWellFormed() }
    const given = this.#given?.entries[position]
    const carried = given === undefined ? this.entries.at(position) : undefined
    const oid = carried === undefined ? null : await this.#open.reader.oid(carried)
    this.#hash = nextHash(this.#hash, oid, envelope, bytes)
    if (position < endOf(target) || this.#parted) return
    if (native !== undefined) this.#open.onNative?.(native)
    const tip = given === undefined ? this.active : (given ?? undefined)
    const { lead, content } = kept()
    const record = { entry: carried, tip, time, native: envelope.native, lead, content }
    this.#open.writer.appendRecord(target.log, position - (target.first ?? 0), record)
  }

  /** Passes a unit whose records the log has. */
  async #pass(
    known: Known,
    entry: ParsedEntry | undefined,
    again: readonly RechainedEntry[],
    value: Json | undefined,
  ): Promise<void> {
    this.#passRecord(known, entry, value)
    for (const one of again) if (!this.#parted) this.#passRecord(known, await this.#againOf(one))
  }

  #passRecord({ first, entries }: Known, said: ParsedEntry | undefined, value?: Json): void {
    const handle = entries[this.records - first]
    this.entries.push(handle)
    if ((handle === undefined) !== (said === undefined)) this.#parted = true
    else if (said && handle !== undefined)
      this.said.add(handle, this.entries.parentsOf(said), viewOf(said.type, said.body, value))
  }

  /** Goes on behind what is known, where that is what was read. */
  #goOn({ hash, count, tip, bytes }: Known): void {
    this.#stand()
    this.#hash = hash
    if (this.#covered !== bytes || (count > 0 && this.active !== tip)) this.#parted = true
  }

  /** Gives an entry that was said before behind another parent. */
  async #againOf({ original: said, parent }: RechainedEntry): Promise<ParsedEntry> {
    const handle = this.entries.of(said)
    const { reader } = this.#open
    const { type } = await reader.node(handle)
    return { type, body: await reader.body(handle), parent }
  }

  async #again(one: RechainedEntry): Promise<EntryHandle> {
    const said = await this.#againOf(one)
    return this.#add(said, encode(said.body))
  }

  async #supersede(handle: EntryHandle): Promise<void> {
    if (!this.said.stands(handle)) return
    const { reader } = this.#open
    const { type, parents } = await reader.node(handle)
    this.said.supersede(handle, parents, viewOf(type, await reader.body(handle)))
  }

  async #add(said: ParsedEntry, canonical: Uint8Array, value?: Json): Promise<EntryHandle> {
    const parents = this.entries.parentsOf(said)
    const { type, body } = said
    const view = viewOf(type, body, value)
    const links = this.entries.linksOf(said)
    const into = this.#open
    const added = addEntry(into, { type, body, canonical, view, parents, links })
    const { handle } = added instanceof Promise ? await added : added
    into.indexer.say(handle, view)
    this.said.add(handle, parents, view)
    return handle
  }
}
