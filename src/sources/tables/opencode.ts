import type { SourceDatabase, SqlRow } from '../sqlite.ts'
import type { AgentTables, KnownTable, UnreadRows } from './agenttables.ts'
import { columnsOf, embedded, furtherLines, line, rowsOf, rowText } from './rows.ts'

/** The columns of a session's row in all versions. */
const SESSION = [
  ...[
    'id',
    'project_id',
    'workspace_id',
    'parent_id',
    'fork_session_id',
    'fork_boundary',
    'slug',
    'directory',
  ],
  ...['path', 'title', 'version', 'share_url', 'summary_additions', 'summary_deletions', 'summary_files'],
  ...['summary_diffs', 'metadata', 'cost', 'tokens_input', 'tokens_output', 'tokens_reasoning'],
  ...['tokens_cache_read', 'tokens_cache_write', 'revert', 'permission', 'agent', 'model', 'time_created'],
  ...['time_updated', 'time_idle', 'time_viewed', 'idle_outcome', 'time_compacting', 'time_archived'],
  ...['time_suspended', 'resume_attempts'],
]
/** Those by which it is recognised. */
const NEEDS = ['id', 'project_id', 'directory', 'time_created']
/** Those that hold JSON. */
const SESSION_JSON = ['revert', 'permission', 'model', 'summary_diffs', 'metadata']
const SESSION_2_JSON = [...SESSION_JSON, 'fork_boundary']

const MESSAGE_2 = ['id', 'session_id', 'type', 'seq', 'time_created', 'time_updated', 'data']
/** Tables of both versions with rows of a session that are no messages, and their columns with JSON. */
const FURTHER = { todo: [], session_message: ['data'] } as const
const FURTHER_2 = {
  ...{ todo: [], session_inbox: ['payload'], session_pending: ['data'] },
  ...{ instruction_entry: ['value'], instruction_state: ['initial_values', 'current_values'] },
} as const

/** Tables of projects, accounts, permissions and events, and of migrations. */
const IGNORES = [
  ...['account', 'account_state', 'control_account', 'credential', 'permission', 'session_share'],
  ...['project', 'project_directory', 'workspace', 'worktree'],
  ...['event', 'event_sequence', 'kv', 'migration', 'data_migration', '__drizzle_migrations'],
  ...['instruction_blob', 'session_input', 'session_context_epoch'],
]

const of = (table: string): Pick<KnownTable, 'of'> => ({ of: { column: 'session_id', table } })

/**
 * OpenCode 1 since 2026. A line holds a message with its parts, as OpenCode's own export does, and their other columns under
 * `rows`.
 */
export const opencode: AgentTables = {
  needs: {
    session: NEEDS,
    message: ['id', 'session_id', 'time_created', 'data'],
    part: ['id', 'message_id', 'data'],
  },
  reads: {
    session: { columns: SESSION },
    message: { columns: ['id', 'session_id', 'time_created', 'time_updated', 'data'], ...of('session') },
    part: {
      columns: ['id', 'message_id', 'session_id', 'time_created', 'time_updated', 'data'],
      of: { column: 'message_id', table: 'message' },
    },
    todo: {
      columns: ['session_id', 'content', 'status', 'priority', 'position', 'time_created', 'time_updated'],
      ...of('session'),
    },
    session_message: { columns: MESSAGE_2, ...of('session') },
  },
  ignores: IGNORES,
  sessions: (database) => database.rows('SELECT * FROM session ORDER BY time_created, id'),
  *lines(database, session) {
    yield line('session', session, SESSION_JSON)
    for (const message of rowsOf(database, 'message', 'session_id', session, 'time_created, id')) {
      const parts = [...rowsOf(database, 'part', 'message_id', message, 'id')]
      const rest = [message, ...parts].map((row) => rowText(row, { without: ['data'] }))
      const partTexts = parts.map(({ data }) => embedded(data))
      yield `{"info":${embedded(message.data)},"parts":[${partTexts.join(',')}],"rows":[${rest.join(',')}]}`
    }
    yield* furtherLines(database, session, FURTHER)
  },
}

