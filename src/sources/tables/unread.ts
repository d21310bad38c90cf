import type { SourceDatabase } from '../sqlite.ts'
import type { AgentTables, KnownTable, UnreadRows } from './agenttables.ts'
import { columnsOf, quoted, tablesIn } from './rows.ts'

/** The largest number of rows that are counted: a damaged table may have no end. */
const MAX_COUNT = 1_000_000
/** The number of things that are named; the others are counted together. */
const MAX_NAMES = 20
/** The number of unknown tables, and of unknown columns of a table, that are looked into. */
const MAX_LOOKS = 500

/** Returns what looks like sessions in a database and is read by none of its layouts. */
export function unreadIn(database: SourceDatabase, layouts: readonly AgentTables[]): UnreadRows[] {
  const known = knownTables(layouts)
  const ignored = new Set(layouts.flatMap(({ ignores }) => ignores.map(keyOf)))
  const found: UnreadRows[] = []
  let unseen = MAX_LOOKS
  for (const table of likelyFirst(tablesIn(database))) {
    const readers = known.get(keyOf(table))
    const columns = readers && columnsOf(database, table)
    if (readers && columns && columns.size > 0) found.push(...unreadOf(database, { table, columns, readers }))
    else if (readers || (!ignored.has(keyOf(table)) && unseen-- > 0)) {
      const count = countOf(database, `SELECT 1 FROM ${quoted(table)}`)
      if (count > 0) found.push({ unread: reasonFor(table, known), name: `table '${table}'`, count })
    }
  }
  for (const { version, unread } of layouts) {
    if (version) found.push(...newerVersion(database, version))
    if (unread) found.push(...unread(database))
  }
  if (unseen < 0) found.push({ unread: 'unknown', name: 'further tables', count: -unseen })
  return bounded(found)
}

/** SQLite compares names without case. */
const keyOf = (name: string): string => name.toLowerCase()

/** Returns the declarations of each table that some layout reads. */
function knownTables(layouts: readonly AgentTables[]): ReadonlyMap<string, readonly KnownTable[]> {
  const known = new Map<string, KnownTable[]>()
  for (const { reads } of layouts)
    for (const [table, declared] of Object.entries(reads))
      known.set(keyOf(table), [...(known.get(keyOf(table)) ?? []), declared])
  return known
}

/** A table that is read, its columns, and its declarations. */
interface ReadTable {
  readonly table: string
  readonly columns: ReadonlySet<string>
  readonly readers: readonly KnownTable[]
}

/** Yields the unknown columns with values of a table, and its rows that belong to no session. */
function* unreadOf(database: SourceDatabase, read: ReadTable): Generator<UnreadRows> {
  yield* unknownColumns(database, read)
  const count = countOfLost(database, read)
  if (count > 0)
    yield { unread: 'unknown', name: `rows of table '${read.table}' that belong to no session`, count }
}

function* unknownColumns(
  database: SourceDatabase,
  { table, columns, readers }: ReadTable,
): Generator<UnreadRows> {
  const declared = readers.map((reader) => reader.columns)
  if (declared.includes(undefined)) return
  const known = new Set(declared.flatMap((names) => names ?? []).map(keyOf))
  const unknown = [...columns].filter((name) => !known.has(keyOf(name))).slice(0, MAX_LOOKS)
  if (unknown.length === 0) return
  const names = unknown.map(quoted)
  const rows = `SELECT ${names.join()} FROM ${quoted(table)} LIMIT ${MAX_COUNT}`
  const counts = names.map((name, i) => `count(${name}) AS n${i}`).join()
  const [row] = [...database.rows(`SELECT ${counts} FROM (${rows})`)]
  for (const [i, column] of unknown.entries()) {
    const count = Number(row?.[`n${i}`] ?? 0)
    const name = `column '${column}' of table '${table}'`
    if (count > 0) yield { unread: 'unknown', name, count, note: 'its values are kept with their rows' }
  }
}

/** Returns the number of rows of a table that belong to no row of the tables that they should belong to. */
function countOfLost(database: SourceDatabase, { table, columns, readers }: ReadTable): number {
  const owners = readers.flatMap(({ of }) => (of && columns.has(of.column) ? [of] : []))
  const [first] = owners
  if (!first || owners.length < readers.length || owners.some(({ column }) => column !== first.column))
    return 0
  const ids = owners
    .filter((of) => columnsOf(database, of.table).has('id'))
    .map((of) => `SELECT id FROM ${quoted(of.table)} WHERE id IS NOT NULL`)
  if (ids.length === 0) return 0
  const column = quoted(first.column)
  const isLost = `${column} IS NULL OR ${column} NOT IN (${ids.join(' UNION ')})`
  return countOf(database, `SELECT 1 FROM ${quoted(table)} WHERE ${isLost}`)
}

/** Returns the number of rows of a query, or the largest that is counted. */
function countOf(database: SourceDatabase, query: string): number {
  const [row] = [...database.rows(`SELECT count(*) AS n FROM (${query} LIMIT ${MAX_COUNT})`)]
  return Number(row?.n ?? 0)
}

/** A table with the name of one that is read, but for a number at its end, is a version of it: `session_v3`. */
const reasonFor = (table: string, known: ReadonlyMap<string, unknown>): UnreadRows['unread'] => {
  const base = withoutVersion(keyOf(table))
  const isVersion = [...known.keys()].some((name) => name !== keyOf(table) && withoutVersion(name) === base)
  return isVersion ? 'newer-version' : 'unknown'
}

const withoutVersion = (name: string): string => name.replace(/_?v\d+$/, '')

function* newerVersion(
  database: SourceDatabase,
  { table, column, newest }: NonNullable<AgentTables['version']>,
): Generator<UnreadRows> {
  if (!columnsOf(database, table).has(column)) return
  const newer = `SELECT 1 FROM ${quoted(table)} WHERE typeof(${quoted(column)}) = 'integer' AND ${quoted(column)} > ${newest}`
  const count = countOf(database, newer)
  if (count > 0)
    yield { unread: 'newer-version', name: `versions after ${newest} in table '${table}'`, count }
}

/** Returns names of tables, those that may hold conversations in front. */
const likelyFirst = (tables: readonly string[]): string[] =>
  [...tables].sort((a, b) => Number(LIKELY.test(b)) - Number(LIKELY.test(a)))

const LIKELY = /session|message|chat|conversation|thread|transcript|turn|part/i

/** Returns the first of what was found, and the others as one. */
function bounded(found: readonly UnreadRows[]): UnreadRows[] {
  const rest = found.slice(MAX_NAMES)
  if (rest.length === 0) return [...found]
  const count = rest.reduce((sum, one) => sum + one.count, 0)
  const name = `${rest.length} more tables or columns`
  return [...found.slice(0, MAX_NAMES), { unread: 'unknown', name, count }]
}
