import type { AgentTables } from './agenttables.ts'
import { furtherLines, line, rowsOf } from './rows.ts'

export const crush: AgentTables = {
  needs: {
    sessions: ['id', 'parent_session_id', 'title'],
    messages: ['session_id', 'role', 'parts'],
  },
  reads: { sessions: {}, messages: {}, files: {}, read_files: {} },
  ignores: ['goose_db_version'],
  sessions: (database) => database.rows('SELECT * FROM sessions ORDER BY created_at, id'),
  *lines(database, session) {
    yield line('sessions', session, ['todos'])
    for (const message of rowsOf(database, 'messages', 'session_id', session, 'created_at, rowid'))
      yield line('messages', message, ['parts'])
    yield* furtherLines(database, session, { files: [], read_files: [] })
  },
}
