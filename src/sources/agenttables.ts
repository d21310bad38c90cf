import type { SourceDatabase, SqlRow, SqlValue } from './sqlite.ts'

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
function embedded(value: SqlValue = null): string {
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
function rowText(
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

/** How an agent stores sessions in a database. */
export interface AgentTables {
  /** The columns that identify the agent, by table. */
  readonly needs: Readonly<Record<string, readonly string[]>>
  /** A query with one row per session, the oldest first, with the id in the column `id`. */
  readonly sessions: string
  /** Yields the lines of a session without newlines. */
  lines(database: SourceDatabase, session: SqlRow): Iterable<string>
}

/** Returns the line for a row of a table. */
const line = (table: string, row: SqlRow, json: readonly string[]): string =>
  `{"table":${JSON.stringify(table)},"row":${rowText(row, { json })}}`

/** Yields the rows of a table that belong to another row. */
const rowsOf = (
  database: SourceDatabase,
  table: string,
  key: string,
  { id = null }: SqlRow,
  order: string,
): IterableIterator<SqlRow> =>
  database.rows(`SELECT * FROM "${table}" WHERE ${key} = ? ORDER BY ${order}`, id)

/** Yields the lines of further tables for a session, in the order of their rows. Skips tables that do not exist. */
function* furtherLines(
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
function columnsOf(database: SourceDatabase, table: string): ReadonlySet<string> {
  const statements = [
    ...database.rows("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE", table),
  ].map(({ sql }) => String(sql))
  if (statements.length !== 1 || statements.some((sql) => /^\s*CREATE\s+VIRTUAL/i.test(sql))) return NONE
  const columns = [...database.rows('SELECT name, hidden FROM pragma_table_xinfo(?)', table)]
  if (columns.some(({ hidden }) => Number(hidden) !== 0)) return NONE
  return new Set(columns.map(({ name }) => String(name)))
}

const NONE: ReadonlySet<string> = new Set()

/**
 * OpenCode since 2026. A line holds a message with its parts, as OpenCode's own export does, and their other columns under
 * `rows`.
 */
const opencode: AgentTables = {
  needs: {
    session: ['id', 'project_id', 'directory'],
    message: ['session_id', 'data'],
    part: ['message_id', 'data'],
  },
  sessions: 'SELECT * FROM session ORDER BY time_created, id',
  *lines(database, session) {
    yield line('session', session, ['revert', 'permission', 'model', 'summary_diffs', 'metadata'])
    for (const message of rowsOf(database, 'message', 'session_id', session, 'time_created, id')) {
      const parts = [...rowsOf(database, 'part', 'message_id', message, 'id')]
      const rest = [message, ...parts].map((row) => rowText(row, { without: ['data'] }))
      const partTexts = parts.map(({ data }) => embedded(data))
      yield `{"info":${embedded(message.data)},"parts":[${partTexts.join(',')}],"rows":[${rest.join(',')}]}`
    }
    yield* furtherLines(database, session, { todo: [], session_message: ['data'] })
  },
}

const crush: AgentTables = {
  needs: {
    sessions: ['id', 'parent_session_id', 'title'],
    messages: ['session_id', 'role', 'parts'],
  },
  sessions: 'SELECT * FROM sessions ORDER BY created_at, id',
  *lines(database, session) {
    yield line('sessions', session, ['todos'])
    for (const message of rowsOf(database, 'messages', 'session_id', session, 'created_at, rowid'))
      yield line('messages', message, ['parts'])
    yield* furtherLines(database, session, { files: [], read_files: [] })
  },
}

const goose: AgentTables = {
  needs: {
    sessions: ['id', 'working_dir'],
    messages: ['session_id', 'role', 'content_json'],
  },
  sessions: 'SELECT * FROM sessions ORDER BY id',
  *lines(database, session) {
    yield line('sessions', session, [
      'extension_data',
      'recipe_json',
      'user_recipe_values_json',
      'model_config_json',
    ])
    for (const message of rowsOf(database, 'messages', 'session_id', session, 'id'))
      yield line('messages', message, ['content_json', 'metadata_json'])
  },
}

/** Cursor's command line keeps one chat per database: its metadata in `meta`, its messages in immutable `blobs`. */
const cursor: AgentTables = {
  needs: { meta: ['key', 'value'], blobs: ['id', 'data'] },
  sessions: "SELECT 'chat' AS id",
  *lines(database) {
    const names = database.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
    )
    const rest = [...names]
      .map(({ name }) => String(name))
      .filter((name) => !(name in cursor.needs) && columnsOf(database, name).size > 0)
    for (const table of [...Object.keys(cursor.needs), ...rest])
      for (const row of database.rows(`SELECT * FROM ${quoted(table)}`)) yield line(table, row, ['data'])
  },
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const KNOWN: readonly AgentTables[] = [opencode, crush, goose, cursor]

/** Returns how sessions are stored in a database, or undefined where its tables are of no known agent. */
export const agentTablesOf = (database: SourceDatabase): AgentTables | undefined =>
  KNOWN.find(({ needs }) =>
    Object.entries(needs).every(([table, columns]) => {
      const has = columnsOf(database, table)
      return columns.every((column) => has.has(column))
    }),
  )
