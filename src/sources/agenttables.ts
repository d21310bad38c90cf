import { embedded, rowText } from './rowjson.ts'
import type { SourceDatabase, SqlRow } from './sqlite.ts'

/** How one agent keeps sessions in a database. */
export interface AgentTables {
  /** Columns that tell these tables from others', by table. */
  readonly needs: Readonly<Record<string, readonly string[]>>
  /** What gives a row for each session, the oldest first, with its id as `id`. */
  readonly sessions: string
  /** Gives the lines of a session, each without its newline. */
  lines(database: SourceDatabase, session: SqlRow): Iterable<string>
}

/** A line that holds a row of a table. */
const line = (table: string, row: SqlRow, json: readonly string[]): string =>
  `{"table":${JSON.stringify(table)},"row":${rowText(row, { json })}}`

/** Gives the rows of a further table that belong to a session, in the order that it keeps them in; none without it. */
function* others(
  database: SourceDatabase,
  session: SqlRow,
  tables: Readonly<Record<string, readonly string[]>>,
): Generator<string> {
  for (const [table, json] of Object.entries(tables)) {
    if (!columnsOf(database, table).has('session_id')) continue
    const rows = database.rows(
      `SELECT * FROM "${table}" WHERE session_id = ? ORDER BY rowid`,
      session.id ?? null,
    )
    for (const row of rows) yield line(table, row, json)
  }
}

/**
 * Gives the columns of a table; none of what is no plain table. A view, a virtual table or a column that is computed is
 * a program that whoever made the file wrote: it may never end.
 */
function columnsOf(database: SourceDatabase, table: string): ReadonlySet<string> {
  const made = [
    ...database.rows("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE", table),
  ].map(({ sql }) => String(sql))
  if (made.length !== 1 || made.some((sql) => /^\s*CREATE\s+VIRTUAL/i.test(sql))) return NONE
  const columns = [...database.rows('SELECT name, hidden FROM pragma_table_xinfo(?)', table)]
  if (columns.some(({ hidden }) => Number(hidden) !== 0)) return NONE
  return new Set(columns.map(({ name }) => String(name)))
}

const NONE: ReadonlySet<string> = new Set()

/**
 * OpenCode since 2026. A message stands with its parts as OpenCode's own export has it, what their columns say besides
 * under `rows`.
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
    const messages = database.rows(
      'SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id',
      session.id ?? null,
    )
    for (const message of messages) {
      const parts = [
        ...database.rows('SELECT * FROM part WHERE message_id = ? ORDER BY id', message.id ?? null),
      ]
      const rest = [message, ...parts].map((row) => rowText(row, { without: ['data'] }))
      const said = parts.map(({ data }) => embedded(data))
      yield `{"info":${embedded(message.data)},"parts":[${said.join(',')}],"rows":[${rest.join(',')}]}`
    }
    yield* others(database, session, { todo: [], session_message: ['data'] })
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
    const messages = database.rows(
      'SELECT * FROM messages WHERE session_id = ? ORDER BY created_at, rowid',
      session.id ?? null,
    )
    for (const message of messages) yield line('messages', message, ['parts'])
    yield* others(database, session, { files: [], read_files: [] })
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
    const messages = database.rows(
      'SELECT * FROM messages WHERE session_id = ? ORDER BY id',
      session.id ?? null,
    )
    for (const message of messages) yield line('messages', message, ['content_json', 'metadata_json'])
  },
}

/** Cursor's command line keeps one chat in a database: what it is in `meta`, what was said in `blobs` that are never changed. */
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

/** Gives how sessions are kept in a database; undefined where its tables are no agent's that is known. */
export const agentTablesOf = (database: SourceDatabase): AgentTables | undefined =>
  KNOWN.find(({ needs }) =>
    Object.entries(needs).every(([table, columns]) => {
      const has = columnsOf(database, table)
      return columns.every((column) => has.has(column))
    }),
  )
