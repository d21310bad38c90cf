import { asString, field, isObject, type Json, type JsonObject, without } from '../../model/json.ts'
import { millis } from '../pi/read.ts'
import { type LoadedRecord, type MigrationStep, RecordIds, sessionIdIn } from './migration.ts'

/**
 * Version 1 to 2: each record continues the one before; an index to keep from becomes the id of that record, or
 * nothing if it is the header's or follows the compaction.
 */
const v1: MigrationStep = {
  from: 'v1',
  to: 'v2',
  *migrate(items) {
    const ids = new RecordIds(sessionIdIn(items[0]?.value))
    const byIndex = new Map<number, string>()
    let parentId: string | null = null
    for (const { value, index } of items) {
      if (value.type === 'session') {
        yield { ...value, version: 2 }
        continue
      }
      const id = ids.next(value)
      if (index !== undefined) byIndex.set(index, id)
      yield { ...withKept(value, byIndex), id, parentId }
      parentId = id
    }
  },
}

function withKept(value: JsonObject, ids: ReadonlyMap<number, string>): JsonObject {
  const { firstKeptEntryIndex: index } = value
  if (value.type !== 'compaction' || typeof index !== 'number') return value
  const firstKeptEntryId = ids.get(index)
  const rest = without(value, 'firstKeptEntryIndex')
  return firstKeptEntryId === undefined ? rest : { ...rest, firstKeptEntryId }
}

/** Version 2 to 3: messages of hooks have another role. */
const v2: MigrationStep = {
  from: 'v2',
  to: 'v3',
  *migrate(items) {
    for (const { value } of items)
      if (value.type === 'session') yield { ...value, version: 3 }
      else if (value.type === 'message' && isObject(value.message) && value.message.role === 'hookMessage')
        yield { ...value, message: { ...value.message, role: 'custom' } }
      else yield value
  },
}

export const piSteps: readonly MigrationStep[] = [v1, v2]

/** Returns the items of records that no loader skips. */
export const itemsOf = (values: Iterable<JsonObject>): LoadedRecord[] =>
  [...values].map((value, index) => ({ value, index }))

/** The entries that version 4 has as version 3 has them. */
const SAME: ReadonlySet<string> = new Set([
  ...['message', 'model_change', 'thinking_level_change', 'active_tools_change', 'branch_summary', 'custom'],
])

/** The record types that are no entries in version 4. */
const FACTS: ReadonlySet<string> = new Set(['label', 'leaf', 'session_info'])

/**
 * Version 3 to 4: the tree on the lane `main`, which moves where a branch begins; names and labels are facts; a
 * compaction carries what it keeps. What version 4 has no entry for, usage and edits among it, is a custom one.
 */
export const v3: MigrationStep = {
  from: 'v3',
  to: 'v4',
  *migrate([first, ...items]) {
    const header = first?.value ?? {}
    yield headerOf(header)
    const log = new V4Log(sessionIdIn(header), millis(header.timestamp))
    for (const { value } of items) yield* log.add(value)
    yield* log.end()
  },
}

/** Returns the header of version 4 for one of version 3. */
export function headerOf(header: JsonObject): JsonObject {
  const parent = asString(header.parentSession) ?? asString(header.branchedFrom)
  return {
    kind: 'header',
    version: 4,
    id: sessionIdIn(header),
    createdAt: millis(header.timestamp) ?? 0,
    cwd: asString(header.cwd) ?? '',
    ...(parent !== undefined && { legacyParentSessionPath: parent }),
    ...(isObject(header.metadata) && { metadata: header.metadata }),
  }
}

/** An entry of the new file, and its messages for a model. */
interface LaneEntry {
  readonly id: string
  readonly parent: LaneEntry | null
  readonly messages: readonly JsonObject[]
}

/** Translates the records of version 3 into those of version 4, one by one. */
export class V4Log {
  readonly #ids: RecordIds
  /** By the id of a record: the entry that represents it; null before the first. */
  readonly #nodes = new Map<string, LaneEntry | null>()
  /** The records that became no entry. */
  readonly #gone = new Set<string>()
  /** The entry that the file is at, and the one that its lane is at. */
  #leaf: LaneEntry | null = null
  #lane: LaneEntry | null = null
  #time: number
  #seq = 0

  constructor(session: string, created = 0) {
    this.#ids = new RecordIds(session)
    this.#time = created
  }

