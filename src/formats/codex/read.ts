import { asString, defined, field, isObject, type Json, type JsonObject } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'
import { NewestVersion } from '../../model/version.ts'
import { PlaceHistory } from '../core/facthistory.ts'
import type {
  Base,
  Facts,
  FormatReader,
  Inherited,
  ParsedEntry,
  Reading,
  RecordIndex,
} from '../core/format.ts'
import type { Unit } from '../core/splitter.ts'
import { factsOf, fieldAt } from '../core/values.ts'
import { ThreadCounter } from './counter.ts'
import {
  asObject,
  compactedBody,
  hasContent,
  isBareItem,
  itemBody,
  kindOf,
  partOf,
  settingBody,
  type TurnPart,
  timeOf,
} from './fields.ts'

/**
 * Collects the agents that the calls of a rollout started: an event, or the result of `spawn_agent`, names the
 * thread.
 */
class CodexSubagents {
  /** By the id of the thread. */
  readonly found = new Map<string, RecordIndex>()
  /** The calls that have no result yet, by their ids. */
  private readonly calls = new Map<string, { readonly name: Json | undefined; readonly entry: RecordIndex }>()

  /** Takes an item that is an entry. */
  add(item: JsonObject, entry: RecordIndex): void {
    const call = asString(item.call_id)
    if (call === undefined) return
    if (item.type === 'function_call') this.calls.set(call, { name: item.name, entry })
    if (item.type !== 'function_call_output') return
    const caller = this.calls.get(call)
    this.calls.delete(call)
    if (caller?.name === 'spawn_agent') this.#link(agentIn(item.output), caller.entry)
  }

  /** Takes an event: one of them names the call that started a sub-agent. */
  addEvent(event: JsonObject): void {
    if (event.type !== 'collab_agent_spawn_end') return
    const caller = this.calls.get(asString(event.call_id) ?? '')
    if (caller) this.#link(asString(event.new_thread_id), caller.entry)
  }

  #link(agent: string | undefined, caller: RecordIndex): void {
    if (agent !== undefined && !this.found.has(agent)) this.found.set(agent, caller)
  }
}

const agentIn = (output: Json | undefined): string | undefined => {
  const text = asString(output)
  return text === undefined ? undefined : asString(field(tryParse(text), 'agent_id'))
}

/** The end of a path: the parent of the next entry, and the model and effort that are set there. */
interface PathEnd {
  readonly tip: RecordIndex | null
  readonly setting: string
}

/**
 * The position of the next entry of a rollout. A rollout is one chain in file order; a rollback returns to the start of
 * the first of the last turns, and later entries continue from there. A rollback may go past a compaction.
 */
export class RolloutPath {
  private here: PathEnd
  /** The path before the directly preceding updates of the context; null if there are none. */
  private updates: PathEnd | null = null
  /** Where each turn of the path began, the oldest first. */
  private readonly turns: PathEnd[] = []

  /** Begins with the setting that the history before it leaves. */
  constructor(setting = '') {
    this.here = { tip: null, setting }
  }

  /** The last entry of the path; null if it has none. */
  get tip(): RecordIndex | null {
    return this.here.tip
  }

  /** The model and effort that were last set on the path. */
  get setting(): string {
    return this.here.setting
  }

  /** Adds an entry to the path and returns its parent. */
  extend(handle: RecordIndex, part: TurnPart, setting = this.setting): RecordIndex | null {
    const before = this.here
    if (part === 'update') this.updates ??= before
    // Entries before the first prompt are the start of the session, not of the turn.
    else if (part === 'prompt') this.turns.push((this.turns.length > 0 && this.updates) || before)
    if (part !== 'update') this.updates = null
    this.here = { tip: handle, setting }
    return before.tip
  }

  /** Removes the last turns of the path, or all of them if it has fewer. */
  rollBack(count: number): void {
    if (count <= 0 || this.turns.length === 0) return
    const first = Math.max(0, this.turns.length - count)
    this.here = this.turns[first] as PathEnd
    this.turns.length = first
    this.updates = null
  }
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** The name of a file: its time, the thread and, of later files of a thread, the id of the file. */
const FILE_NAME = new RegExp(`^rollout-.*?(${UUID})(?:_(${UUID}))?\\.jsonl`, 'i')

/**
 * Collects the facts of a rollout. The first header is the session's own, and so are later ones with its id; others come
 * from copied history.
 */
export class RolloutHeader {
  readonly #name: string
  private meta: JsonObject | undefined
  private created: number | undefined
  private readonly place = new PlaceHistory()
  private readonly version = new NewestVersion()
  /** The last name of each thread in the file; '' is the file's own thread. */
  private readonly names = new Map<string, string>()

  constructor(name: string) {
    this.#name = name
  }

  /** Takes a line of the rollout with its time, in milliseconds since 1970. */
  take(line: JsonObject, time: number | undefined): void {
    this.created ??= time
    const meta = metaOf(line)
    if (meta) this.version.add(meta.cli_version)
    if (meta && this.meta === undefined) {
      this.meta = meta
      this.created = timeOf(meta.timestamp) ?? this.created
    }
    if (meta && meta.id === this.meta?.id) this.#addPlace(meta)
    const payload = asObject(line.payload)
    if (line.type === 'turn_context') this.place.folders.add(payload?.cwd)
    if (line.type === 'event_msg' && payload?.type === 'thread_name_updated') this.#rename(payload)
  }

  #addPlace({ cwd, git }: JsonObject): void {
    this.place.folders.add(cwd)
    const [branch, commit, repository] = ['branch', 'commit_hash', 'repository_url'].map((key) =>
      field(git, key),
    )
    this.place.git.add({ branch, commit, repository })
  }

