import { type Digest, digestOf } from '../../model/encoding/entry.ts'
import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import { NumberList } from '../../model/numberlist.ts'
import { bodyOf } from '../core/define.ts'
import type {
  Facts,
  FormatReader,
  ParsedEntry,
  Reading,
  RechainedEntry,
  RecordIndex,
} from '../core/format.ts'
import { movedLinks, RechainBudget } from '../core/rechaining.ts'
import type { Unit, Warning } from '../core/splitter.ts'
import { type ChainMember, type ChainPlace, ClaudeChain, isInSidechain } from './chain.ts'
import { baseOf, ClaudeSubagents, SessionFacts, SubagentProgress } from './facts.ts'
import { asIds, at, type EntryKind, idAt, kindOf, textAt, timeOf } from './fields.ts'
import { ClaudeOutputs } from './sidecars.ts'
import { ENTRIES } from './view.ts'
import { runOf } from './workflows.ts'

/** The types of records that the official reader keeps. */
const KEPT = new Set(['user', 'assistant', 'progress', 'system', 'attachment'])

/** A record as the search for the active leaf sees it. */
export interface LeafCandidate {
  readonly record: JsonObject
  readonly id: string
  /** The id that it names as its parent, and whether a record with that id was read. */
  readonly parent: string | undefined
  readonly parentRead: boolean
  /** The entry that it carries, or else the nearest above it. */
  readonly entry: RecordIndex | undefined
}

/**
 * Finds the leaf that the agent itself would resume, by the official reader's rule (`getSessionMessages` of
 * its SDK): of the records that no other continues, the last in the file from which a user's or an
 * assistant's message can be reached. Sidechains, team mates, progress and briefings of forks continue
 * nothing. Each record costs amortised O(1).
 */
class ActiveLeaf {
  /** The places in `order` of the records that nothing continues, by id. */
  private readonly open = new Map<string, number>()
  /** The entries plus 1 of the records that nothing continued when they were read, in order of the file; 0 since then. */
  private readonly order = new NumberList()
  /** Ids named as parents before they were read. */
  private readonly awaited = new Set<string>()
  /** Records from which no message can be reached. */
  private readonly silent = new Set<string>()
  private last: RecordIndex | null = null

  /** Takes the next record. In a sub-agent's own file its sidechain is the conversation. */
  add({ record, id, parent, parentRead, entry }: LeafCandidate, ownSidechain: boolean): void {
    const type = textAt(record, 'type') ?? ''
    const isMessage = type === 'user' || type === 'assistant'
    const reaches =
      isMessage || (KEPT.has(type) && parent !== undefined && parentRead && !this.silent.has(parent))
    if (!reaches) this.silent.add(id)
    if (!KEPT.has(type)) return
    const inSidechain = record.isSidechain === true && !ownSidechain
    const main = !inSidechain && !record.teamName
    if (main && type !== 'progress' && !isBriefing(record) && parent !== undefined && parent !== id) {
      if (parentRead) this.#close(parent)
      else this.awaited.add(parent)
    }
    if (isMessage && !inSidechain && entry !== undefined) this.last = entry
    if (main && reaches && entry !== undefined && !this.awaited.has(id)) this.#openLast(id, entry)
    this.awaited.delete(id)
  }

  /** Takes a record with a known id: the agent has it at its last position. `entry` replaces its entry. */
  again(id: string, entry?: RecordIndex): void {
    const place = this.open.get(id)
    if (place === undefined) return
    const before = this.order.get(place) - 1
    this.#close(id)
    this.#openLast(id, entry ?? before)
  }

  /** Returns the entry of the active leaf; where records continue each other in a circle, the last message. */
  active(): RecordIndex | null {
    this.#trim()
    const entry = this.order.at(this.order.length - 1)
    return entry === undefined ? this.last : entry - 1
  }

