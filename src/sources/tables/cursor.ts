import type { AgentTables } from './agenttables.ts'
import { columnsOf, line, quoted, tablesIn } from './rows.ts'

const NEEDS = { meta: ['key', 'value'], blobs: ['id', 'data'] } as const

/** Cursor's command line keeps one chat per database: its metadata in `meta`, its messages in immutable `blobs`. */
export const cursor: AgentTables = {
  needs: NEEDS,
  reads: { meta: { columns: NEEDS.meta }, blobs: { columns: NEEDS.blobs } },
  ignores: [],
  sessions: () => [{ id: 'chat' }],
  *lines(database) {
    const rest = tablesIn(database).filter((name) => !(name in NEEDS) && columnsOf(database, name).size > 0)
    for (const table of [...Object.keys(NEEDS), ...rest])
      for (const row of database.rows(`SELECT * FROM ${quoted(table)}`)) yield line(table, row, ['data'])
  },
}
