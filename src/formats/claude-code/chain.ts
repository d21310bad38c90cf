import { field, isObject, type JsonObject } from '../../model/json.ts'
import { NumberList } from '../../model/numberlist.ts'
import { NONE, type RecordIndex } from '../core/format.ts'
import { IdMap } from '../core/idmap.ts'
import { RecordTree } from '../core/recordtree.ts'
import { type EntryKind, idAt, listAt, textAt } from './fields.ts'

/** The number of a group: the blocks of one assistant message and the results that answer them, a chain in file order. */
type MessageGroup = number

/** The last member of each group so far: the next member, and every entry that continues a member, follows it. */
class GroupTails {
  /** The entries plus 1, by group; 0 for a group without members. */
  private readonly tails = new NumberList()

  add(): MessageGroup {
    return this.tails.push(0)
  }

  get(group: MessageGroup): RecordIndex | null {
    const tail = this.tails.get(group)
    return tail === 0 ? null : tail - 1
  }

  set(group: MessageGroup, tail: RecordIndex | null): void {
    this.tails.set(group, tail === null ? 0 : tail + 1)
  }
}

/** The groups of one thread of conversation, by the ids that their members share. */
class MessageGroups {
  readonly #tails: GroupTails
  private readonly messages = new IdMap()
  /** The numbers of calls; by these, their groups, the entries that hold them, and 1 more than those with their results. */
  private readonly calls = new IdMap()
  private readonly groups = new NumberList()
  private readonly callers = new NumberList()
  private readonly answers = new NumberList()

  constructor(tails: GroupTails) {
    this.#tails = tails
  }

  /** Returns the group of an entry; undefined if it belongs to none. */
  of(record: JsonObject, kind: EntryKind, entry: RecordIndex): MessageGroup | undefined {
    if (kind === 'assistant') {
      const message = idAt(record, 'message', 'id')
      return message === undefined ? undefined : this.#ofMessage(message, record, entry)
    }
    if (kind !== 'user') return undefined
    const blocks = listAt(record, 'message', 'content')
    const result = blocks.find((block) => textAt(block, 'type') === 'tool_result')
    const call = this.calls.get(textAt(result, 'tool_use_id') ?? '')
    if (call === undefined) return undefined
    if (blocks.length === 1) this.answers.set(call, entry + 1)
    return this.groups.get(call)
  }

  /** Returns the entry that holds the result of a tool call, where it holds nothing else. */
  answer(call: string): RecordIndex | undefined {
    const known = this.calls.get(call)
    const answer = known === undefined ? 0 : this.answers.get(known)
    return answer === 0 ? undefined : answer - 1
  }

  /** Returns the entry that holds a tool call. */
  caller(call: string): RecordIndex | undefined {
    const known = this.calls.get(call)
    return known === undefined ? undefined : this.callers.get(known)
  }

  #ofMessage(message: string, record: JsonObject, caller: RecordIndex): MessageGroup {
    let group = this.messages.get(message)
    if (group === undefined) {
      group = this.#tails.add()
      this.messages.set(message, group)
    }
    for (const block of listAt(record, 'message', 'content')) {
      const call = textAt(block, 'type') === 'tool_use' ? idAt(block, 'id') : undefined
      if (call === undefined) continue
      this.calls.set(call, this.groups.push(group))
      this.callers.push(caller)
      this.answers.push(0)
    }
    return group
  }
}

/** The place of an entry: the entry that it continues, or the id of a parent that it cannot continue. */
export interface ChainPlace {
  readonly parent: RecordIndex | null
  readonly dangling?: string
  /** Whether that parent is in a sidechain; otherwise it was not read before. */
  readonly inSidechain?: boolean
}

/** A record with a uuid. */
export interface ChainMember {
  readonly record: JsonObject
  readonly kind: EntryKind
  readonly id: string
  readonly parentId: string | undefined
  readonly entry: RecordIndex
}

/** An entry of a record that is not complete, so that a complete record with its uuid takes its place. */
interface Incomplete extends ChainMember {
  readonly place: ChainPlace
  /** Whether the chain has it, because another entry continues it. */
  isLinked: boolean
}

/**
 * The order of entries. A file's own parents are not always the predecessors in the conversation: the file has a record
 * for each block, and the blocks of one message and the results of its parallel tool calls are siblings. Here they form
 * one chain. Records without an entry are skipped. A parent that was not read yet is no parent, so that a growing file
 * changes no oid. An entry outside of sidechains continues none in a sidechain, because forks leave sidechains out.
 *
 * An entry of an incomplete record is kept out of the chain until another record names it as its parent.
 */
