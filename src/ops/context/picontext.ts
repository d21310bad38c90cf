import {
  type MessageAlone,
  messageAlone,
  type PiContext,
  type PiOrigin,
  piContext,
} from '../../formats/pi/context.ts'
import type { PiContextItem } from '../../formats/pi/makemessages.ts'
import { fullViewOf } from '../../formats/registry.ts'
import type { ContextRules as Rules } from '../../graph/context.ts'
import type { ContextItem, ContextPart } from '../../graph/contextwalk.ts'
import { inOrder } from '../../graph/order.ts'
import type { Json } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import { lookIn, type Reader } from '../../repo/reader.ts'
import type { RecordLocation } from '../../repo/records.ts'
import type { Repo } from '../../repo/repo.ts'
import { type RevisionTarget, resolveTarget } from '../../repo/revision.ts'
import { PathRecords, parentIn } from '../entries.ts'
import { usageBeside } from '../usage.ts'
import { type ContextOptions, gatherAt, type ItemSource, type Shortener } from './context.ts'

/** The versions of pi with different contexts. */
export const PI_VERSIONS = ['1.5', '0.73'] as const

/** Options of a context of pi. */
export interface PiContextOptions extends ContextOptions {
  /** 1.5 by default. Version 0.73 has no context edits, and no system prompts in compactions. */
  readonly version?: (typeof PI_VERSIONS)[number]
}

const RULES: Readonly<Record<(typeof PI_VERSIONS)[number], Rules>> = {
  '1.5': {},
  '0.73': { edits: false, checkpoints: false },
}

/** Returns the context that pi's `buildSessionContext` returns, with times from the session of the revision. */
export async function piContextOf(
  repo: Repo,
  revision: string,
  options: PiContextOptions = {},
): Promise<PiContext> {
  return repo.read(async (reader) => {
    const at = await resolveTarget(reader, revision)
    const origins = new Origins(reader, at)
    try {
      return await piContextAt(reader, at, origins, options)
    } finally {
      await origins.close()
    }
  })
}

/** Returns the context of a resolved revision as pi does; with a shortener, of shorter views. */
export async function piContextAt(
  reader: Reader,
  at: RevisionTarget,
  origins: Origins,
  { version = '1.5', budget }: PiContextOptions,
  shortener?: Shortener,
): Promise<PiContext> {
  // A budget weighs the views of items, so it needs all of them.
  const weighed = budget === undefined ? { itemOf: origins.itemOf } : { budget }
  const gathering = { ...weighed, ...RULES[version], view: fullViewOf, shortener }
  const context = await gatherAt(reader, at, gathering)
  await origins.readAll(context.items)
  return piContext(context, (handle) => origins.at(handle))
}

/** Where an origin is read again: the record of an entry, if it has one, or its body. */
export interface OriginSource {
  readonly handle: EntryHandle
  readonly found: RecordLocation | undefined
}

/** Reads the origins of entries: their records in the session of the revision, else their bodies. */
export class Origins {
  readonly #reader: Reader
  readonly #finder: PathRecords
  readonly #known = new Map<EntryHandle, PiOrigin>()
  readonly #shortValue: (source: OriginSource, value: Json) => Json
  /** The native parent id in the last record that was read. Entries are read from the tip upward. */
  #above: string | undefined

  /** With `shortValue`, the values of origins are those that it returns. */
  constructor(
    reader: Reader,
    { session }: RevisionTarget,
    shortValue = (_: OriginSource, value: Json): Json => value,
  ) {
    this.#reader = reader
    this.#finder = new PathRecords(reader, session, true)
    this.#shortValue = shortValue
  }

  /** Returns the item of a message that pi keeps as it is; of its view only the calls are needed. */
  readonly itemOf: ItemSource = async (node, part) => {
    const origin = await this.#read(node)
    const message = messageAlone(origin)
    if (message) return itemOf(node, part, message)
    this.#known.set(node, origin)
    return undefined
  }

  /** Reads the origins of the items that `itemOf` did not return. */
  async readAll(items: readonly PiContextItem<EntryHandle>[]): Promise<void> {
    const left = items.filter(({ messages }) => messages === undefined)
    const handles = new Set(left.flatMap(({ node, edit }) => (edit === undefined ? [node] : [node, edit])))
    for (const handle of (await inOrder(handles, lookIn(this.#reader))).reverse())
      if (!this.#known.has(handle)) this.#known.set(handle, await this.#read(handle))
  }

  at(handle: EntryHandle): PiOrigin | undefined {
    return this.#known.get(handle)
  }

  async #read(handle: EntryHandle): Promise<PiOrigin> {
    const { type } = await this.#reader.node(handle)
    const above = this.#above
    const newest = await this.#finder.find(handle)
    const isOnPath = above === undefined || newest?.native === above
    const found = isOnPath ? newest : ((await this.#finder.findAbove(handle, above)) ?? newest)
    this.#above = undefined
    // For other dialects only the time and the usage matter.
    if (!type.startsWith('pi/')) {
      const usage = await usageBeside(this.#reader, type, found)
      return { ...originAs(type, null, found?.time), ...(usage && { usage }) }
    }
    const stored = found && (await this.#finder.valueAt(found))
    this.#above = parentIn(stored)
    const source: OriginSource = { handle, found: stored === undefined ? undefined : found }
    const value = stored === undefined ? await this.#reader.body(handle) : stored
    return originAs(type, this.#shortValue(source, value), found?.time)
  }

  /** Reads the value of an origin again. */
  async value({ handle, found }: OriginSource): Promise<Json> {
    return (found && (await this.#finder.valueAt(found))) ?? this.#reader.body(handle)
  }

  close(): Promise<void> {
    return this.#finder.close()
  }
}

const originAs = (type: string, value: Json, time: number | undefined): PiOrigin =>
  time === undefined ? { type, value } : { type, value, time }

const itemOf = (
  node: EntryHandle,
  part: ContextPart,
  { view, messages }: MessageAlone,
): ContextItem<EntryHandle> & Pick<PiContextItem<EntryHandle>, 'messages'> => ({ node, part, view, messages })
