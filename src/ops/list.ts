import { SessError } from '../model/errors.ts'
import { isWithin } from '../model/paths.ts'
import { costOf, type PriceOf, pricesWith } from '../model/prices.ts'
import { shortLengths } from '../model/shortid.ts'
import { type Listed, listed } from '../repo/listedsession.ts'
import type { Repo } from '../repo/repo.ts'
import { getSession } from '../repo/session.ts'
import { type Columns, FIELDS, type ListField, rowAt } from '../repo/sessionlist.ts'

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
  /** The prices of models, for costs that no agent records; those of the table unless given. */
  readonly priceOf?: PriceOf
}

/** A session in a list. */
export interface ListedSession extends Listed {
  /** Whether its cost is computed by list prices, because its agent does not record it. */
  readonly costComputed: boolean
}

/** A list of sessions, by columns and by rows. */
export class Listing<F extends ListField = ListField> {
  readonly #columns: Columns<F | 'id'>
  readonly #ids: Ids
  readonly #shown: readonly number[]
  readonly #computed: ReadonlySet<number>

  constructor(
    columns: Columns<F | 'id'>,
    ids: Ids,
    { shown, computed }: { readonly shown: readonly number[]; readonly computed: ReadonlySet<number> },
  ) {
    this.#columns = columns
    this.#ids = ids
    this.#shown = shown
    this.#computed = computed
  }

  /** How many it has. */
  get count(): number {
    return this.#shown.length
  }

  /** How many sessions the store has. */
  get stored(): number {
    return this.#columns.id.length
  }

  /** Maps a field of each session, in the order of the list. */
  map<K extends F | 'id', T>(field: K, make: (cell: Listed[K]) => T): T[] {
    const cells: readonly Listed[K][] = this.#columns[field]
    return this.#shown.map((i) => make(cells[i] as Listed[K]))
  }

  /** Returns of each, in the order of the list, whether its cost is computed by list prices. */
  costComputed(): boolean[] {
    return this.#shown.map((i) => this.#computed.has(i))
  }

