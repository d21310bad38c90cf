import type { AgentTables } from './agenttables.ts'
import { furtherLines, line, rowsOf } from './rows.ts'

const OF_SESSION = { column: 'session_id', table: 'sessions' } as const

export const goose: AgentTables = {
  needs: {
    sessions: ['id', 'working_dir'],
    messages: ['id', 'session_id', 'role', 'content_json'],
  },
  reads: {
    sessions: {
      columns: [
        ...[
          'id',
          'name',
          'description',
          'user_set_name',
          'session_type',
          'working_dir',
          'created_at',
          'updated_at',
        ],
        ...['extension_data', 'total_tokens', 'input_tokens', 'output_tokens', 'cache_read_tokens'],
        ...['cache_write_tokens', 'accumulated_total_tokens', 'accumulated_input_tokens'],
        ...['accumulated_output_tokens', 'accumulated_cache_read_tokens', 'accumulated_cache_write_tokens'],
        ...['accumulated_cost', 'schedule_id', 'recipe_json', 'user_recipe_values_json', 'provider_name'],
        ...['model_config_json', 'goose_mode', 'archived_at', 'project_id', 'parent_session_id'],
        ...['parent_delegation'],
      ],
    },
    messages: {
      columns: [
        ...[
          'id',
          'message_id',
          'session_id',
          'role',
          'content_json',
          'created_timestamp',
          'timestamp',
          'tokens',
        ],
        ...['metadata_json'],
      ],
      of: OF_SESSION,
    },
    usage_ledger: {
      columns: [
        ...[
          'id',
          'session_id',
          'created_timestamp',
          'model',
          'input_tokens',
          'output_tokens',
          'total_tokens',
        ],
        ...['cache_read_tokens', 'cache_write_tokens', 'cost', 'cost_source', 'is_compaction'],
      ],
      of: OF_SESSION,
    },
  },
  ignores: ['schema_version', 'provider_inventory_entries', 'provider_inventory_models'],
  version: { table: 'schema_version', column: 'version', newest: 17 },
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
    yield* furtherLines(database, session, { usage_ledger: [] })
  },
}
