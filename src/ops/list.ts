import { SessError } from '../model/errors.ts'
import { isOfProject, isWithin } from '../model/paths.ts'
import { type PriceOf, pricesWith } from '../model/prices.ts'
import { shortLengths } from '../model/shortid.ts'
import { computeCost } from '../model/usage.ts'
import { type Columns, FIELDS, type ListCells, type ListField, rowAt } from '../repo/listcolumns.ts'
import { type Listed, listed } from '../repo/listedsession.ts'
import type { Repo } from '../repo/repo.ts'
import { getTrunk } from '../repo/session.ts'
import { parseCondition, placesOf } from './listcondition.ts'
import { type Cursor, decodeCursor, encodeCursor } from './rows/cursor.ts'
import { cutPage, type Page, pageOf, pageQuery, type Side } from './rows/page.ts'

export { type Listed, type ListField, listed }

/** The fields that sessions can be sorted by, the largest or newest first. */
export const ORDERS = ['updated', 'created', 'entries', 'tokens', 'cost'] as const

export type Order = (typeof ORDERS)[number]

/** Options of a list of sessions. */
export interface ListOptions {
  /** Only sessions of this folder or of folders below it. */
  readonly cwd?: string
  /** Only sessions with this text in the path of a folder or in the name of a repository that they worked in. */
  readonly project?: string
  /** Only sessions of this agent: the name of a format or its dialect. */
  readonly agent?: string
  /** Only sessions that were last updated at or after this time, and before this time, in milliseconds since 1970. */
  readonly since?: number
  readonly until?: number
  /** Only sessions that meet all of these conditions: `key=value`, `key!=value`, `key`. */
  readonly where?: readonly string[]
  /** Only sessions that have a label with this name. */
  readonly label?: string
  /** `updated` by default. */
  readonly sort?: Order
  /** The maximum number of sessions. */
  readonly limit?: number
  /** Only the first sessions after the row with a cursor, or the last ones before it. */
  readonly after?: Cursor
  readonly before?: Cursor
  /** Reverse the order of the listed sessions. */
  readonly reverse?: boolean
  /** The prices of models, for costs that no agent records; by default those of the built-in table. */
  readonly priceOf?: PriceOf
}

/** A session in a list. */
export interface ListedSession extends Listed {
  /** Whether its cost is computed by list prices, because its agent does not record it. */
  readonly costComputed: boolean
}

/** A row of a list. */
export interface ListedRow extends ListedSession {
  /** The id of a session that goes on in it, or null. */
  readonly continues: string | null
  /** The repository that it worked in, else its folder; null where neither is known. */
  readonly project: string | null
  /** Whether it grew in the last 60 seconds. */
  readonly live: boolean
}

/** A session that grew within so many milliseconds is live. */
const LIVE = 60_000

/**
 * Returns whether a session that was updated at a time is live. Of one without times only the import is known, at which it
 * was created: nothing tells that it grew.
 */
const isLive = (updated: number | null, created: number | null, now: number): boolean =>
  updated !== null && updated !== created && Math.abs(now - updated) < LIVE

/** A list of sessions, by columns and by rows. */
export class Listing<F extends ListField = ListField> {
  readonly #columns: Columns<F | 'id'>
  readonly #ids: Ids
  readonly #shown: readonly number[]
  readonly #computed: ReadonlySet<number>
  readonly #cursorOf: (index: number) => Cursor
  /** The cursors with which it goes on, as of a page. */
  readonly next: Cursor | null
  readonly before: Cursor | null
  readonly #now: () => number

  constructor(
    columns: Columns<F | 'id'>,
    ids: Ids,
    {
      page: { items, next, before },
      cursorOf,
      computed,
      now,
    }: {
      readonly page: Page<Indexed>
      readonly cursorOf: (index: number) => Cursor
      readonly computed: ReadonlySet<number>
      readonly now: () => number
    },
  ) {
    this.#columns = columns
    this.#ids = ids
    this.#shown = items.map(({ index }) => index)
    this.#computed = computed
    this.#cursorOf = cursorOf
    this.next = next
    this.before = before
    this.#now = now
  }

  /** The number of listed sessions. */
  get count(): number {
    return this.#shown.length
  }

  /** The number of sessions in the store. */
  get stored(): number {
    return this.#columns.id.length
  }

  /** Maps a field of each session, in the order of the list. */
  map<K extends F | 'id', T>(field: K, make: (cell: ListCells[K]) => T): T[] {
    const cells: readonly ListCells[K][] = this.#columns[field]
    return this.#shown.map((i) => make(cells[i] as ListCells[K]))
  }

  /** Returns for each session, in the order of the list, whether its cost is computed by list prices. */
  costComputed(): boolean[] {
    return this.#shown.map((i) => this.#computed.has(i))
  }