  #openLast(id: string, entry: RecordIndex): void {
    this.#trim()
    this.open.set(id, this.order.push(entry + 1))
  }

  #close(id: string): void {
    const place = this.open.get(id)
    if (place === undefined) return
    this.order.set(place, 0)
    this.open.delete(id)
  }

  #trim(): void {
    while (this.order.length > 0 && this.order.get(this.order.length - 1) === 0) this.order.pop()
  }
}

const isBriefing = (record: JsonObject): boolean => textAt(record, 'attachment', 'type') === 'fork_briefing'

/** Returns the links of an entry to ancestors of its own; undefined if it has none. */
function linksOf(
  record: JsonObject,
  kind: EntryKind,
  parent: RecordIndex | null,
  chain: ClaudeChain,
): ParsedEntry['links'] | undefined {
  if (parent === null) return undefined
  if (kind === 'compact_boundary') {
    const kept = keptBy(record, parent, chain)
    return kept.length > 0 ? { kept } : undefined
  }
  const target = kind === 'microcompact' ? targetOf(record, parent, chain) : undefined
  return target === undefined ? undefined : { target }
}

/** The entries that a compaction lists as kept, else the segment of the path that it names by its ends. */
function keptBy(record: JsonObject, parent: RecordIndex, chain: ClaudeChain): readonly RecordIndex[] {
  const listed = at(record, 'compactMetadata', 'preservedMessages', 'uuids')
  if (Array.isArray(listed)) {
    const entries = asIds(listed).map((id) => chain.entry(id))
    return [...new Set(entries)].filter(
      (e) => e !== undefined && chain.nodes.isOn(e, parent),
    ) as RecordIndex[]
  }
  const head = idAt(record, 'compactMetadata', 'preservedSegment', 'headUuid')
  const tail = idAt(record, 'compactMetadata', 'preservedSegment', 'tailUuid')
  return head === undefined || tail === undefined ? [] : segment(head, tail, parent, chain)
}

function segment(
  head: string,
  tail: string,
  parent: RecordIndex,
  chain: ClaudeChain,
): readonly RecordIndex[] {
  const first = chain.nearest(head)
  const last = chain.nearest(tail)
  if (first === undefined || last === undefined) return []
  if (!chain.nodes.isOn(last, parent) || !chain.nodes.isOn(first, last)) return []
  const path = chain.nodes.between(first, last)
  // A head that is no entry means the entries after it, not the one before.
  return chain.entry(head) === undefined ? path.slice(1) : path
}

/**
 * Returns the entry whose result a microcompaction clears, if it is exactly one: an entry's links hold one target.
 */
function targetOf(record: JsonObject, parent: RecordIndex, chain: ClaudeChain): RecordIndex | undefined {
  const calls = asIds(at(record, 'microcompactMetadata', 'compactedToolIds'))
  const target = calls.length === 1 ? chain.answer(calls[0] as string) : undefined
  return target !== undefined && chain.nodes.isOn(target, parent) ? target : undefined
}

/** Reads the records of a Claude Code session in the order of the file. */
export class ClaudeReader implements FormatReader {
  private readonly chain = new ClaudeChain()
  private readonly leaves = new ActiveLeaf()
  private readonly gatherer: SessionFacts
  private readonly agents = new ClaudeSubagents()
  private readonly progress = new SubagentProgress()
  private readonly outputFiles = new ClaudeOutputs()
  readonly #run: string | undefined
  private next: RecordIndex = 0
  /** The id of the last record of another file that was inherited: a parent that is no missing one. */
  private base: string | undefined
  /** The digests of the bodies that incomplete records carry, by their uuids. */
  private readonly incomplete = new Map<string, Digest>()
  /**
   * The time, the uuid and the links of each record since the first incomplete one, by position, for entries that are
   * chained again.
   */
  private envelopes: Map<RecordIndex, Pick<RechainedEntry, 'time' | 'native' | 'links'>> | undefined
  private readonly budget = new RechainBudget()
  /** The line of the record before, and the body of its entry. */
  #line = 0
  #body: Json | undefined
  /** Whether an entry was read whose parent was found, or is none. */
  private hasEntry = false

