import type { AgentTables } from './agenttables.ts'
import { furtherLines, line, rowsOf } from './rows.ts'

const OF_SESSION = { column: 'session_id', table: 'sessions' } as const

export const crush: AgentTables = {
  needs: {
    sessions: ['id', 'parent_session_id', 'title', 'created_at'],
    messages: ['session_id', 'role', 'parts', 'created_at'],
  },
  reads: {
    sessions: {
      columns: [
        ...[
          'id',
          'parent_session_id',
          'title',
          'message_count',
          'prompt_tokens',
          'completion_tokens',
          'cost',
        ],
        ...['updated_at', 'created_at', 'summary_message_id', 'todos'],
      ],
    },
    messages: {
      columns: [
        ...['id', 'session_id', 'role', 'parts', 'model', 'created_at', 'updated_at', 'finished_at'],
        ...['provider', 'is_summary_message'],
      ],
      of: OF_SESSION,
    },
    files: {
      columns: ['id', 'session_id', 'path', 'content', 'version', 'created_at', 'updated_at', 'is_new'],
      of: OF_SESSION,
    },
    read_files: { columns: ['session_id', 'path', 'read_at'], of: OF_SESSION },
  },
  ignores: ['goose_db_version'],
  sessions: (database) => database.rows('SELECT * FROM sessions ORDER BY created_at, id'),
  *lines(database, session) {
    yield line('sessions', session, ['todos'])
    for (const message of rowsOf(database, 'messages', 'session_id', session, 'created_at, rowid'))
      yield line('messages', message, ['parts'])
    yield* furtherLines(database, session, { files: [], read_files: [] })
  },
}
