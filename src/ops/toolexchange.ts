import { inOrder } from '../graph/order.ts'
import { ancestor, path } from '../graph/walk.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Block } from '../model/view.ts'
import { lookIn, type Reader } from '../repo/reader.ts'
import { allTrunks, readableTip, type SessionTrunk } from '../repo/session.ts'
import { viewAt } from './entries.ts'

/** A tool call or a result. */
export type ToolBlock = Block & { readonly kind: 'toolCall' | 'toolResult' }

/** Returns whether a block is a tool call or a result. */
export const isTool = (block: Block): block is ToolBlock =>
  block.kind === 'toolCall' || block.kind === 'toolResult'

/** A call and its result are matched if they are at most this many entries apart. */
const MAX_DISTANCE = 64

/** Returns the nearest ancestors of an entry along first parents, the nearest first. */
export const precedingEntries = (reader: Reader, handle: EntryHandle): Promise<EntryHandle[]> =>
  withoutFirst(path(handle, lookIn(reader)))

/** Returns the nearest entries after an entry on the path to a tip, the nearest first. */
export async function followingEntries(
  reader: Reader,
  handle: EntryHandle,
  tip: EntryHandle | undefined,
): Promise<EntryHandle[]> {
  return tip === undefined ? [] : withoutFirst(pathForward(reader, handle, tip))
}

async function withoutFirst(handles: AsyncIterable<EntryHandle>): Promise<EntryHandle[]> {
  const taken: EntryHandle[] = []
  for await (const handle of handles) if (taken.push(handle) > MAX_DISTANCE) break
  return taken.slice(1)
}

/** Yields an entry and those that follow it on the path to a tip. */
async function* pathForward(
  reader: Reader,
  handle: EntryHandle,
  tip: EntryHandle,
): AsyncGenerator<EntryHandle> {
  const { depth } = await reader.node(handle)
  for (let steps = (await reader.node(tip)).depth - depth; steps >= 0; steps--)
    yield (await ancestor(tip, steps, lookIn(reader))) as EntryHandle
}

/**
 * Returns the tip of a path of a session on which an entry has successors: that of its HEAD, else of a branch. Of very many
 * branches it looks at some: see `SessionTrunk`.
 */
export async function tipBeyond(
  reader: Reader,
  handle: EntryHandle,
  session: SessionTrunk,
): Promise<EntryHandle | undefined> {
  const head = readableTip(session)
  const current = head === undefined ? undefined : await reader.find(head)
  if (current !== undefined && (await isBeyond(reader, current, handle))) return current
  const tips = await reader.findMany(session.someBranches.values())
  for (const oid of session.someBranches.values()) {
    const tip = tips.get(oid)
    if (tip !== undefined && (await isBeyond(reader, tip, handle))) return tip
  }
  return undefined
}

/** Returns whether an entry comes after another one on its path. */
async function isBeyond(reader: Reader, tip: EntryHandle, handle: EntryHandle): Promise<boolean> {
  const [newer, older] = [await reader.node(tip), await reader.node(handle)]
  const steps = newer.depth - older.depth
  if (steps <= 0 || newer.order <= older.order) return false
  return (await ancestor(tip, steps, lookIn(reader))) === handle
}

/** Returns such a tip of a session, else of any session. */
async function tipAfter(
  reader: Reader,
  handle: EntryHandle,
  session: SessionTrunk | undefined,
): Promise<EntryHandle | undefined> {
  const own = session && (await tipBeyond(reader, handle, session))
  if (own !== undefined) return own
  for await (const other of allTrunks(reader)) {
    const tip = await tipBeyond(reader, handle, other)
    if (tip !== undefined) return tip
  }
  return undefined
}

/** The ids of an entry's tool calls, and of the calls that its results answer. */
export interface Tools {
  readonly calls: readonly string[]
  readonly results: readonly string[]
}

/** Reads the tool calls and results of entries, each entry once. */
export class ToolReader {
  readonly #reader: Reader
  readonly #known = new Map<EntryHandle, Tools>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  async of(handle: EntryHandle): Promise<Tools> {
    const known = this.#known.get(handle)
    if (known) return known
    const blocks = (await viewAt(this.#reader, handle)).blocks.filter(isTool)
    const ids = (kind: string): string[] => blocks.flatMap((block) => (block.kind === kind ? [block.id] : []))
    const tools = blocks.length === 0 ? NO_TOOLS : { calls: ids('toolCall'), results: ids('toolResult') }
    this.#known.set(handle, tools)
    return tools
  }
}

const NO_TOOLS: Tools = { calls: [], results: [] }

/** A call or a result whose counterpart is missing. */
interface Unpaired {
  readonly handle: EntryHandle
  readonly id: string
}

/**
 * Returns entries of a path, in its order, with the entries that belong to them: a tool call brings its result, a result its
 * call, and calls and results between the two come too, so that parallel calls stay together. Counterparts are searched
 * within 64 entries; those after an entry on the paths of a session that holds it.
 */
export async function withExchanges(
  reader: Reader,
  picked: readonly EntryHandle[],
  session: SessionTrunk | undefined,
): Promise<EntryHandle[]> {
  const tools = new ToolReader(reader)
  const handles = new Set(picked)
  const tried = new Set<string>()
  for (let grows = true; grows; ) {
    grows = false
    const { calls, results } = await unpaired(tools, await inOrder(handles, lookIn(reader)))
    for (const [kind, open] of [['results', calls] as const, ['calls', results] as const])
      for (const { handle, id } of open) {
        if (tried.has(`${kind} ${handle} ${id}`)) continue
        tried.add(`${kind} ${handle} ${id}`)
        const near =
          kind === 'calls'
            ? await precedingEntries(reader, handle)
            : await followingEntries(reader, handle, await tipAfter(reader, handle, session))
        for (const other of await upTo(tools, near, kind, id)) {
          grows ||= !handles.has(other)
          handles.add(other)
        }
      }
  }
  return inOrder(handles, lookIn(reader))
}

/** Returns the calls without a result and the results without a call, among entries in path order. */
async function unpaired(
  tools: ToolReader,
  handles: readonly EntryHandle[],
): Promise<{ readonly calls: Unpaired[]; readonly results: Unpaired[] }> {
  const calls = new Map<string, Unpaired>()
  const results: Unpaired[] = []
  for (const handle of handles) {
    const own = await tools.of(handle)
    for (const id of own.calls) calls.set(id, { handle, id })
    for (const id of own.results) if (!calls.delete(id)) results.push({ handle, id })
  }
  return { calls: [...calls.values()], results }
}

/** Returns the nearest entry with a call or result of an id, and all entries with tools before it; none without it. */
async function upTo(
  tools: ToolReader,
  handles: readonly EntryHandle[],
  kind: keyof Tools,
  id: string,
): Promise<EntryHandle[]> {
  const passed: EntryHandle[] = []
  for (const handle of handles) {
    const own = await tools.of(handle)
    if (own.calls.length > 0 || own.results.length > 0) passed.push(handle)
    if (own[kind].includes(id)) return passed
  }
  return []
}
