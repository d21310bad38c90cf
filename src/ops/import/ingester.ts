import type { Facts, Format, ParsedEntry, Reading } from '../../formats/core/format.ts'
import type { UnknownCounter } from '../../formats/core/known.ts'
import { splitterFor } from '../../formats/core/sample.ts'
import { eachUnit, type Splitter, type Unit } from '../../formats/core/splitter.ts'
import { countsOf, viewOf } from '../../formats/registry.ts'
import { encode } from '../../model/encoding/canonical.ts'
import { type Oid, oidOf } from '../../model/encoding/oid.ts'
import { type Hasher, hasher } from '../../model/encoding/sha256.ts'
import type { Json } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { NewRecord } from '../../model/record.ts'
import type { Change } from '../../repo/repo.ts'
import { storeEntry } from '../append/nativelog.ts'
import type { Indexer } from '../indexing.ts'
import { addParsed, rechain, supersede } from './addentries.ts'
import { contentOf, divide, encodedContentOf, exactEncoder } from './exactcontent.ts'
import { Gathered } from './gathered.ts'
import type { IngestContext, IngesterOptions } from './ingestoptions.ts'
import type { KnownRecords } from './knownrecords.ts'
import { LogComparison } from './logcomparison.ts'
import { type ExportedRecords, endOf, type LogTarget } from './logtarget.ts'
import type { Notice } from './notices.ts'
import { type EncodedState, encodeReaderState, isStateSmall } from './readerstate.ts'
import { needsModel, type RecordEntries, type SourceEntries } from './sourceentries.ts'

const NO_BYTES = new Uint8Array(0)
/** The bytes before most records. */
const NEWLINE = Uint8Array.of(10)
const NONE: readonly never[] = []
/** The number of records after which buffers are written, however small the records are. */
const FLUSH_RECORDS = 4096

type RecordFacts = Pick<Reading, 'time' | 'native' | 'usage'>

/**
 * Reads one source into the store: bytes into units, units into entries and records. Entries that are stored and records
 * that the target has are not written again. Records are appended only to a target, and only if its records are those
 * that the source begins with (`diverged`). Without one the source is read for its counts alone. Records that are known
 * to be the same bytes are neither hashed nor looked up: their entries are known by their positions. A source with a saved
 * state is read from there on: the first byte to push is that at `bytes`.
 */
export class Ingester {
  readonly #context: IngestContext
  readonly #format: Format
  readonly #seen: Parameters<typeof encodeReaderState>[2]
  #splitter: Splitter
  readonly #gathered: Gathered
  readonly #target: LogTarget | undefined
  readonly #exported: ExportedRecords | undefined
  #known: KnownRecords | undefined
  readonly #onUnit: IngesterOptions['onUnit']
  /** The entry of another session on which the source stands. */
  readonly #ground: EntryHandle | undefined
  readonly #digest: Hasher
  /** The number of bytes that are in the digest, or will be. */
  #hashed: number
  readonly #comparison: LogComparison
  /** How many of the first records have entries that the session has. */
  #covered = 0
  #linesBefore = 0
  readonly #keeps: IngesterOptions['keeps']
  /** The number of bytes that were pushed, or read before a saved state. */
  bytes = 0
  tail: readonly Uint8Array[] = []
  /** The state after the last whole line, encoded, once the source has ended; undefined if none is to be kept. */
  state: EncodedState | undefined

  constructor(
    { reader, writer }: Pick<Change, 'reader' | 'writer'>,
    indexer: Indexer,
    options: IngesterOptions,
  ) {
    const { format, sample, digest, ground } = options
    this.#context = { reader, writer, indexer, onNative: options.onNative }
    this.#format = format
    this.#seen = { ...sample, inherited: options.inherited }
    this.#digest = digest?.hasher ?? hasher()
    this.#hashed = digest?.bytes ?? 0
    this.#keeps = options.keeps
    this.#splitter = splitterFor(format, sample)
    const reads = format.reader(sample.name, sample.folder, sample.above, options.inherited)
    this.#gathered = new Gathered(reads, format)
    this.#ground = ground
    if (ground !== undefined) this.entries.ground = [ground]
    this.#comparison = new LogComparison(options.target)
    this.#target = options.target
    this.#exported = options.exportedRecords
    this.#known = options.known
    this.#onUnit = options.onUnit
    this.#goOn(options.known)
  }

