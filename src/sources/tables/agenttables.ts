import type { SessionAbout } from '../content.ts'
import type { SourceDatabase, SqlRow } from '../sqlite.ts'

/** A table that is read, as its agent is known to write it. */
export interface KnownTable {
  /**
   * Its known columns. The others come in with their rows, but no reader looks at them: they are reported where they hold
   * values. Absent where every column is read.
   */
  readonly columns?: readonly string[]
  /** The column with the id of the row to which a row belongs, and that row's table. A row without one is reported. */
  readonly of?: { readonly column: string; readonly table: string }
}

/** One layout in which an agent stores sessions in a database. A database may have tables of several layouts. */
export interface AgentTables {
  /** The columns that identify the layout, by table. */
  readonly needs: Readonly<Record<string, readonly string[]>>
  /** The tables that are read. */
  readonly reads: Readonly<Record<string, KnownTable>>
  /** Tables that are known to hold no conversation. Every other table that has rows is reported as unread. */
  readonly ignores: readonly string[]
  /** Yields one row per session, the oldest first, with the id in the column `id`. */
  sessions(database: SourceDatabase): Iterable<SqlRow>
  /** Yields the lines of a session without newlines, or bytes as they are. `path` is that of the database. */
  lines(
    database: SourceDatabase,
    session: SqlRow,
    path: string,
  ): Iterable<string> | AsyncIterable<string | Uint8Array>
  /** Yields the lines of rows about a session that are no part of it. They become a sidecar file. */
  beside?(database: SourceDatabase, session: SqlRow): Iterable<string>
  /** Returns what the database tells about a session beside the session itself. */
  about?(database: SourceDatabase, session: SqlRow): SessionAbout
}