  constructor(name: string, folder = '', above: readonly string[] = []) {
    this.gatherer = new SessionFacts(name, folder)
    this.#run = runOf(folder, above)
  }

  read(unit: Unit): Reading {
    const handle = this.next++
    this.budget.read()
    const record = unit.value
    if (!isObject(record)) return {}
    if (handle === 0) this.base = baseOf(record)?.native
    const time = timeOf(record)
    const native = idAt(record, 'uuid')
    this.gatherer.add(record, time)
    if (unit.salvaged) this.#noteGlued(unit, handle)
    const taken = this.#take(unit, record, native, handle)
    this.agents.add(record, (call) => this.chain.caller(call), taken.entry && handle)
    this.outputFiles.add(record, taken.entry && handle, (call) => this.chain.answer(call))
    this.#line = unit.line
    this.#body = taken.entry?.body
    const { entry, dangling, warnings, superseded, rechained } = taken
    const envelope: Reading = { entry, time, native, dangling, warnings }
    const reading = superseded ? { ...envelope, superseded, ...(rechained && { rechained }) } : envelope
    this.envelopes?.set(handle, { time, native, ...(entry?.links && { links: entry.links }) })
    this.next += rechained?.length ?? 0
    const subagent = this.progress.add(record, handle)
    return subagent ? { ...reading, ...subagent } : reading
  }

  active(): RecordIndex | null {
    const leaf = this.leaves.active()
    return leaf === null ? null : this.chain.endOf(this.chain.current(leaf))
  }

  facts(): Facts {
    const { found, runs } = this.agents
    const { tips } = this.progress
    const about = this.gatherer.facts((id) => this.chain.has(id))
    const { stem, caller } = this.gatherer
    const outputs = this.outputFiles.outputs({ stem, id: about.id, caller })
    return {
      ...about,
      ...(found.size > 0 && { subagents: this.#current(found) }),
      ...(runs.size > 0 && { runs: this.#current(runs) }),
      ...(this.gatherer.isAgent && this.#run !== undefined && { run: this.#run }),
      ...(outputs.size > 0 && {
        outputs: new Map(
          [...outputs].map(([name, place]) => [name, { ...place, record: this.chain.current(place.record) }]),
        ),
      }),
      ...(tips.size > 0 && { branches: tips }),
    }
  }

  /** Returns records, each replaced by the one that took its place. */
  #current(records: ReadonlyMap<string, RecordIndex>): ReadonlyMap<string, RecordIndex> {
    return new Map([...records].map(([name, record]) => [name, this.chain.current(record)]))
  }

  #take({ salvaged }: Unit, record: JsonObject, id: string | undefined, handle: RecordIndex): Reading {
    const kind = kindOf(record)
    if (id === undefined) return kind ? { warnings: [NO_ID] } : {}
    const member = kind && { record, kind, id, parentId: parentOf(record, kind), entry: handle }
    if (this.chain.has(id)) {
      const replaced = salvaged || !member ? undefined : this.#replace(member)
      this.leaves.again(id, replaced?.entry && handle)
      return replaced ?? (kind ? { warnings: [duplicate(id)] } : {})
    }
    const parent = idAt(record, 'parentUuid')
    const parentRead = parent !== undefined && this.chain.has(parent)
    const taken = member ? this.#enter(member, salvaged) : {}
    if (!member) this.chain.passOver(id, parent, isInSidechain(record))
    const entry = this.chain.nearest(id)
    this.leaves.add({ record, id, parent, parentRead, entry }, this.gatherer.isAgent)
    return taken
  }

  #enter(member: ChainMember, salvaged: boolean): Reading {
    const reading = this.#readingOf(
      member,
      salvaged ? this.chain.addIncomplete(member) : this.chain.add(member),
    )
    if (salvaged && reading.entry) this.#noteIncomplete(member.id, reading.entry.body)
    return reading
  }

  #noteIncomplete(id: string, body: Json): void {
    this.incomplete.set(id, digestOf(body))
    this.envelopes ??= new Map()
  }

