import { isWithin } from '../model/folder.ts'
import { shortLengths } from '../model/shortid.ts'
import type { CellKey, Cells, ListTable } from '../repo/list/listcells.ts'
import { type Listed, listed } from '../repo/list/listed.ts'
import type { Repo } from '../repo/repo.ts'
import { parseWhere } from './where.ts'

export { type Listed, listed }

/** What sessions are ordered by: the largest and the newest come first. */
export const ORDERS = ['updated', 'created', 'entries', 'tokens', 'cost'] as const

export type Order = (typeof ORDERS)[number]

/** Which sessions are listed, and in what order. */
export interface ListOptions {
  /** Those of this folder and of the folders below it. */
  readonly cwd?: string
  /** Those of this agent: the name of a format or its dialect. */
  readonly agent?: string
  /** Those that were last added to at this time or later, and before this time, in milliseconds since 1970. */
  readonly since?: number
  readonly until?: number
  /** Those for which all of these hold: `key=value`, `key!=value`, `key`. */
  readonly where?: readonly string[]
  /** Those that have a label of this name. */
  readonly label?: string
  /** `updated` unless said. */
  readonly sort?: Order
  /** At most so many, the first ones. */
  readonly limit?: number
  /** The last of these first. */
  readonly reverse?: boolean
}

/** A list of sessions: of what is known of them no more is made than is asked for. */
export class Listing {
  readonly #table: ListTable
  readonly #ids: Ids
  readonly #shown: readonly number[]

  constructor(table: ListTable, ids: Ids, shown: readonly number[]) {
    this.#table = table
    this.#ids = ids
    this.#shown = shown
  }

  /** How many it has. */
  get count(): number {
    return this.#shown.length
  }

  /** How many sessions the store has. */
  get stored(): number {
    return this.#table.count
  }

  /** Gives what is made of that which each has under a key, in the order of the list. */
  map<K extends CellKey, T>(key: K, make: (cell: Cells[K]) => T): T[] {
    const cells = this.#table.column(key)
    return this.#shown.map((i) => make(cells[i] as Cells[K]))
  }

  /** Gives of each the shortest beginning of its id, of 8 characters or more, that names it alone in the store. */
  short(): string[] {
    const [ids, lengths] = [this.#table.column('id'), this.#ids.lengths()]
    return this.#shown.map((i) => (ids[i] as string).slice(0, lengths[i]))
  }

  /** Gives all that is known of them, one after the other. */
  *rows(): Generator<Listed> {
    for (const i of this.#shown) yield this.#table.row(i)
  }
}

/** Ids and the order in which they stand. */
class Ids {
  readonly #ids: readonly string[]
  readonly #sorted: readonly number[]
  /** Where each stands among all. */
  readonly places: Uint32Array

  constructor(ids: readonly string[]) {
    this.#ids = ids
    this.#sorted = upTo(ids.length).sort((a, b) => ((ids[a] as string) < (ids[b] as string) ? -1 : 1))
    this.places = new Uint32Array(ids.length)
    for (let place = 0; place < ids.length; place++) this.places[this.#sorted[place] as number] = place
  }

  /** Gives how long the beginning of each is that names it alone. */
  lengths(): Uint32Array {
    return shortLengths(this.#ids, this.#sorted)
  }
}

/** Gives the numbers from 0 to below another. */
function upTo(count: number): number[] {
  const all: number[] = []
  for (let i = 0; i < count; i++) all.push(i)
  return all
}

/** Gives sessions, the one that was added to last first. Reads no bodies. Throws `bad-usage` for a bad condition. */
export async function listSessions(repo: Repo, options: ListOptions = {}): Promise<Listing> {
  const testsOf = await wantedBy(options)
  const table = await repo.lists.read(repo)
  const ids = new Ids(table.column('id'))
  const tests = testsOf.map((testOf) => testOf(table))
  const shown = tests.reduce((left, holds) => left.filter(holds), upTo(table.count))
  const ranks = table.column(options.sort ?? 'updated')
  const unknown = RANKLESS[options.sort ?? 'updated']
  const { places } = ids
  shown.sort(
    (a, b) => (ranks[b] ?? unknown) - (ranks[a] ?? unknown) || (places[a] as number) - (places[b] as number),
  )
  const first = shown.slice(0, options.limit)
  return new Listing(table, ids, options.reverse ? first.reverse() : first)
}

/** What stands for a time that is not known: before all others. */
const LEAST = -Number.MAX_VALUE

/** What stands for what is not known of a session where sessions are ordered by it. */
const RANKLESS: Readonly<Record<Order, number>> = {
  updated: LEAST,
  created: LEAST,
  entries: 0,
  tokens: 0,
  cost: 0,
}

/** Tells of each row of a table whether it is wanted. */
type Test = (table: ListTable) => (index: number) => boolean

async function wantedBy({
  cwd,
  agent,
  since,
  until,
  where = [],
  label,
}: ListOptions): Promise<readonly Test[]> {
  const tests: Test[] = where.map((text) => {
    const { holds } = parseWhere(text)
    return (table) => (i) => holds(table.row(i))
  })
  const add = <K extends CellKey>(key: K, holds: (cell: Cells[K]) => boolean): void => {
    tests.push((table) => {
      const cells = table.column(key)
      return (i) => holds(cells[i] as Cells[K])
    })
  }
  if (cwd !== undefined) add('cwd', (folder) => folder !== null && isWithin(folder, cwd))
  if (agent !== undefined) {
    // All readers come with it, which most lists do not need.
    const { formatNamed } = await import('../formats/registry.ts')
    add('format', (format) => format === agent || formatNamed(format)?.dialect === agent)
  }
  if (since !== undefined) add('updated', (time) => (time ?? LEAST) >= since)
  if (until !== undefined) add('updated', (time) => (time ?? LEAST) < until)
  if (label !== undefined) add('labels', (names) => names.includes(label))
  return tests
}
