import { isUsageInRecord, parseUnit, viewOf } from '../formats/registry.ts'
import { type Awaitable, collected } from '../model/async.ts'
import { joined } from '../model/bytes.ts'
import type { Json } from '../model/json.ts'
import { type EntryHandle, NEAR } from '../model/node.ts'
import { addCounts, type CallUsage, isCounted, ModelCalls } from '../model/usage.ts'
import { OPAQUE, roleOf, SETS_MODEL, type Usage, type UsageCounts, type View } from '../model/view.ts'
import type { Reader } from '../repo/reader.ts'
import { bytesOfRecord, type RecordLocation, readRecord, valueOf } from '../repo/records.ts'

/**
 * Returns the meaning of an entry with the whole usage that its session knows of it: what its body holds, what its record
 * holds, and what later records report for it.
 */
export async function viewWithUsage(
  reader: Reader,
  handle: EntryHandle,
  found: RecordLocation | undefined,
): Promise<View> {
  const { type } = await reader.node(handle)
  const record = await usageRecord(reader, type, found)
  return withReported(viewOf(type, await reader.body(handle), record), found?.usage)
}

/**
 * Returns the value of the record of an entry whose type keeps usage there. Of a record that is kept as bytes, because its
 * value does not give these back, the bytes are parsed again.
 */
export async function usageRecord(
  reader: Reader,
  type: string,
  found: RecordLocation | undefined,
): Promise<Json | undefined> {
  if (!found || !isUsageInRecord(type)) return undefined
  const record = await readRecord(reader, found.log, found.position)
  if (!('raw' in record.content)) return valueOf(reader, record)
  return parseUnit(type, joined(await collected(bytesOfRecord(reader, record))))
}

/** Returns a view with the usage that later records report for its entry. */
export const withReported = (view: View, reported: UsageCounts | undefined): View =>
  reported ? { ...view, usage: { ...view.usage, ...addCounts(view.usage ?? {}, reported) } } : view

/** Finds the models by which entries were written that do not name theirs. */
export class PathModels {
  readonly #reader: Pick<Reader, 'node' | 'body'>
  /** By the entries that set them. */
  readonly #known = new Map<EntryHandle, string>()

  constructor(reader: Pick<Reader, 'node' | 'body'>) {
    this.#reader = reader
  }

  /** Returns the model that an entry sets, or else the nearest of its ancestors; empty if none does. */
  async at(handle: EntryHandle | undefined): Promise<string> {
    if (handle === undefined) return ''
    const { near } = await this.#reader.node(handle)
    const setter = near[NEAR.indexOf(SETS_MODEL)]
    if (setter === undefined) return ''
    const known = this.#known.get(setter)
    if (known !== undefined) return known
    const { type } = await this.#reader.node(setter)
    const model = viewOf(type, await this.#reader.body(setter)).sets?.model?.id ?? ''
    this.#known.set(setter, model)
    return model
  }

  /** Returns the model by which an entry with a view was written. */
  async of(handle: EntryHandle, { sets }: View): Promise<string> {
    return sets?.model?.id ?? this.at(handle)
  }
}

/** Returns the usage of an entry that its body does not hold. */
export async function usageBeside(
  reader: Reader,
  type: string,
  found: RecordLocation | undefined,
): Promise<Usage | undefined> {
  const record = await usageRecord(reader, type, found)
  return withReported(record === undefined ? OPAQUE : viewOf(type, null, record), found?.usage).usage
}

type FindRecord = (handle: EntryHandle) => Awaitable<RecordLocation | undefined>

/** Finds records by a function that finds each once, also before their turn. */
export class RecordsAhead {
  readonly #find: FindRecord
  readonly #ahead = new Map<EntryHandle, RecordLocation | undefined>()

  constructor(find: FindRecord) {
    this.#find = find
  }

  /** Returns the record of an entry. Must be called once per entry. */
  async find(handle: EntryHandle): Promise<RecordLocation | undefined> {
    const found = this.#ahead.has(handle) ? this.#ahead.get(handle) : await this.#find(handle)
    this.#ahead.delete(handle)
    return found
  }

  /** Returns the record of an entry before its turn. */
  readonly peek = async (handle: EntryHandle): Promise<RecordLocation | undefined> => {
    if (!this.#ahead.has(handle)) this.#ahead.set(handle, await this.#find(handle))
    return this.#ahead.get(handle)
  }
}

/** Usage of entries that belong to named model calls, with the models of these. */
export type CallsBefore = readonly (readonly [usage: Usage, model: string])[]

/** The number of entries before one among which others of its model call are looked for. */
const NEAR_CALL = 64

/** The number of entries whose calls are remembered. */
const REMEMBERED = 4096

/** Finds what entries add to the usage of their model calls, which entries before them on their path may repeat. */
export class AddedUsage {
  readonly #reader: Reader
  readonly #find: FindRecord
  readonly #models: PathModels
  /** The names of the model calls of entries. */
  readonly #calls = new Map<EntryHandle, string | undefined>()

  /** `find` returns the records of entries, of each as often as it is asked. */
  constructor(reader: Reader, find: FindRecord) {
    this.#reader = reader
    this.#find = find
    this.#models = new PathModels(reader)
  }

  /** Returns what an entry adds, by its view with its usage; undefined if it has none. */
  async of(handle: EntryHandle, view: View): Promise<CallUsage | undefined> {
    if (view.usage === undefined || !isCounted(view.usage)) return undefined
    const { call, ...counts } = view.usage
    const model = await this.#models.of(handle, view)
    const calls = new ModelCalls()
    const [parent] = (await this.#reader.node(handle)).parents
    if (call !== undefined)
      for await (const usage of this.#usagesBefore(parent, call)) calls.add(usage, model)
    return calls.add({ ...counts, ...(call !== undefined && { call }) }, model)
  }

  /** Returns the usage of the nearest entries up to one that belong to named model calls, with the models of these. */
  async callsUpTo(handle: EntryHandle | undefined): Promise<CallsBefore> {
    const found: [usage: Usage, model: string][] = []
    for await (const at of this.#near(handle)) {
      if ((await this.#callOf(at)) === undefined) continue
      const view = await viewWithUsage(this.#reader, at, await this.#find(at))
      if (view.usage) found.push([view.usage, await this.#models.of(at, view)])
    }
    return found
  }

  /** Yields the usage of a model call in the nearest entries up to one. */
  async *#usagesBefore(handle: EntryHandle | undefined, call: string): AsyncGenerator<Usage> {
    for await (const at of this.#near(handle)) {
      if ((await this.#callOf(at)) !== call) continue
      const { usage } = await viewWithUsage(this.#reader, at, await this.#find(at))
      if (usage) yield usage
    }
  }

  /** Yields the nearest entries up to one, the newest first. */
  async *#near(handle: EntryHandle | undefined): AsyncGenerator<EntryHandle> {
    let at = handle
    for (let steps = 0; at !== undefined && steps < NEAR_CALL; steps++) {
      yield at
      at = (await this.#reader.node(at)).parents[0]
    }
  }

  /** Returns the name of the model call of an entry; undefined without one. */
  async #callOf(handle: EntryHandle): Promise<string | undefined> {
    if (this.#calls.has(handle)) return this.#calls.get(handle)
    const { type, traits } = await this.#reader.node(handle)
    // Only answers come in several entries.
    const isAnswer = roleOf(traits) === 'assistant'
    const call = isAnswer ? viewOf(type, await this.#reader.body(handle)).usage?.call : undefined
    if (this.#calls.size >= REMEMBERED) this.#calls.clear()
    this.#calls.set(handle, call)
    return call
  }
}