  /** Returns of each the shortest beginning of its id, of 8 characters or more, that names it alone in the store. */
  short(): string[] {
    const lengths = this.#ids.lengths()
    return this.map('id', (id) => id).map((id, i) => id.slice(0, lengths[this.#shown[i] as number]))
  }

  /** Yields the sessions of a list that has all fields. */
  *rows(this: Listing): Generator<ListedSession> {
    for (const i of this.#shown) yield { ...rowAt(this.#columns, i), costComputed: this.#computed.has(i) }
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

  /** Returns how long the beginning of each is that names it alone. */
  lengths(): Uint32Array {
    return shortLengths(this.#ids, this.#sorted)
  }
}

/** Returns the numbers from 0 to below another. */
function upTo(count: number): number[] {
  const all: number[] = []
  for (let i = 0; i < count; i++) all.push(i)
  return all
}

/** Returns sessions, the one that was added to last first. Reads no bodies. Throws `bad-usage` for a bad condition. */
export async function listSessions<F extends ListField = ListField>(
  repo: Repo,
  options: ListOptions = {},
  fields: readonly F[] = FIELDS as readonly F[],
): Promise<Listing<F>> {
  const testsOf = await wantedBy(options)
  // Conditions read any field. Without one, fields that are not shown need not be decoded.
  const shownFields = [...fields, options.sort ?? 'updated']
  const withCost: readonly ListField[] = shownFields.includes('cost')
    ? [...shownFields, 'tokens', 'model']
    : shownFields
  const read = testsOf.length === 0 ? [...new Set<ListField>(withCost)] : FIELDS
  const { columns, computed } = withComputedCosts(await repo.lists.read(repo, read), options.priceOf)
  const ids = new Ids(columns.id)
  const tests = testsOf.map((testOf) => testOf(columns))
  const shown = tests.reduce((left, holds) => left.filter(holds), upTo(columns.id.length))
  const ranks = ranksBy(options.sort ?? 'updated', columns)
  const { places } = ids
  shown.sort(
    (a, b) => (ranks[b] as number) - (ranks[a] as number) || (places[a] as number) - (places[b] as number),
  )
  const first = shown.slice(0, options.limit)
  return new Listing(columns, ids, { shown: options.reverse ? first.reverse() : first, computed })
}

/** Returns what lists show about one session. Throws `no-session`. */
export async function sessionInfo(
  repo: Repo,
  id: string,
  { priceOf = pricesWith() }: Pick<ListOptions, 'priceOf'> = {},
): Promise<ListedSession> {
  const info = listed(await repo.read((reader) => getSession(reader, id)))
  const computed = computedCost(info, priceOf)
  return { ...info, cost: computed ?? info.cost, costComputed: computed !== undefined }
}

/** Returns the cost of a session by its tokens and the price of its last model, where its agent recorded none. */
function computedCost(
  { cost, tokens, model }: Pick<Listed, 'cost' | 'tokens' | 'model'>,
  priceOf: PriceOf,
): number | undefined {
  const price = cost === null && tokens && model ? priceOf(model) : undefined
  return tokens && price ? costOf(tokens, price, true) : undefined
}

/** Fills in the costs that no agent recorded. */
function withComputedCosts(
  columns: Columns,
  priceOf: PriceOf = pricesWith(),
): { readonly columns: Columns; readonly computed: ReadonlySet<number> } {
  const computed = new Set<number>()
  const { cost: costs, tokens, model } = columns as Partial<Columns>
  if (!costs || !tokens || !model) return { columns, computed }
  const cost = costs.map((recorded, i) => {
    const one = { cost: recorded, tokens: tokens[i] ?? null, model: model[i] ?? null }
    const reckoned = computedCost(one, priceOf)
    if (reckoned !== undefined) computed.add(i)
    return reckoned ?? recorded
  })
  return { columns: { ...columns, cost }, computed }
}

/** Stands for an unknown time, which sorts before all others. */
const LEAST = -Number.MAX_VALUE

const timeOf = (text: string | null): number => (text === null ? LEAST : Date.parse(text))

/** Returns the number by which each session is sorted. */
function ranksBy(order: Order, columns: Columns): readonly number[] {
  if (order === 'updated' || order === 'created') return columns[order].map(timeOf)
  if (order === 'tokens') return columns.tokens.map((tokens) => tokens?.total ?? 0)
  return columns[order].map((number) => number ?? 0)
}

/** Returns the test that decides by its index whether a session is listed. */
type Test = (columns: Columns) => (index: number) => boolean

async function wantedBy({
  cwd,
  agent,
  since,
  until,
  where = [],
  label,
}: ListOptions): Promise<readonly Test[]> {
  const tests: Test[] = where.map((text) => {
    const { holds } = parseCondition(text)
    return (columns) => (i) => holds(rowAt(columns, i))
  })
  const add = <F extends ListField>(field: F, holds: (cell: Listed[F]) => boolean): void => {
    tests.push((columns) => (i) => holds(columns[field][i] as Listed[F]))
  }
  if (cwd !== undefined) add('cwd', (folder) => folder !== null && isWithin(folder, cwd))
  if (agent !== undefined) {
    // All readers come with it, which most lists do not need.
    const { formatNamed } = await import('../formats/registry.ts')
    add('format', (format) => format === agent || formatNamed(format)?.dialect === agent)
  }
  if (since !== undefined) add('updated', (time) => timeOf(time) >= since)
  if (until !== undefined) add('updated', (time) => timeOf(time) < until)
  if (label !== undefined) add('labels', (labels) => Object.hasOwn(labels, label))
  return tests
}

/** What of a session each key means that every session has. */
const KNOWN: { readonly [key: string]: (session: Listed) => string | null } = {
  id: ({ id }) => id,
  title: ({ title }) => title,
  agent: ({ format }) => format,
  cwd: ({ cwd }) => cwd,
  model: ({ model }) => model,
}

/** Returns whether every session has a key, so that no user sets it. */
export const isKnownKey = (key: string): boolean => Object.hasOwn(KNOWN, key)

/** A condition on the sessions of a list. */
export interface Condition {
  readonly key: string
  readonly holds: (session: Listed) => boolean
}

const CONDITION = /^([^=!]+)(?:(!?=)([^]*))?$/

/**
 * Reads a condition on what a session is or on what its user set: `key=value`, `key!=value`, or `key` for any value.
 * What is not set is the empty text. Throws `bad-usage`.
 */
export function parseCondition(text: string): Condition {
  const [, name = '', sign, value = ''] = CONDITION.exec(text) ?? []
  const key = name.trim()
  if (key === '')
    throw new SessError('bad-usage', `'${text}' is no condition`, {
      hint: 'write KEY=VALUE, KEY!=VALUE, or KEY for any value',
    })
  const known = isKnownKey(key) ? KNOWN[key] : undefined
  const own = ({ set }: Listed): string | undefined => (Object.hasOwn(set, key) ? set[key] : undefined)
  const of = (session: Listed): string => (known ? known(session) : own(session)) ?? ''
  const equal = sign === '='
  return {
    key,
    holds: (session) => (sign === undefined ? of(session) !== '' : (of(session) === value) === equal),
  }
}
