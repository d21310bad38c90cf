import { isObject, type JsonObject } from '../../model/json.ts'
import type { Facts, ParsedEntry, Reader, Reading, RecordIndex } from '../format.ts'
import type { Unit, Warning } from '../unit.ts'
import { Agents } from './agents.ts'
import { bodyOf, type EntryKind, kindOf } from './body.ts'
import { Chain, type Place, isAside as standsAside } from './chain.ts'
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
    const { entry, dangling, warnings } = this.#take(record, native, handle)
    this.#agents.add(record, (call) => this.#chain.caller(call), entry && handle)
    const reading = { entry, time, native, dangling, warnings }
    const told = this.#progress.add(record, handle)
    return told ? { ...reading, ...told } : reading
  }

  active(): RecordIndex | null {
    const leaf = this.#leaves.active()
    return leaf === null ? null : this.#chain.endOf(leaf)
  }

  facts(): Facts {
    const { found } = this.#agents
    const { tips } = this.#progress
    return {
      ...this.#gatherer.facts((id) => this.#chain.has(id)),
      ...(found.size > 0 && { subagents: found }),
      ...(tips.size > 0 && { branches: tips }),
    }
  }

  #take(record: JsonObject, id: string | undefined, handle: RecordIndex): Reading {
    const kind = kindOf(record)
    if (id === undefined) return kind ? { warnings: [NO_ID] } : {}
    if (this.#chain.has(id)) {
      this.#leaves.again(id)
      return kind ? { warnings: [duplicate(id)] } : {}
    }
    const parent = idAt(record, 'parentUuid')
    const parentRead = parent !== undefined && this.#chain.has(parent)
    const taken: Reading = kind ? this.#enter(record, kind, id, handle) : this.#passOver(record, id, parent)
    const entry = this.#chain.nearest(id)
    this.#leaves.add({ record, id, parent, parentRead, entry }, this.#gatherer.isAgent)
    return taken
  }

  #enter(record: JsonObject, kind: EntryKind, id: string, handle: RecordIndex): Reading {
    const place = this.#chain.add(record, kind, id, parentOf(record, kind), handle)
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