  /** Returns for each session, in the order of the list, whether it grew in the last 60 seconds. */
  live(this: Listing<'created' | 'updated'>): boolean[] {
    const now = this.#now()
    const created = this.map('created', (time) => time)
    return this.map('updated', (time) => time).map((time, i) => isLive(time, created[i] ?? null, now))
  }

  /** Returns for each session, in the order of the list, the repository that it worked in, else its folder. */
  projects(this: Listing<'git' | 'cwd'>): (string | null)[] {
    const folders = this.map('cwd', (cwd) => cwd)
    return this.map('git', (git) => git?.repository ?? null).map((name, i) => name ?? folders[i] ?? null)
  }

  /** Returns for each session the shortest unique prefix of its id, of 8 characters or more. */
  short(): string[] {
    const lengths = this.#ids.lengths()
    return this.map('id', (id) => id).map((id, i) => id.slice(0, lengths[this.#shown[i] as number]))
  }

  /** Returns the cursor of each session, in the order of the list. */
  cursors(): Cursor[] {
    return this.#shown.map((index) => this.#cursorOf(index))
  }

  /** Yields the sessions of a list that has all fields. */
  *rows(this: Listing): Generator<ListedRow> {
    const now = this.#now()
    const columns: Columns = this.#columns
    const former = new Map(columns.continuedIn.map((next, i) => [next, columns.id[i] as string]))
    for (const i of this.#shown)
      yield {
        ...rowAt(columns, i),
        costComputed: this.#computed.has(i),
        continues: former.get(columns.id[i] as string) ?? null,
        project: columns.git[i]?.repository ?? columns.cwd[i] ?? null,
        live: isLive(columns.updated[i] ?? null, columns.created[i] ?? null, now),
      }
  }
}

/** A session by its index in the columns. */
interface Indexed {
  readonly index: number
}

/** Ids and their sort order. */
class Ids {
  readonly #ids: readonly string[]
  readonly #sorted: readonly number[]
  /** The index of each id in the sort order. */
  readonly places: Uint32Array

  constructor(ids: readonly string[]) {
    this.#ids = ids
    this.#sorted = upTo(ids.length).sort((a, b) => ((ids[a] as string) < (ids[b] as string) ? -1 : 1))
    this.places = new Uint32Array(ids.length)
    for (let place = 0; place < ids.length; place++) this.places[this.#sorted[place] as number] = place
  }

  /** Returns the length of the shortest unique prefix of each id. */
  lengths(): Uint32Array {
    return shortLengths(this.#ids, this.#sorted)
  }
}

/** Returns the numbers from 0 to below another. */
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/** Returns sessions, by default the last updated first. Reads no bodies. Throws `bad-usage` for a bad condition. */
export async function listSessions<F extends ListField = ListField>(
  repo: Repo,
  options: ListOptions = {},
  fields: readonly F[] = FIELDS as readonly F[],
): Promise<Listing<F>> {
  const testsOf = await wantedBy(options)
  // Conditions read any field. Without one, fields that are not shown need not be decoded.
  const read: readonly ListField[] =
    testsOf.length === 0 ? [...new Set<ListField>([...fields, sortField(options.sort)])] : FIELDS
  const found = await repo.lists.read(repo, read, costFields)
  const { columns, computed } = withComputedCosts(found, options.priceOf)
  const ids = new Ids(columns.id)
  const tests = testsOf.map((testOf) => testOf(columns))
  const shown = tests.reduce((left, holds) => left.filter(holds), upTo(columns.id.length))
  const order = options.sort ?? 'updated'
  const ranks = ranksBy(order, columns)
  const { places } = ids
  shown.sort(
    (a, b) => (ranks[b] as number) - (ranks[a] as number) || (places[a] as number) - (places[b] as number),
  )
  const cursorOf = (index: number): Cursor =>
    encodeCursor('session', order, ranks[index] as number, columns.id[index] as string)
  const query = pageQuery({ limit: Number.POSITIVE_INFINITY, ...options })
  const sideOf = query.from === undefined ? undefined : sideOfSession(query.from, order, ranks, columns.id)
  const cut = sideOf ? cutPage(shown, query, sideOf) : shown.slice(0, query.limit + 1)
  const page = pageOf(
    cut.map((index): Indexed => ({ index })),
    query,
    ({ index }) => cursorOf(index),
  )
  const items = options.reverse ? page.items.toReversed() : page.items
  const now = (): number => repo.env.now()
  return new Listing(columns, ids, { page: { ...page, items }, cursorOf, computed, now })
}

/** Returns on which side of the row with a cursor a session is, by its rank and id. Throws `bad-usage`. */
function sideOfSession(
  cursor: Cursor,
  order: Order,
  ranks: readonly number[],
  ids: readonly string[],
): (index: number) => Side {
  const [named, rank, id] = decodeCursor('session', cursor)
  if (named !== order)
    throw new SessError('bad-usage', `'${cursor}' is a cursor of the list by '${named}', not by '${order}'`)
  return (index) => {
    const [own, ownId] = [ranks[index] as number, ids[index] as string]
    if (own !== rank) return own > rank ? 'before' : 'after'
    return ownId === id ? 'at' : ownId < id ? 'before' : 'after'
  }
}

/** Throws `bad-usage` for a name that no known agent has. */
export async function checkAgent(name: string): Promise<void> {
  const { FORMAT_NAMES } = await import('../formats/registry.ts')
  if (!FORMAT_NAMES.includes(name))
    throw new SessError('bad-usage', `no agent is called '${name}'`, {
      typed: name,
      hint: `sess knows ${FORMAT_NAMES.join(', ')}`,
      choices: FORMAT_NAMES,
    })
}

/** Returns what lists show about one session. Throws `no-session`. */
export async function sessionInfo(
  repo: Repo,
  id: string,
  { priceOf = pricesWith() }: Pick<ListOptions, 'priceOf'> = {},
): Promise<ListedSession> {
  const info = listed(await repo.read((reader) => getTrunk(reader, id)))
  const computed = computedCost(info, priceOf)
  return { ...info, cost: computed ?? info.cost, costComputed: computed !== undefined }
}

/** Returns the cost of a session with that of the calls whose cost its agent did not record; undefined without any. */
function computedCost({ cost, parts }: Pick<Listed, 'cost' | 'parts'>, priceOf: PriceOf): number | undefined {
  if (!parts) return undefined
  const computed = computeCost(parts, priceOf)
  return computed === undefined ? undefined : (cost ?? 0) + computed
}

/** Returns the fields by which costs are computed. */
const costFields = ({ cost }: Partial<Columns>): readonly ListField[] => (cost ? ['parts'] : [])

/** Fills in the costs that no agent recorded. */
function withComputedCosts(
  columns: Columns,
  priceOf: PriceOf = pricesWith(),
): { readonly columns: Columns; readonly computed: ReadonlySet<number> } {
  const computed = new Set<number>()
  const { cost: costs, parts } = columns as Partial<Columns>
  if (!costs || !parts) return { columns, computed }
  const cost = costs.map((recorded, i) => {
    const whole = computedCost({ cost: recorded, parts: parts[i] ?? null }, priceOf)
    if (whole === undefined) return recorded
    computed.add(i)
    return whole
  })
  return { columns: { ...columns, cost }, computed }
}

/** Stands for an unknown time, which sorts before all others. */
const LEAST = -Number.MAX_VALUE

/** Returns the field that sessions are sorted by. */
const sortField = (order: Order = 'updated'): ListField => (order === 'tokens' ? 'total' : order)

/** Returns the number by which each session is sorted. */
function ranksBy(order: Order, columns: Columns): readonly number[] {
  if (order === 'updated' || order === 'created') return columns[order].map((time) => time ?? LEAST)
  if (order === 'tokens') return columns.total.map((total) => total ?? 0)
  return columns[order].map((number) => number ?? 0)
}

/** Returns the test that decides by its index whether a session is listed. */
type Test = (columns: Columns) => (index: number) => boolean

async function wantedBy({
  cwd,
  project,
  agent,
  since,
  until,
  where = [],
  label,
}: ListOptions): Promise<readonly Test[]> {
  const tests: Test[] = where.map((text) => {
    const holds = parseCondition(text)
    return (columns) => (i) => holds(rowAt(columns, i))
  })
  const add = <F extends ListField>(field: F, holds: (cell: ListCells[F]) => boolean): void => {
    tests.push((columns) => (i) => holds(columns[field][i] as ListCells[F]))
  }
  if (cwd !== undefined) add('folders', (folders) => folders.some((folder) => isWithin(folder, cwd)))
  if (project !== undefined)
    tests.push(
      ({ folders, git }) =>
        (i) =>
          isOfProject(placesOf({ folders: folders[i] ?? [], git: git[i] ?? null }), project),
    )
  if (agent !== undefined) {
    // Most lists do not need it.
    const { isOfAgent } = await import('../formats/registry.ts')
    add('format', (format) => isOfAgent(format, agent))
  }
  if (since !== undefined) add('updated', (time) => (time ?? LEAST) >= since)
  if (until !== undefined) add('updated', (time) => (time ?? LEAST) < until)
  if (label !== undefined) add('labels', (labels) => Object.hasOwn(labels, label))
  return tests
}
