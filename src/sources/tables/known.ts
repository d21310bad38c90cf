import { createHash } from 'node:crypto'
import type { SourceDatabase } from '../sqlite.ts'
import type { AgentTables } from './agenttables.ts'
import { crush } from './crush.ts'
import { cursor } from './cursor.ts'
import { goose } from './goose.ts'
import { kiro, kiroFolders } from './kiro.ts'
import { openclaw } from './openclaw.ts'
import { opencode, opencode2, opencodeNext } from './opencode.ts'
import { columnsOf } from './rows.ts'

/** All layouts. Of a session that is in the tables of several, the first is read. */
export const LAYOUTS: readonly AgentTables[] = [
  ...[opencode2, opencodeNext, opencode],
  ...[crush, goose, kiro, kiroFolders, openclaw, cursor],
]

/** Returns the layouts of a database's tables, those that are read first in front. */
export const layoutsOf = (database: SourceDatabase): readonly AgentTables[] =>
  LAYOUTS.filter(({ needs }) =>
    Object.entries(needs).every(([table, columns]) => {
      const has = columnsOf(database, table)
      return columns.every((column) => has.has(column))
    }),
  )

/** Identifies the declarations: a note about a database holds until one of them changes. */
export const layoutsDigest = (): string =>
  createHash('sha256').update(JSON.stringify(LAYOUTS)).digest('hex').slice(0, 8)