  /** Another record follows on the line of the one before, which is then not complete. */
  #noteGlued({ line }: Unit, handle: RecordIndex): void {
    if (line !== this.#line || this.#body === undefined) return
    const id = this.chain.lastIsIncomplete(handle - 1)
    if (id !== undefined) this.#noteIncomplete(id, this.#body)
  }

  /**
   * Reads a complete record whose uuid only an incomplete one had. Its entry takes the place of the other, and what
   * continues that is chained again. Undefined if both carry the same entry, if the first was complete, or if too much would
   * be chained again.
   */
  #replace(member: ChainMember): Reading | undefined {
    const { id, record, kind, entry: handle } = member
    const digest = this.incomplete.get(id)
    const before = this.chain.incomplete(id)
    if (digest === undefined || !before) return undefined
    this.incomplete.delete(id)
    if (!before.isLinked) {
      const superseded = [before.entry]
      return { ...this.#readingOf(member, this.chain.replace(member)), superseded }
    }
    const body = bodyOf(ENTRIES, kind, record)
    if (digestOf(body) === digest) return undefined
    const first = this.chain.current(before.entry)
    if (!this.budget.spend(handle - first)) return undefined
    const { place, again } = this.chain.rechain(member)
    const moved = new Map([[first, handle]])
    for (const [i, { original }] of again.entries()) moved.set(original, handle + 1 + i)
    const rechained = again.map((one, i): RechainedEntry => {
      const { time, native, links: former } = this.envelopes?.get(one.original) ?? {}
      const links = movedLinks(former, moved)
      const envelope = { time, native, ...(links && { links }) }
      this.envelopes?.set(handle + 1 + i, envelope)
      return { ...one, ...envelope }
    })
    return {
      ...this.#readingOf(member, place),
      superseded: [first, ...again.map(({ original }) => original)],
      ...(rechained.length > 0 && { rechained }),
    }
  }

  #readingOf({ record, kind, id }: ChainMember, place: ChainPlace): Reading {
    const { parent } = place
    const links = linksOf(record, kind, parent, this.chain)
    const entry: ParsedEntry = {
      type: `claude/${kind}`,
      body: bodyOf(ENTRIES, kind, record),
      parent,
      ...(links && { links }),
    }
    const { dangling, inSidechain = false } = place
    if (dangling === undefined || dangling === this.base) {
      // The official reader begins a conversation with it, as with a parent that is null.
      const isLater = this.hasEntry
      this.hasEntry = true
      const lacksKey = isLater && parent === null && !Object.hasOwn(record, 'parentUuid')
      return lacksKey ? { entry, warnings: [noParent(id)] } : { entry }
    }
    return { entry, ...(!inSidechain && { dangling }), warnings: [danglingParent(id, place)] }
  }
}

/** A compaction begins a new tree in the file; its logical parent is the last entry that it compacted. */
const parentOf = (record: JsonObject, kind: EntryKind): string | undefined =>
  idAt(record, 'parentUuid') ?? (kind === 'compact_boundary' ? idAt(record, 'logicalParentUuid') : undefined)

const NO_ID: Warning = {
  code: 'no-id',
  message: 'a message has no uuid: it is kept as a record and is in no conversation',
}

const duplicate = (id: string): Warning => ({
  code: 'duplicate-id',
  message: `the uuid '${id}' occurs again: the first record with it is in the conversation`,
})

const noParent = (id: string): Warning => ({
  code: 'no-parent',
  message: `'${id}' has no field that names its parent: as its agent reads it, it begins a conversation`,
})

const danglingParent = (id: string, { dangling, inSidechain = false }: ChainPlace): Warning => ({
  code: 'dangling-parent',
  message: `'${id}' begins a conversation: its parent '${dangling}' ${
    inSidechain ? 'is in a sidechain' : 'is not before it in the file'
  }`,
})
