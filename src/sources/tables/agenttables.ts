import type { SessionAbout } from '../content.ts'
import type { SourceDatabase, SqlRow } from '../sqlite.ts'

/** A table that is read, as its agent is known to write it. */
export interface KnownTable {
  /**
   * Its known columns. The others come in with their rows, but no reader looks at them: they are reported where they hold
   * values. Absent where every column is read.
   */
  readonly columns?: readonly string[]
  /** The column with the id of the row to which a row belongs, and that row's table. Rows that belong to none are reported. */
  readonly of?: { readonly column: string; readonly table: string }
}

/** Something in a database that looks like sessions and was not read. */
export interface UnreadRows {
  readonly unread: 'unknown' | 'newer-version'
  /** Its description, for people: `table 'session_v9'`. */
  readonly name: string
  readonly count: number
  /** The part that was kept, if there is more to say. */
  readonly note?: string
}

/** One layout in which an agent stores sessions in a database. A database may have tables of several layouts. */
export interface AgentTables {
  /** The columns that identify the layout, by table, and all that its queries name. */
  readonly needs: Readonly<Record<string, readonly string[]>>
  /** The tables that are read, if they are there. */
  readonly reads: Readonly<Record<string, KnownTable>>
  /** Tables that are known to hold no conversation. Every other table that has rows is reported as unread. */
  readonly ignores: readonly string[]
  /** The table with the numbers of the schema's versions, the column, and the newest version that is known. */
  readonly version?: { readonly table: string; readonly column: string; readonly newest: number }
  /** Yields one row per session, the oldest first, with the id in the column `id`. */
  readonly sessions: (database: SourceDatabase) => Iterable<SqlRow>
  /** Yields the lines of a session without newlines, or bytes as they are. `path` is that of the database. */
  readonly lines: (
    database: SourceDatabase,
    session: SqlRow,
    path: string,
  ) => Iterable<string> | AsyncIterable<string | Uint8Array>
  /** Yields the lines of rows about a session that are no part of it. They become a sidecar file. */
  readonly beside?: (database: SourceDatabase, session: SqlRow) => Iterable<string>
  /** Returns what the database tells about a session beside the session itself. */
  readonly about?: (database: SourceDatabase, session: SqlRow) => SessionAbout
  /** The name of a database whose sessions another one beside it took over, which has them in a table. */
  readonly tookOver?: { readonly name: string; readonly by: string; readonly table: string }
  /** Yields what it knows to be unread besides. */
  readonly unread?: (database: SourceDatabase) => Iterable<UnreadRows>
}
