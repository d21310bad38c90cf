import { type Digest, digestOf } from '../../model/entry.ts'
import { isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { Facts, ParsedEntry, Reader, Reading, RecordIndex } from '../format.ts'
import type { Unit, Warning } from '../unit.ts'
import { Agents } from './agents.ts'
import { bodyOf, type EntryKind, kindOf } from './body.ts'
import { Chain, type Member, type Place, isAside as standsAside } from './chain.ts'
import { Gatherer } from './facts.ts'
import { Leaves } from './leaves.ts'
import { linksOf } from './links.ts'
import { idAt } from './look.ts'
import { Progress } from './progress.ts'
import { timeOf } from './time.ts'

/** Reads the records of a Claude Code session in the order of the file. */
export class ClaudeReader implements Reader {
  readonly #chain = new Chain()
  readonly #leaves = new Leaves()
  readonly #gatherer: Gatherer
  readonly #agents = new Agents()
  readonly #progress = new Progress()
  #next: RecordIndex = 0
  /** The digests of the bodies that incomplete records carry, by their uuids. */
  readonly #incomplete = new Map<string, Digest>()
  /** By position the time and the uuid of each record since the first incomplete one, for entries that are chained again. */
  #times: Map<RecordIndex, Pick<Reading, 'time' | 'native'>> | undefined
  /** The line of the record before, and the body of its entry. */
  #line = 0
  #body: Json | undefined

  constructor(name: string) {
    this.#gatherer = new Gatherer(name)
  }

  read(unit: Unit): Reading {
    const handle = this.#next++
    const record = unit.value
    if (!isObject(record)) return {}
    const time = timeOf(record)
    const native = idAt(record, 'uuid')
    this.#gatherer.add(record, time)
    if (unit.salvaged) this.#noteGlued(unit, handle)
    const taken = this.#take(unit, record, native, handle)
    this.#agents.add(record, (call) => this.#chain.caller(call), taken.entry && handle)
    this.#line = unit.line
    this.#body = taken.entry?.body
    const { entry, dangling, warnings, superseded, rechained } = taken
    const envelope: Reading = { entry, time, native, dangling, warnings }
    const reading = superseded ? { ...envelope, superseded, ...(rechained && { rechained }) } : envelope
    if (this.#times) this.#times.set(handle, { time, native })
    this.#next += rechained?.length ?? 0
    const told = this.#progress.add(record, handle)
    return told ? { ...reading, ...told } : reading
  }

  active(): RecordIndex | null {
    const leaf = this.#leaves.active()
    return leaf === null ? null : this.#chain.endOf(this.#chain.current(leaf))
  }

  facts(): Facts {
    const { found } = this.#agents
    const { tips } = this.#progress
    return {
      ...this.#gatherer.facts((id) => this.#chain.has(id)),
      ...(found.size > 0 && {
        subagents: new Map([...found].map(([agent, at]) => [agent, this.#chain.current(at)])),
      }),
      ...(tips.size > 0 && { branches: tips }),
    }
  }

  #take({ salvaged }: Unit, record: JsonObject, id: string | undefined, handle: RecordIndex): Reading {
    const kind = kindOf(record)
    if (id === undefined) return kind ? { warnings: [NO_ID] } : {}
    const member = kind && { record, kind, id, parentId: parentOf(record, kind), entry: handle }
    if (this.#chain.has(id)) {
      const replaced = salvaged || !member ? undefined : this.#replace(member)
      this.#leaves.again(id, replaced?.entry && handle)
      return replaced ?? (kind ? { warnings: [duplicate(id)] } : {})
    }
    const parent = idAt(record, 'parentUuid')
    const parentRead = parent !== undefined && this.#chain.has(parent)
    const taken: Reading = member ? this.#enter(member, salvaged) : this.#passOver(record, id, parent)
    const entry = this.#chain.nearest(id)
    this.#leaves.add({ record, id, parent, parentRead, entry }, this.#gatherer.isAgent)
    return taken
  }

  #enter(member: Member, salvaged: boolean): Reading {
    const reading = this.#readingOf(
      member,
      salvaged ? this.#chain.addIncomplete(member) : this.#chain.add(member),
    )
    if (salvaged && reading.entry) this.#noteIncomplete(member.id, reading.entry.body)
    return reading
  }

  #noteIncomplete(id: string, body: Json): void {
    this.#incomplete.set(id, digestOf(body))
    this.#times ??= new Map()
  }

  /** Another record follows on the line of the one before: that is not complete. */
  #noteGlued({ line }: Unit, handle: RecordIndex): void {
    if (line !== this.#line || this.#body === undefined) return
    const id = this.#chain.lastIsIncomplete(handle - 1)
    if (id !== undefined) this.#noteIncomplete(id, this.#body)
  }

  /**
   * Reads a complete record whose uuid only an incomplete one had. Its entry takes the place of the other, and what
   * continues that is chained again. Undefined where both carry the same entry, or the first was complete.
   */
  #replace(member: Member): Reading | undefined {
    const { id, record, kind, entry: handle } = member
    const digest = this.#incomplete.get(id)
    const before = this.#chain.incomplete(id)
    if (digest === undefined || !before) return undefined
    this.#incomplete.delete(id)
    if (!before.isLinked) {
      const superseded = [before.entry]
      return { ...this.#readingOf(member, this.#chain.replace(member)), superseded }
    }
    const body = bodyOf(record, kind)
    if (digestOf(body) === digest) return undefined
    const first = this.#chain.current(before.entry)
    const { place, again } = this.#chain.rechain(member)
    const rechained = again.map((one, i) => {
      const known = this.#times?.get(one.original) ?? {}
      this.#times?.set(handle + 1 + i, known)
      const { time, native } = known
      return { ...one, ...(time !== undefined && { time }), ...(native !== undefined && { native }) }
    })
    return {
      ...this.#readingOf(member, place),
      superseded: [first, ...again.map(({ original }) => original)],
      ...(rechained.length > 0 && { rechained }),
    }
  }

  #readingOf({ record, kind, id }: Member, place: Place): Reading {
    const { parent } = place
    const links = linksOf(record, kind, parent, this.#chain)
    const entry: ParsedEntry = {
      type: `claude/${kind}`,
      body: bodyOf(record, kind),
      parent,
      ...(links && { links }),
    }
    const { dangling, isAside = false } = place
    if (dangling === undefined) return { entry }
    return { entry, ...(!isAside && { dangling }), warnings: [danglingParent(id, place)] }
  }

  #passOver(record: JsonObject, id: string, parent: string | undefined): Reading {
    this.#chain.passOver(id, parent, standsAside(record))
    return {}
  }
}

/** A compaction begins a new tree in the file; its logical parent is the last entry that it compacted. */
const parentOf = (record: JsonObject, kind: EntryKind): string | undefined =>
  idAt(record, 'parentUuid') ?? (kind === 'compact_boundary' ? idAt(record, 'logicalParentUuid') : undefined)

const NO_ID: Warning = {
  code: 'no-id',
  message: 'a message has no uuid: it is kept as a record and stands in no conversation',
}

const duplicate = (id: string): Warning => ({
  code: 'duplicate-id',
  message: `the uuid '${id}' occurs again: the first record with it stands in the conversation`,
})

const danglingParent = (id: string, { dangling, isAside = false }: Place): Warning => ({
  code: 'dangling-parent',
  message: `'${id}' begins a conversation: its parent '${dangling}' ${
    isAside ? 'stands in a sidechain' : 'does not stand before it in the file'
  }`,
})