/** Yields the lines of a session of OpenCode 2. */
function* lines2(database: SourceDatabase, table: string, session: SqlRow): Generator<string> {
  yield line(table, session, SESSION_2_JSON)
  for (const message of rowsOf(database, 'session_message', 'session_id', session, 'seq, id'))
    yield line('session_message', message, ['data'])
  yield* furtherLines(database, session, FURTHER_2)
}

/** Returns the declarations of the tables of OpenCode 2, by the name of the table of its sessions. */
const reads2 = (sessions: string): AgentTables['reads'] => ({
  [sessions]: { columns: SESSION },
  session_message: { columns: MESSAGE_2, ...of(sessions) },
  ...Object.fromEntries(Object.keys(FURTHER_2).map((table) => [table, of(sessions)])),
})

const NEEDS_2 = { session_message: ['id', 'session_id', 'type', 'seq', 'data'] }

/** OpenCode 2. Its tables may be in one database with those of version 1, of whose sessions it took copies. */
export const opencode2: AgentTables = {
  needs: { session_v2: NEEDS, ...NEEDS_2 },
  reads: reads2('session_v2'),
  ignores: IGNORES,
  sessions: (database) => database.rows('SELECT * FROM session_v2 ORDER BY time_created, id'),
  lines: (database, session) => lines2(database, 'session_v2', session),
  *unread(database) {
    const isRead = ['id', 'session_id', 'time_created'].every((name) =>
      columnsOf(database, 'message').has(name),
    )
    if (isRead) yield* messagesAfterCopy(database)
  },
}

/** Yields the messages that version 1 wrote in a session after version 2 had taken its copy. */
function* messagesAfterCopy(database: SourceDatabase): Generator<UnreadRows> {
  const isCopied = 'IN (SELECT id FROM session_message WHERE id IS NOT NULL)'
  const [row] = [
    ...database.rows(`WITH copied AS
      (SELECT session_id, max(time_created) AS newest FROM message WHERE id ${isCopied} GROUP BY session_id)
      SELECT count(*) AS n FROM message m JOIN copied c ON c.session_id = m.session_id
      WHERE m.time_created > c.newest AND m.id NOT ${isCopied}
        AND m.session_id IN (SELECT id FROM session_v2)`),
  ]
  const count = Number(row?.n ?? 0)
  if (count > 0)
    yield {
      ...{
        unread: 'unknown',
        count,
        name: "newer rows of table 'message' of sessions that OpenCode 2 took over",
      },
      note: "the session is read from OpenCode 2's tables",
    }
}

/**
 * The previews of OpenCode 2, with the table `session`. Version 1 has that table, too, and fills `session_message` in some
 * releases: a session with messages in its own tables is its own, unless the row has the columns of version 2.
 */
export const opencodeNext: AgentTables = {
  needs: { session: NEEDS, ...NEEDS_2 },
  reads: reads2('session'),
  ignores: IGNORES,
  sessions(database) {
    const isV2 = columnsOf(database, 'session').has('fork_session_id')
    const hasOld = columnsOf(database, 'message').has('session_id')
    const some = (table: string): string =>
      `EXISTS (SELECT 1 FROM ${table} m WHERE m.session_id = session.id)`
    const own =
      isV2 || !hasOld ? some('session_message') : `${some('session_message')} AND NOT ${some('message')}`
    const empty = hasOld ? '' : ` OR NOT ${some('session_message')}`
    return database.rows(`SELECT * FROM session WHERE ${own}${empty} ORDER BY time_created, id`)
  },
  lines: (database, session) => lines2(database, 'session', session),
  tookOver: { name: 'opencode-next.db', by: 'opencode.db', table: 'session_v2' },
}
