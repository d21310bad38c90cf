import { viewOf } from '../formats/registry.ts'
import { inOrder } from '../graph/graph.ts'
import { path } from '../graph/walk.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Reader } from '../repo/reader.ts'
import { allSessions, type Session } from '../repo/session.ts'
import { forth, isTool, takenFrom, tipBeyond } from './log/surroundings.ts'

/** The ids of an entry's tool calls, and of the calls that its results answer. */
export interface Tools {
  readonly calls: readonly string[]
  readonly results: readonly string[]
}

/** Returns the tools of entries, each of which is read once. */
export class ToolReader {
  readonly #reader: Reader
  readonly #known = new Map<EntryHandle, Tools>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Returns the tools of an entry. */
  async of(handle: EntryHandle): Promise<Tools> {
    const known = this.#known.get(handle)
    if (known) return known
    const { type } = await this.#reader.node(handle)
    const blocks = viewOf(type, await this.#reader.body(handle)).blocks.filter(isTool)
    const ids = (kind: string): string[] => blocks.flatMap((block) => (block.kind === kind ? [block.id] : []))
    const tools = blocks.length === 0 ? NO_TOOLS : { calls: ids('toolCall'), results: ids('toolResult') }
    this.#known.set(handle, tools)
    return tools
  }
}

const NO_TOOLS: Tools = { calls: [], results: [] }

/** A call or a result whose other side is looked for. */
interface Open {
  readonly handle: EntryHandle
  readonly id: string
}

/**
 * Returns entries of a path, in its order, with those that belong to them: a tool call brings its result, a result its
 * call, and what was called or answered between the two comes along, so that parallel calls stay together. The two are
 * looked for at most 64 entries apart; what follows an entry, on the paths of a session that holds it.
 */
export async function withExchanges(
  reader: Reader,
  picked: readonly EntryHandle[],
  session: Session | undefined,
): Promise<EntryHandle[]> {
  const tools = new ToolReader(reader)
  const handles = new Set(picked)
  const tried = new Set<string>()
  for (let grows = true; grows; ) {
    grows = false
    const { calls, results } = await unpaired(tools, await inOrder(handles, (handle) => reader.node(handle)))
    for (const [kind, open] of [['results', calls] as const, ['calls', results] as const])
      for (const { handle, id } of open) {
        if (tried.has(`${kind} ${handle} ${id}`)) continue
        tried.add(`${kind} ${handle} ${id}`)
        const near = kind === 'calls' ? await before(reader, handle) : await behind(reader, handle, session)
        for (const other of await upTo(tools, near, kind, id)) {
          grows ||= !handles.has(other)
          handles.add(other)
        }
      }
  }
  return inOrder(handles, (handle) => reader.node(handle))
}

/** Returns the calls of some entries in path order that none of them answers, and the results without a call. */
async function unpaired(
  tools: ToolReader,
  handles: readonly EntryHandle[],
): Promise<{ readonly calls: Open[]; readonly results: Open[] }> {
  const calls = new Map<string, Open>()
  const results: Open[] = []
  for (const handle of handles) {
    const own = await tools.of(handle)
    for (const id of own.calls) calls.set(id, { handle, id })
    for (const id of own.results) if (!calls.delete(id)) results.push({ handle, id })
  }
  return { calls: [...calls.values()], results }
}

const before = (reader: Reader, handle: EntryHandle): Promise<EntryHandle[]> =>
  takenFrom(path(handle, (node) => reader.node(node)))

async function behind(
  reader: Reader,
  handle: EntryHandle,
  session: Session | undefined,
): Promise<EntryHandle[]> {
  const tip = (session && (await tipBeyond(reader, handle, session))) ?? (await tipOfAny(reader, handle))
  return tip === undefined ? [] : takenFrom(forth(reader, handle, tip))
}

/** Returns the tip of a path of any session that an entry lies on. */
async function tipOfAny(reader: Reader, handle: EntryHandle): Promise<EntryHandle | undefined> {
  for await (const session of allSessions(reader)) {
    const tip = await tipBeyond(reader, handle, session)
    if (tip !== undefined) return tip
  }
  return undefined
}

/** Returns the nearest entry with a call or a result of an id, and all that call or answer on the way; none without it. */
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