export class ClaudeChain {
  /** The entries as a tree, by the positions of their records. */
  readonly nodes = new RecordTree()
  private readonly byId = new IdMap()
  /** The places in `above` of the parents of records that are no entries. */
  private readonly passed = new IdMap()
  /** The ids of these parents, mostly each once: many records without an entry follow one that has one. */
  private readonly above: (string | null)[] = []
  /** The records of sidechains. */
  private readonly sidechains = new Set<string>()
  private readonly unfinished = new Map<string, Incomplete>()
  /** By an entry that was replaced or rechained: the one that took its place. */
  private readonly moved = new Map<RecordIndex, RecordIndex>()
  /** By entry. */
  private readonly groups: (MessageGroup | undefined)[] = []
  private readonly tails = new GroupTails()
  private readonly mainGroups = new MessageGroups(this.tails)
  private readonly sidechainGroups = new MessageGroups(this.tails)
  /** The entry that was added last, and the tail that its group had before. */
  #last:
    | { readonly member: ChainMember; readonly place: ChainPlace; readonly tail: RecordIndex | null }
    | undefined

  /** Returns whether a record with this id was read. */
  has(id: string): boolean {
    return this.byId.has(id) || this.passed.has(id) || this.unfinished.has(id)
  }

  /** Returns the entry that a record with this id carries. */
  entry(id: string): RecordIndex | undefined {
    const entry = this.byId.get(id) ?? this.unfinished.get(id)?.entry
    return entry === undefined ? undefined : this.current(entry)
  }

  /** Returns the entry that a record with this id carries, or the nearest above it. */
  nearest(id: string): RecordIndex | undefined {
    const top = this.#climb(id, true)
    return top === null ? undefined : this.entry(top)
  }

  /** Returns the entry that holds the result of a tool call and nothing else. */
  answer(call: string): RecordIndex | undefined {
    return this.#now(this.mainGroups.answer(call) ?? this.sidechainGroups.answer(call))
  }

  /** Returns the entry that holds a tool call, of a message with an id. */
  caller(call: string): RecordIndex | undefined {
    return this.#now(this.mainGroups.caller(call) ?? this.sidechainGroups.caller(call))
  }

  /** Returns the end of the chain that an entry belongs to. */
  endOf(entry: RecordIndex): RecordIndex {
    return this.current(this.#tailOf(this.groups[entry]) ?? entry)
  }

  /** Returns the entry that took the place of an entry; the entry itself if none did. */
  current(entry: RecordIndex): RecordIndex {
    let at = entry
    for (let next = this.moved.get(at); next !== undefined; next = this.moved.get(at)) at = next
    return at
  }

  #tailOf(group: MessageGroup | undefined): RecordIndex | null {
    return group === undefined ? null : this.tails.get(group)
  }