  #rename(event: JsonObject): void {
    this.names.set(asString(event.thread_id) ?? '', asString(event.thread_name) ?? '')
  }

  facts(): Facts {
    const [, thread, page] = FILE_NAME.exec(this.#name) ?? []
    const id = asString(this.meta?.id) ?? thread
    const parent = parentIn(this.meta)
    const title = this.names.get(id ?? '') ?? this.names.get('')
    return factsOf({
      id,
      page,
      title,
      parent,
      ...this.place.facts(),
      created: this.created,
      version: this.version.newest,
    })
  }
}

/** Returns the thread that started an agent's own, or that a fork was copied from. */
function parentIn(meta: JsonObject | undefined): string | undefined {
  const spawned = fieldAt(meta, 'source', 'subagent', 'thread_spawn')
  return (
    asString(meta?.parent_thread_id) ??
    asString(field(spawned, 'parent_thread_id')) ??
    asString(meta?.forked_from_id)
  )
}

/**
 * Returns the header that a line is: the payload of a `session_meta`, or a bare line with an id that is no
 * item.
 */
function metaOf(line: JsonObject): JsonObject | undefined {
  if (line.type === 'session_meta') return asObject(line.payload)
  const bare: readonly (Json | undefined)[] = [line.type, line.role, line.payload, line.record_type]
  return bare.every((value) => value === undefined) && asString(line.id) !== undefined ? line : undefined
}

/** Returns the base that a header names: a place in another file, whose history it continues. */
export function baseOf(first: Json): Base | undefined {
  if (field(first, 'type') !== 'session_meta') return undefined
  const base = asObject(asObject(field(first, 'payload'))?.history_base)
  const session = asString(base?.thread_id)
  if (session === undefined) return undefined
  const [ordinal, offset] = [asCount(base?.end_ordinal_exclusive), asCount(base?.end_byte_offset)]
  return { session, ...defined({ ordinal, offset }) }
}

const asCount = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** Returns the number of a line over the whole history of its thread. */
export function ordinalOf(record: Json): number | undefined {
  const ordinal = field(record, 'ordinal')
  return typeof ordinal === 'number' ? ordinal : undefined
}

/** Reads the lines of a rollout in the order of the file. */
export class RolloutReader implements FormatReader {
  private readonly chain: RolloutPath
  private readonly header: RolloutHeader
  private readonly agents = new CodexSubagents()
  private readonly counter: ThreadCounter
  private next: RecordIndex = 0

  constructor(name: string, inherited?: Inherited) {
    this.chain = new RolloutPath(inherited?.model === undefined ? '' : settingKey(inherited))
    this.header = new RolloutHeader(name)
    this.counter = new ThreadCounter(inherited?.counter)
  }

  read(unit: Unit): Reading {
    const handle = this.next++
    const line = unit.value
    if (!isObject(line)) return {}
    const time = timeOf(line.timestamp ?? line.created_at)
    const when = { time }
    this.header.take(line, time)
    const payload = line.payload
    if (payload === undefined)
      return isBareItem(line) && hasContent(line) ? this.#item(handle, time, line, itemBody(line)) : when
    const inside = asObject(payload)
    if (inside === undefined) return when
    switch (asString(line.type)) {
      case 'response_item':
      case 'inter_agent_communication':
        if (!hasContent(inside)) return when
        return this.#item(handle, time, inside, { type: line.type as Json, payload: itemBody(payload) }, line)
      case 'compacted': {
        const body = { type: 'compacted', payload: compactedBody(payload) }
        return { time, entry: parsedEntry('compacted', body, this.chain.extend(handle, 'other')) }
      }
      case 'turn_context':
        return { time, entry: this.#setting(handle, inside) }
      case 'event_msg':
        if (inside.type === 'thread_rolled_back') this.#rollBack(inside.num_turns)
        this.agents.addEvent(inside)
        return { time, usage: this.counter.addEvent(line, inside, this.active() !== null) }
      case 'token_usage_record':
        return { time, usage: this.counter.addCall(line, inside, this.active() !== null) }
      case 'session_meta':
        this.counter.addHeader(inside)
        return when
      default:
        return when
    }
  }

  active(): RecordIndex | null {
    return this.chain.tip
  }

  facts(): Facts {
    const { found } = this.agents
    return { ...this.header.facts(), ...(found.size > 0 && { subagents: found }) }
  }

  #item(
    handle: RecordIndex,
    time: number | undefined,
    inside: JsonObject,
    body: Json,
    line?: JsonObject,
  ): Reading {
    const kind = line?.type === 'inter_agent_communication' ? 'inter_agent_communication' : kindOf(inside)
    const native = asString(inside.id)
    this.agents.add(inside, handle)
    const entry = parsedEntry(kind, body, this.chain.extend(handle, partOf(inside)))
    return { entry, time, native }
  }

  #setting(handle: RecordIndex, payload: JsonObject): ParsedEntry | undefined {
    const set = settingBody(payload)
    const [model, thinking] = [asString(set.model), asString(set.effort)]
    const key = settingKey({ model, thinking })
    if (model === undefined || key === this.chain.setting) return undefined
    const parent = this.chain.extend(handle, 'update', key)
    return parsedEntry('turn_context', { type: 'turn_context', payload: set }, parent)
  }

  #rollBack(turns: Json | undefined): void {
    if (typeof turns === 'number') this.chain.rollBack(Math.floor(turns))
  }
}

const settingKey = ({
  model,
  thinking,
}: {
  readonly model?: string | undefined
  readonly thinking?: string | undefined
}): string => JSON.stringify([model, thinking])

const parsedEntry = (kind: string, body: Json, parent: RecordIndex | null): ParsedEntry => ({
  type: `codex/${kind}`,
  body,
  parent,
})
