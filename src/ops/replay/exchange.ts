import { viewOf } from '../../formats/registry.ts'
import { path } from '../../graph/walk.ts'
import type { Backend, Row } from '../../repo/backend.ts'
import { allSessions, type Session } from '../../repo/session.ts'
import { forth, isTool, takenFrom, tipBeyond } from '../log/surroundings.ts'

/** The ids of an entry's tool calls, and of the calls that its results answer. */
export interface Tools {
  readonly calls: readonly string[]
  readonly results: readonly string[]
}

/** Gives the tools of entries, each of which is read once. */
export class ToolReader {
  readonly #backend: Backend
  readonly #known = new Map<Row, Tools>()

  constructor(backend: Backend) {
    this.#backend = backend
  }

  /** Gives the tools of an entry. */
  async of(row: Row): Promise<Tools> {
    const known = this.#known.get(row)
    if (known) return known
    const { type } = await this.#backend.node(row)
    const blocks = viewOf(type, await this.#backend.body(row)).blocks.filter(isTool)
    const ids = (kind: string): string[] => blocks.flatMap((block) => (block.kind === kind ? [block.id] : []))
    const tools = blocks.length === 0 ? NO_TOOLS : { calls: ids('toolCall'), results: ids('toolResult') }
    this.#known.set(row, tools)
    return tools
  }
}

const NO_TOOLS: Tools = { calls: [], results: [] }

/** A call or a result whose other side is looked for. */
interface Open {
  readonly row: Row
  readonly id: string
}

/**
 * Gives entries of a path, in its order, with those that belong to them: a tool call brings its result, a result its
 * call, and what was called or answered between the two comes along, so that parallel calls stay together. The two are
 * looked for at most 64 entries apart; what follows an entry, on the paths of a session that holds it.
 */
export async function withExchanges(
  backend: Backend,
  picked: readonly Row[],
  session: Session | undefined,
): Promise<Row[]> {
  const tools = new ToolReader(backend)
  const rows = new Set(picked)
  const tried = new Set<string>()
  for (let grows = true; grows; ) {
    grows = false
    const { calls, results } = await unpaired(tools, ascending(rows))
    for (const [kind, open] of [['results', calls] as const, ['calls', results] as const])
      for (const { row, id } of open) {
        if (tried.has(`${kind} ${row} ${id}`)) continue
        tried.add(`${kind} ${row} ${id}`)
        const near = kind === 'calls' ? await before(backend, row) : await behind(backend, row, session)
        for (const other of await upTo(tools, near, kind, id)) {
          grows ||= !rows.has(other)
          rows.add(other)
        }
      }
  }
  return ascending(rows)
}

/** The parents of an entry have smaller rows: on one path that is its order. */
const ascending = (rows: ReadonlySet<Row>): Row[] => [...rows].sort((a, b) => a - b)

/** Gives the calls of some entries in path order that none of them answers, and the results without a call. */
async function unpaired(
  tools: ToolReader,
  rows: readonly Row[],
): Promise<{ readonly calls: Open[]; readonly results: Open[] }> {
  const calls = new Map<string, Open>()
  const results: Open[] = []
  for (const row of rows) {
    const own = await tools.of(row)
    for (const id of own.calls) calls.set(id, { row, id })
    for (const id of own.results) if (!calls.delete(id)) results.push({ row, id })
  }
  return { calls: [...calls.values()], results }
}

const before = (backend: Backend, row: Row): Promise<Row[]> =>
  takenFrom(path(row, (node) => backend.node(node)))

async function behind(backend: Backend, row: Row, session: Session | undefined): Promise<Row[]> {
  const tip = (session && (await tipBeyond(backend, row, session))) ?? (await tipOfAny(backend, row))
  return tip === undefined ? [] : takenFrom(forth(backend, row, tip))
}

/** Gives the tip of a path of any session that an entry lies on. */
async function tipOfAny(backend: Backend, row: Row): Promise<Row | undefined> {
  for await (const session of allSessions(backend)) {
    const tip = await tipBeyond(backend, row, session)
    if (tip !== undefined) return tip
  }
  return undefined
}

/** Gives the nearest entry with a call or a result of an id, and all that call or answer on the way; none without it. */
async function upTo(tools: ToolReader, rows: readonly Row[], kind: keyof Tools, id: string): Promise<Row[]> {
  const passed: Row[] = []
  for (const row of rows) {
    const own = await tools.of(row)
    if (own.calls.length > 0 || own.results.length > 0) passed.push(row)
    if (own[kind].includes(id)) return passed
  }
  return []
}