  #now(entry: RecordIndex | undefined): RecordIndex | undefined {
    return entry === undefined || this.moved.size === 0 ? entry : this.current(entry)
  }

  /** Takes a record that is no entry: entries after it continue the one before it. */
  passOver(id: string, parent: string | undefined, inSidechain: boolean): void {
    if (inSidechain) this.sidechains.add(id)
    const top = this.#climb(parent ?? null, inSidechain)
    if (this.above.length === 0 || this.above.at(-1) !== top) this.above.push(top)
    this.passed.set(id, this.above.length - 1)
  }

  add(member: ChainMember): ChainPlace {
    const { record, id, parentId, entry } = member
    const inSidechain = isInSidechain(record)
    if (inSidechain) this.sidechains.add(id)
    this.#linkAbove(parentId, inSidechain)
    const group = this.#groupOf(member)
    const tail = this.#tailOf(group)
    const place = this.#placeFor(group, parentId, inSidechain)
    this.byId.set(id, entry)
    this.#node(entry, place)
    if (group !== undefined) {
      this.tails.set(group, entry)
      this.groups[entry] = group
    }
    this.#last = { member, place, tail }
    return place
  }

  /** Adds an entry of an incomplete record and returns its place. */
  addIncomplete(member: ChainMember): ChainPlace {
    const { record, id, parentId, entry } = member
    const inSidechain = isInSidechain(record)
    if (inSidechain) this.sidechains.add(id)
    const place = this.#placeFor(undefined, parentId, inSidechain)
    this.#node(entry, place)
    this.#last = undefined
    this.unfinished.set(id, { ...member, record: idsOf(record), place, isLinked: false })
    return place
  }

  /** Takes the entry that was added last for incomplete: another record follows on its line. Returns its id. */
  lastIsIncomplete(entry: RecordIndex): string | undefined {
    if (this.#last?.member.entry !== entry) return undefined
    const { member, place, tail } = this.#last
    this.#last = undefined
    const group = this.groups[entry]
    if (group !== undefined) this.tails.set(group, tail)
    this.groups[entry] = undefined
    this.unfinished.set(member.id, { ...member, record: idsOf(member.record), place, isLinked: false })
    return member.id
  }

  /** Returns the entry of an incomplete record with this id, and whether another entry continues it. */
  incomplete(id: string): Pick<Incomplete, 'entry' | 'isLinked'> | undefined {
    return this.unfinished.get(id)
  }

  /** Adds the entry of a complete record in the place of the incomplete one, which no entry continues. */
  replace(member: ChainMember): ChainPlace {
    const before = this.unfinished.get(member.id)
    this.unfinished.delete(member.id)
    const place = this.add(member)
    if (before) this.moved.set(before.entry, member.entry)
    return place
  }

  /**
   * Puts the entry of a complete record in the place of an incomplete one that other entries continue. Returns those
   * entries with the parents that they have now; they get the positions after the new entry's.
   */
  rechain({ id, entry }: ChainMember): {
    place: ChainPlace
    again: { original: RecordIndex; parent: RecordIndex }[]
  } {
    const { place, entry: old } = this.unfinished.get(id) as Incomplete
    this.unfinished.delete(id)
    const before = this.current(old)
    const end = entry
    this.#node(entry, { parent: place.parent === null ? null : this.current(place.parent) })
    this.groups[entry] = this.groups[before]
    const placed = new Map<RecordIndex, RecordIndex>([[before, entry]])
    const again: { original: RecordIndex; parent: RecordIndex }[] = []
    for (let at = before + 1; at < end; at++) {
      const parent =
        this.nodes.isNode(at) && !this.moved.has(at) ? placed.get(this.nodes.parentOf(at)) : undefined
      if (parent === undefined) continue
      const next = entry + again.length + 1
      again.push({ original: at, parent })
      placed.set(at, next)
      this.nodes.add(parent, true)
      this.groups[next] = this.groups[at]
    }
    for (const [from, to] of placed) this.moved.set(from, to)
    if (old !== before) this.moved.set(old, entry)
    return { place, again }
  }

  #node(entry: RecordIndex, { parent }: ChainPlace): void {
    while (this.nodes.length < entry) this.nodes.skip()
    this.nodes.add(parent ?? NONE, true)
  }

  #groupOf({ record, kind, entry }: ChainMember): MessageGroup | undefined {
    return (isInSidechain(record) ? this.sidechainGroups : this.mainGroups).of(record, kind, entry)
  }

  /** Links the entry of an incomplete record into the chain, because an entry continues it. */
  #linkAbove(parentId: string | undefined, inSidechain: boolean): void {
    if (this.unfinished.size === 0) return
    const top = this.#climb(parentId ?? null, inSidechain)
    const parent = top === null ? undefined : this.unfinished.get(top)
    if (!parent || parent.isLinked) return
    parent.isLinked = true
    const { id, entry, place } = parent
    const group = this.#groupOf(parent)
    this.byId.set(id, entry)
    if (group === undefined) return
    this.groups[entry] = group
    const tail = this.tails.get(group)
    if (tail === null || tail === place.parent) this.tails.set(group, entry)
  }

  #placeFor(group: MessageGroup | undefined, parentId: string | undefined, inSidechain: boolean): ChainPlace {
    const tail = this.#tailOf(group)
    if (tail !== null) return { parent: this.current(tail) }
    const top = this.#climb(parentId ?? null, inSidechain)
    if (top === null) return { parent: null }
    const parent = this.entry(top)
    if (parent === undefined) return { parent: null, dangling: top }
    if (!inSidechain && this.sidechains.has(top)) return { parent: null, dangling: top, inSidechain: true }
    return { parent: this.endOf(parent) }
  }

  /**
   * Climbs over records that are no entries, and shortens the way for the next. Ends on cycles, and from outside at a
   * sidechain.
   */
  #climb(id: string | null, inSidechain: boolean): string | null {
    let top = id
    let last = 0
    const way = new Set<string>()
    while (top !== null && !way.has(top)) {
      if (!inSidechain && this.sidechains.has(top)) break
      const next = this.passed.get(top)
      if (next === undefined) break
      way.add(top)
      top = this.above[next] as string | null
      last = next
    }
    if (way.size > 1) for (const step of way) this.passed.set(step, last)
    return top
  }
}

/** Returns whether a record is in a sidechain. */
export const isInSidechain = (record: JsonObject): boolean => record.isSidechain === true

/** Returns the part of a record that decides which group it belongs to. */
function idsOf(record: JsonObject): JsonObject {
  const { isSidechain = false, message } = record
  const content = listAt(message, 'content').map((block) => {
    const { type = null, id = null, tool_use_id = null } = isObject(block) ? block : {}
    return { type, id, tool_use_id }
  })
  return { isSidechain, message: { id: field(message, 'id') ?? null, content } }
}