  *add(value: JsonObject): Generator<JsonObject> {
    this.#time = millis(value.timestamp) ?? this.#time
    const parent = this.#nodeOf(value.parentId, this.#leaf)
    const own = asString(value.id)
    if (value.type === 'leaf') this.#leaf = this.#nodeOf(value.targetId, this.#leaf)
    else if (FACTS.has(asString(value.type) ?? '')) {
      yield* this.#fact(value)
      this.#leaf = parent
    } else {
      yield* this.#move(parent)
      const id = this.#ids.next(value, own)
      const entry = this.#entryOf(value, parent)
      const place = { id, type: entry.type ?? null, parentId: parent?.id ?? null, seq: ++this.#seq }
      yield { kind: 'entry', lane: MAIN, ...place, timestamp: this.#time, ...without(entry, ...PLACES) }
      this.#leaf = this.#lane = { id, parent, messages: messagesOf(value, this.#time) }
    }
    if (own === undefined || this.#nodes.has(own)) return
    this.#nodes.set(own, this.#leaf)
    if (FACTS.has(asString(value.type) ?? '')) this.#gone.add(own)
  }

  /** Moves a lane to a record: `main`, to which entries are added, or another one. */
  *moveLane(lane: string, id: Json | undefined): Generator<JsonObject> {
    const at = this.#nodeOf(id, null)
    if (lane === MAIN) this.#leaf = at
    else yield { kind: 'lane', seq: ++this.#seq, lane, leafId: at?.id ?? null }
  }

  /** Moves the lane to the entry that the file is at. */
  *end(): Generator<JsonObject> {
    yield* this.#move(this.#leaf)
  }

  *#move(at: LaneEntry | null): Generator<JsonObject> {
    if (at === this.#lane) return
    this.#lane = at
    yield { kind: 'lane', seq: ++this.#seq, lane: MAIN, leafId: at?.id ?? null }
  }

  *#fact(value: JsonObject): Generator<JsonObject> {
    const fact = { kind: 'fact', seq: this.#seq + 1 }
    if (value.type === 'session_info') yield { ...fact, fact: 'name', ...named('name', value.name) }
    else {
      const target = this.#nodeOf(value.targetId, null)
      if (target === null) return
      yield { ...fact, fact: 'label', targetId: target.id, ...named('label', value.label) }
    }
    this.#seq++
  }

  /** Returns the entry of a record with an id; `otherwise` without an id. */
  #nodeOf(id: Json | undefined, otherwise: LaneEntry | null): LaneEntry | null {
    const key = asString(id)
    if (id === undefined) return otherwise
    return key === undefined ? null : (this.#nodes.get(key) ?? null)
  }

  #entryOf(value: JsonObject, parent: LaneEntry | null): JsonObject {
    const type = asString(value.type) ?? ''
    if (type === 'compaction') return this.#compaction(value, parent)
    if (SAME.has(type)) return value
    const [message] = messagesOf(value, this.#time)
    return message
      ? { type: 'message', message }
      : { type: 'custom', customType: `pi.${type}`, data: without(value, ...PLACES) }
  }

  #compaction(value: JsonObject, parent: LaneEntry | null): JsonObject {
    const { tokensBefore = 0, retainedTail = this.#tail(asString(value.firstKeptEntryId), parent) } = value
    return { ...without(value, 'firstKeptEntryId'), tokensBefore, retainedTail }
  }

  /**
   * Returns the messages from a record to an entry, without those of the system; from the next entry if the record
   * became none; none if it is not on that path.
   */
  #tail(from: string | undefined, to: LaneEntry | null): JsonObject[] {
    const first = from === undefined ? undefined : this.#nodes.get(from)
    if (from === undefined || first === undefined) return []
    const kept: (readonly JsonObject[])[] = []
    let at = to
    for (; at && at !== first; at = at.parent) kept.push(at.messages)
    if (at !== first) return []
    if (at && !this.#gone.has(from)) kept.push(at.messages)
    return kept
      .reverse()
      .flat()
      .filter(({ role }) => role !== 'system')
  }
}

/** The lane that every session has. */
const MAIN = 'main'

/** The fields with a record's place in the tree. */
const PLACES = ['id', 'type', 'parentId', 'timestamp']

/** An empty name is none. */
const named = (key: string, name: Json | undefined): JsonObject => {
  const text = asString(name)
    ?.replace(/[\r\n]+/g, ' ')
    .trim()
  return text ? { [key]: text } : {}
}

/** Returns the messages of a record for a model. */
function messagesOf(value: JsonObject, timestamp: number): JsonObject[] {
  switch (value.type) {
    case 'message':
      return isObject(value.message) ? [value.message] : []
    case 'custom_message': {
      const rest = without(value, ...PLACES)
      return [{ role: 'custom', ...rest, content: field(value, 'content') ?? [], timestamp }]
    }
    case 'branch_summary': {
      const summary = asString(value.summary)
      return summary ? [{ role: 'branchSummary', summary, fromId: value.fromId ?? 'root', timestamp }] : []
    }
    default:
      return []
  }
}
