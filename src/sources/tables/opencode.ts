import type { AgentTables } from './agenttables.ts'
import { embedded, furtherLines, line, rowsOf, rowText } from './rows.ts'

/**
 * OpenCode 1 since 2026. A line holds a message with its parts, as OpenCode's own export does, and their other columns under
 * `rows`.
 */
export const opencode: AgentTables = {
  needs: {
    session: ['id', 'project_id', 'directory'],
    message: ['session_id', 'data'],
    part: ['message_id', 'data'],
  },
  reads: { session: {}, message: {}, part: {}, todo: {}, session_message: {} },
  ignores: [],
  sessions: (database) => database.rows('SELECT * FROM session ORDER BY time_created, id'),
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
