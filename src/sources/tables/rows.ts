import type { SourceDatabase, SqlRow, SqlValue } from '../sqlite.ts'

/** Matches a JSON object or array on one line, except for objects that begin with a `$` tag. */
const EMBEDDED = /^(?:\{(?!"\$)|\[)[^\n\r]*$/

/** Returns the JSON text of a value. Values that JSON cannot represent become an object with a tag. */
function valueText(value: SqlValue): string {
  if (typeof value === 'bigint') return `{"$integer":"${value}"}`
  if (typeof value === 'number' && !Number.isFinite(value)) return `{"$real":"${value}"}`
  if (value instanceof Uint8Array) return `{"$blob":"${Buffer.from(value).toString('base64')}"}`
  return JSON.stringify(value)
}

/** Returns a string that is a JSON object or array unquoted, so that it becomes a part of its row; others as `valueText`. */
export function embedded(value: SqlValue = null): string {
  return typeof value === 'string' && isJsonContainer(value) ? value : valueText(value)
}

/** Returns bytes that are the UTF-8 of such a string as `{"$bytes": …}`, and any other value as `embedded` does. */
function embeddedOrBytes(value: SqlValue): string {
  if (!(value instanceof Uint8Array)) return embedded(value)
  const text = textOf(value)
  return text !== undefined && isJsonContainer(text) ? `{"$bytes":${text}}` : valueText(value)
}

function isJsonContainer(text: string): boolean {
  if (!EMBEDDED.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // an ordinary string
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined // not UTF-8
  }
}

/** Returns a row as a JSON object with its columns in order, except for `without`. Columns in `json` are embedded as JSON. */
export function rowText(
  row: SqlRow,
  {
    json = [],
    without = [],
  }: { readonly json?: readonly string[]; readonly without?: readonly string[] } = {},
): string {
  const columns = Object.entries(row).flatMap(([name, value]) =>
    without.includes(name)
      ? []
      : [`${JSON.stringify(name)}:${json.includes(name) ? embeddedOrBytes(value) : valueText(value)}`],
  )
  return `{${columns.join(',')}}`
}

/** Returns the line for a row of a table. */
export const line = (table: string, row: SqlRow, json: readonly string[]): string =>
  `{"table":${JSON.stringify(table)},"row":${rowText(row, { json })}}`

/** Yields the rows of a table that belong to another row. */
export const rowsOf = (
  database: SourceDatabase,
  table: string,
  key: string,
  { id = null }: SqlRow,
  order: string,
): IterableIterator<SqlRow> =>
  database.rows(`SELECT * FROM "${table}" WHERE ${key} = ? ORDER BY ${order}`, id)

/** Yields the lines of further tables for a session, in the order of their rows. Skips tables that do not exist. */
export function* furtherLines(
  database: SourceDatabase,
  session: SqlRow,
  tables: Readonly<Record<string, readonly string[]>>,
): Generator<string> {
  for (const [table, json] of Object.entries(tables)) {
    if (!columnsOf(database, table).has('session_id')) continue
    for (const row of rowsOf(database, table, 'session_id', session, 'rowid')) yield line(table, row, json)
  }
}

/**
 * Returns the columns of a plain table, and none of anything else: a view, a virtual table or a generated column is code
 * from the author of the file, which may never terminate.
 */
export function columnsOf(database: SourceDatabase, table: string): ReadonlySet<string> {
  const statements = [
    ...database.rows("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE", table),
  ].map(({ sql }) => String(sql))
  if (statements.length !== 1 || statements.some((sql) => /^\s*CREATE\s+VIRTUAL/i.test(sql))) return NONE
  const columns = [...database.rows('SELECT name, hidden FROM pragma_table_xinfo(?)', table)]
  if (columns.some(({ hidden }) => Number(hidden) !== 0)) return NONE
  return new Set(columns.map(({ name }) => String(name)))
}

const NONE: ReadonlySet<string> = new Set()

/** Returns the names of a database's own tables, in the order in which they were made. */
export const tablesIn = (database: SourceDatabase): string[] =>
  [
    ...database.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
    ),
  ].map(({ name }) => String(name))

/** Quotes a name in SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
