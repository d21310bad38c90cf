import type { PiContextItem } from '../../formats/pi/foreign.ts'
import {
  type MessageAlone,
  messageAlone,
  type PiContext,
  type PiOrigin,
  piContext,
} from '../../formats/pi/messages.ts'
import { fullViewOf, viewOf } from '../../formats/registry.ts'
import type { ContextRules as Rules } from '../../graph/context.ts'
import type { ContextItem, ContextPart } from '../../graph/contextwalk.ts'
import { inOrder } from '../../graph/order.ts'
import type { Json } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Reader } from '../../repo/reader.ts'
import { valueAt } from '../../repo/records.ts'
import type { Repo } from '../../repo/repo.ts'
import { type RevisionTarget, resolveTarget } from '../../repo/revision.ts'
import { PathRecords, parentIn, usageRecord } from '../entries.ts'
import { type ContextOptions, gatherAt, type ItemSource } from './context.ts'

/** The versions of pi whose contexts differ. */
export const PI_VERSIONS = ['1.5', '0.73'] as const

/** How a context of pi is made. */
export interface PiContextOptions extends ContextOptions {
  /** Of pi 1.5 unless said. 0.73 knew no edits of its context, and no system prompt that a compaction carries. */
  readonly version?: (typeof PI_VERSIONS)[number]
}

const RULES: Readonly<Record<(typeof PI_VERSIONS)[number], Rules>> = {
  '1.5': {},
  '0.73': { edits: false, checkpoints: false },
}

/** Returns the context that pi's own `buildSessionContext` returns, with times from the session of the revision. */
export async function piContextOf(
  repo: Repo,
  revision: string,
  { version = '1.5', ...options }: PiContextOptions = {},
): Promise<PiContext> {
  return repo.read(async (reader) => {
    const at = await resolveTarget(reader, revision, repo.env.cwd)
    const origins = new Origins(reader, at)
    try {
      // A budget weighs what items mean, so that all of them are kept.
      const told = options.budget === undefined ? { told: origins.told } : {}
      const gathering = { ...options, ...RULES[version], view: fullViewOf, ...told }
      const context = await gatherAt(reader, at, gathering)
      await origins.readAll(context.items)
      return piContext(context, (handle) => origins.at(handle))
    } finally {
      await origins.close()
    }
  })
}

/** The origins of the entries of a context: their records in the session of the revision, else their bodies. */
class Origins {
  readonly #reader: Reader
  readonly #finder: PathRecords
  readonly #known = new Map<EntryHandle, PiOrigin>()
  /** The native id that the record read last names as its parent: entries are read from the tip upward. */
  #above: string | undefined

  constructor(reader: Reader, { session }: RevisionTarget) {
    this.#reader = reader
    this.#finder = new PathRecords(reader, session, true)
  }

  /** Returns the item of a message of pi that is kept as it is: of its view only the calls are needed. */
  readonly told: ItemSource = async (node, part) => {
    const origin = await this.#read(node)
    const message = messageAlone(origin)
    if (message) return itemOf(node, part, message)
    this.#known.set(node, origin)
    return undefined
  }

  /** Reads the origins of the items that `told` did not return. */
  async readAll(items: readonly PiContextItem<EntryHandle>[]): Promise<void> {
    const left = items.filter(({ messages }) => messages === undefined)
    const handles = new Set(left.flatMap(({ node, edit }) => (edit === undefined ? [node] : [node, edit])))
    for (const handle of (await inOrder(handles, (one) => this.#reader.node(one))).reverse())
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
    // Of other dialects only the time and the usage count.
    if (!type.startsWith('pi/')) {
      const record = await usageRecord(this.#reader, type, found)
      const usage = record === undefined ? undefined : viewOf(type, null, record).usage
      return { ...originAs(type, null, found?.time), ...(usage && { usage }) }
    }
    const value = found && (await valueAt(this.#reader, found))
    this.#above = parentIn(value)
    return originAs(type, value === undefined ? await this.#reader.body(handle) : value, found?.time)
  }

  /** Ends the reading. */
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
