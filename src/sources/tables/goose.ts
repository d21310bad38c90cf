import type { AgentTables } from './agenttables.ts'
import { line, rowsOf } from './rows.ts'

export const goose: AgentTables = {
  needs: {
    sessions: ['id', 'working_dir'],
    messages: ['session_id', 'role', 'content_json'],
  },
  reads: { sessions: {}, messages: {} },
  ignores: ['schema_version'],
  sessions: (database) => database.rows('SELECT * FROM sessions ORDER BY id'),
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