  /** The number of entries of the source, including those that an export wrote. */
  get held(): number {
    return this.entries.countWith((this.#exported?.entries ?? []).map((entry) => entry ?? undefined))
  }

  /** The entries of the records that were not known before. */
  get newEntries(): Iterable<EntryHandle> {
    return this.#covered === 0 ? this.sourceEntries.entries : this.entries.carried(this.#covered)
  }

  get records(): number {
    return this.entries.length
  }

  get entries(): RecordEntries {
    return this.#gathered.records
  }

  get sourceEntries(): SourceEntries {
    return this.#gathered.entries
  }

  get unknown(): UnknownCounter {
    return this.#gathered.unknown
  }

  get salvaged(): number {
    return this.#gathered.salvaged
  }

  /** The times of the first and of the newest record, in milliseconds since 1970. */
  get times(): Pick<Gathered, 'began' | 'updated'> {
    return this.#gathered
  }

  get notices(): readonly Notice[] {
    return this.#gathered.notices.all
  }

  get hash(): string {
    return this.#comparison.hash
  }

  /** Whether the target's records are not those that the source begins with, as it is read now. */
  get diverged(): boolean {
    return this.#comparison.diverged
  }

  get facts(): Facts {
    return this.#gathered.reader.facts()
  }

  /** The entry that the agent would resume from. */
  get active(): EntryHandle | undefined {
    const handle = this.#gathered.reader.active()
    return handle === null ? this.#ground : this.entries.of(handle)
  }

  /** The entries that the user has labelled. */
  get labels(): ReadonlyMap<string, EntryHandle> {
    return this.entries.named(this.facts.labels)
  }

  /** The newest entry of each branch that the source names. */
  get branches(): ReadonlyMap<string, EntryHandle> {
    return this.entries.named(this.facts.branches)
  }

  /** Whether pushed bytes are copied and may be overwritten. */
  get copiesBytes(): boolean {
    return this.#splitter.each !== undefined
  }

  /** Whether what was pushed is a source too: its units are lines, and all that its log has were read. */
  get mayEnd(): boolean {
    return this.#splitter.pendingLines !== undefined && !this.#known
  }

  /** Goes on from a saved state, unless it is of another version of the program. */
  #goOn(known: KnownRecords | undefined): void {
    if (!known?.state || !this.#gathered.restore(known.state)) return
    this.#linesBefore = known.state.lines
    this.#splitter = (this.#format.laterSplitter ?? this.#format.splitter)()
    this.bytes = known.state.bytes
    if (this.records >= endOf(known)) this.#continueAfter(known)
  }

  /** Saves the state before the bytes that are no unit yet, if it can be saved and is to be kept. */
  #saveState(): void {
    if (!this.#keeps?.(this.#gathered.covered) || this.diverged) return
    const pending = this.#splitter.pendingLines?.()
    const saved = pending === undefined ? undefined : this.#gathered.save(pending)
    const state = saved && encodeReaderState(saved, this.#format, this.#seen)
    if (state && isStateSmall(state, this.#gathered.covered)) this.state = state
  }

  /** Reads the next bytes of the source. */
  async push(bytes: Uint8Array): Promise<void> {
    const known = this.#hashed - this.bytes
    if (known < bytes.length) this.#digest.update(known > 0 ? bytes.subarray(known) : bytes)
    this.#gathered.notices.pass(bytes)
    this.bytes += bytes.length
    let records = 0
    for (const unit of eachUnit(this.#splitter, bytes)) {
      const ingesting = this.#ingest(this.#placed(unit))
      if (ingesting) await ingesting
      if (++records % FLUSH_RECORDS === 0) await this.#context.indexer.flush()
    }
    await this.#context.indexer.flush()
  }

  /** Returns a unit with the number of its line in the source, whose first lines the splitter may not have got. */
  #placed(unit: Unit): Unit {
    return this.#linesBefore === 0 ? unit : { ...unit, line: this.#linesBefore + unit.line }
  }

  /** Ends the source, and gives the SHA-256 of its bytes. */
  async end(): Promise<string> {
    this.#saveState()
    const { units, tail, torn = false } = this.#splitter.end()
    for (const unit of units) await this.#ingest(this.#placed(unit))
    this.#placeExportedTip()
    const known = this.#known
    if (known && this.records < endOf(known)) this.#comparison.diverged = true
    else this.#comparison.end(this.records)
    this.tail = tail
    this.#gathered.notices.end(tail, torn)
    return oidOf(this.#digest.digest())
  }

  /**
   * At the end of the records that an export wrote, replaces the entry from which the agent would resume by the
   * exported tip; if there is none, the next root continues the tip.
   */
  #placeExportedTip(): void {
    const { entries, tip } = this.#exported ?? {}
    if (tip === undefined || entries?.length !== this.records) return
    const active = this.#gathered.reader.active()
    if (active === null) this.entries.ground = [tip]
    else this.entries.set(active, tip)
  }

  /** Ingests a unit, mostly without a promise. */
  #ingest(unit: Unit): Promise<void> | undefined {
    if (this.#known && this.diverged) return undefined
    this.#onUnit?.(unit)
    this.unknown.take(unit)
    this.#placeExportedTip()
    const entry = this.#exported?.entries[this.records]
    const reading = this.#gathered.reader.read(unit)
    if (unit.salvaged) this.#gathered.salvaged++
    this.#gathered.notices.take(unit, reading.warnings ?? NONE)
    this.#gathered.covered += unit.bytes.length
    this.#gathered.addTime(reading.time)
    if (entry !== undefined || this.#known || reading.superseded || reading.rechained || reading.entry?.links)
      return this.#ingestOther(unit, reading, entry)
    return this.#ingestEncoded(unit, reading) ? undefined : this.#ingestOther(unit, reading, entry)
  }

  /** Ingests a unit that is encoded. Returns false if it is not, or if the oid of a parent is not in memory. */
  #ingestEncoded(unit: Unit, reading: Reading): boolean {
    const encoder = unit.encoder ?? exactEncoder(unit)
    if (!encoder) return false
    const { entry, dangling, usage } = reading
    if (usage && (entry || this.sourceEntries.modelAt(this.active) === undefined)) return false
    const first = this.records
    let oid: Oid | null = null
    divide(unit, entry, encoder)
    if (entry) {
      const { type, body } = entry
      const parents = this.entries.parentsOf(entry)
      const oids: Oid[] = []
      for (const parent of parents) {
        const known = this.#context.reader.oid(parent)
        if (known instanceof Promise) return false
        oids.push(known)
      }
      const encoded = encoder.body()
      const view = viewOf(type, body, unit.value)
      const model = this.sourceEntries.modelAt(parents[0])
      if (model === undefined && needsModel(view)) return false
      const stored = { type, body, encoded, view, parents }
      const made = storeEntry(this.#context.writer, stored, { digest: encoded.digest, parents: oids })
      const { handle } = made
      oid = made.oid
      const added = { handle, parents, view, time: reading.time }
      this.sourceEntries.add({ ...added, isStored: !this.#context.indexer.add(handle, view) }, model)
      this.entries.push(handle)
      if (parents.length === 0) this.sourceEntries.roots.push({ handle, time: reading.time, lacks: dangling })
    } else this.entries.push(undefined)
    if (usage) this.sourceEntries.addUsage(this.active, usage, reading.time)
    if (dangling !== undefined && this.entries.ground.length === 0) this.sourceEntries.unresolvedParents++
    const { bytes, lead: length } = unit
    if (!this.#comparison.add(first, reading, oid, bytes)) return true
    const lead = length === 1 && bytes[0] === NEWLINE[0] ? NEWLINE : bytes.slice(0, length)
    this.#append(first, reading, { lead, content: encodedContentOf(unit, encoder) })
    return true
  }

  /** Ingests any unit. */
  async #ingestOther(unit: Unit, reading: Reading, written: EntryHandle | null | undefined): Promise<void> {
    const [known, first] = [this.#known, this.records]
    const {
      entry,
      dangling,
      superseded = NONE,
      rechained: again = NONE,
      usage,
    }: Reading = written === undefined ? reading : {}
    for (const { time } of again) this.#gathered.addTime(time)
    if (dangling !== undefined && this.entries.ground.length === 0) this.sourceEntries.unresolvedParents++
    for (const handle of superseded) await supersede(this.#context, this.#gathered, this.entries.of(handle))
    if (known && first < endOf(known)) {
      if (written === undefined) await this.#pass(known, reading, unit.value)
      else this.entries.push(written ?? undefined)
      if (usage && !this.diverged)
        await this.sourceEntries.countUsage(this.#context, this.active, usage, reading.time)
      if (!this.diverged && this.records >= endOf(known)) this.#continueAfter(known)
      return
    }
    const [canonical, recorded] = [entry && encode(entry.body), { value: unit.value, time: reading.time }]
    const handle =
      entry && canonical
        ? await addParsed(this.#context, this.#gathered, entry, canonical, recorded)
        : (written ?? undefined)
    this.entries.push(handle)
    if (entry && handle !== undefined && this.entries.parentsOf(entry).length === 0)
      this.sourceEntries.roots.push({ handle, time: reading.time, lacks: dangling })
    for (const one of again) this.entries.push(await rechain(this.#context, this.#gathered, one))
    if (usage) await this.sourceEntries.countUsage(this.#context, this.active, usage, reading.time)
    await this.#record(first, reading, unit.bytes, () => ({
      lead: unit.bytes.slice(0, unit.lead),
      content: contentOf(unit, entry, canonical),
    }))
    for (const [i, one] of again.entries())
      await this.#record(first + 1 + i, one, NO_BYTES, () => ({ lead: NO_BYTES, content: { raw: [] } }))
  }

  /** Adds the record at a position to the running hash and, if it is new, to the log. */
  async #record(
    position: number,
    reading: RecordFacts,
    bytes: Uint8Array,
    kept: () => Pick<NewRecord, 'lead' | 'content'>,
  ): Promise<void> {
    if (!this.#target) return
    const carried = this.#carried(position)
    const oid = carried === undefined ? null : await this.#context.reader.oid(carried)
    if (this.#comparison.add(position, reading, oid, bytes)) this.#append(position, reading, kept())
  }

  /** Returns the entry that the record at a position carries, unless an export wrote it. */
  #carried(position: number): EntryHandle | undefined {
    return this.#exported?.entries[position] === undefined ? this.entries.at(position) : undefined
  }

  #append(
    position: number,
    { time, native, usage }: RecordFacts,
    { lead, content }: Pick<NewRecord, 'lead' | 'content'>,
  ): void {
    const { log, first = 0 } = this.#target as LogTarget
    if (native !== undefined) this.#context.onNative?.(native)
    const written = this.#exported?.entries[position]
    const entry = this.#carried(position)
    const tip = written === undefined ? this.active : (written ?? undefined)
    const reported = usage && written === undefined ? countsOf(usage) : undefined
    const record = { entry, tip, time, native: native?.toWellFormed(), usage: reported, lead, content }
    this.#context.writer.appendRecord(log, position - first, record)
  }

  /** Passes over a unit whose records the log has. */
  async #pass(
    known: KnownRecords,
    { entry, rechained = NONE, time }: Reading,
    value: Json | undefined,
  ): Promise<void> {
    await this.#passRecord(known, entry, time, value)
    for (const one of rechained)
      if (!this.diverged)
        await this.#passRecord(known, await this.entries.originalOf(one, this.#context.reader), one.time)
  }

  async #passRecord(
    known: KnownRecords,
    parsed: ParsedEntry | undefined,
    time: number | undefined,
    value?: Json,
  ): Promise<void> {
    const handle = known.entries[this.records - known.first]
    this.entries.push(handle)
    this.#comparison.diverged ||= (handle === undefined) !== (parsed === undefined)
    if (!parsed || handle === undefined) return
    const view = viewOf(parsed.type, parsed.body, value)
    const parents = this.entries.parentsOf(parsed)
    await this.sourceEntries.count(this.#context, { handle, parents, view, time })
  }

  /** Continues after the known records, unless they differ from the records read. */
  #continueAfter({ hash, count, tip, bytes }: KnownRecords): void {
    this.#placeExportedTip()
    this.#comparison.hash = hash
    this.#known = undefined
    this.#covered = this.records
    if (this.#gathered.covered !== bytes || (count > 0 && this.active !== tip))
      this.#comparison.diverged = true
  }
}
