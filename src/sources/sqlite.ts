import { constants, copyFileSync } from 'node:fs'
import { SessError } from '../model/errors.ts'
import { type FileStat, headOf, kindOf, statOf } from './files.ts'
import type { Scratch } from './scratch.ts'

/** A value of a row. */
export type SqlValue = null | string | number | bigint | Uint8Array

/** A row: its values by column. */
export interface SqlRow {
  readonly [column: string]: SqlValue
}

/** A database, open for reading. */
export interface SourceDatabase {
  /** Gives the rows of a query one after another. */
  rows(sql: string, ...values: readonly SqlValue[]): IterableIterator<SqlRow>
  close(): void
}

const MAGIC = 'SQLite format 3\0'

/** Tells by its first bytes whether a file is a database. */
export const isDatabase = (path: string): boolean =>
  new TextDecoder('latin1').decode(headOf(path, MAGIC.length)) === MAGIC

/** What is committed and not yet in the file, and what is in the file and not yet committed. */
const BESIDE = ['-wal', '-journal'] as const

/** Gives the files that are a database, by what their names have behind its own. */
const filesOf = (path: string): string[] => ['', ...BESIDE.filter((end) => kindOf(path + end) === 'file')]

/** Gives the stat of a database with what stands beside it. */
export function databaseStat(path: string): FileStat {
  const stats = filesOf(path).map((end) => statOf(path + end))
  return {
    size: stats.reduce((sum, { size }) => sum + size, 0),
    mtime: Math.max(...stats.map(({ mtime }) => mtime)),
    inode: stats[0]?.inode ?? 0,
  }
}

/** So often a copy is tried that is written to meanwhile. */
const TRIES = 5

/**
 * Opens a copy of a database as of its last commit: reading a database beside its agent would take locks, and write to
 * its folder. Throws `unreadable-path` where it changes all the time.
 */
export async function openDatabase(path: string, scratch: Scratch): Promise<SourceDatabase> {
  const file = copied(path, scratch)
  const { default: sqlite } = await import('node-sqlite3-wasm')
  const database = new sqlite.Database(file, { fileMustExist: true })
  // Without memory that processes share, what is committed beside the file is read by one connection alone.
  database.exec('PRAGMA locking_mode = EXCLUSIVE')
  return {
    *rows(sql, ...values) {
      const statement = database.prepare(sql)
      try {
        for (const row of statement.iterate([...values])) yield row as SqlRow
      } finally {
        statement.finalize()
      }
    },
    close: () => database.close(),
  }
}

/** A database that is being made. */
export interface NewDatabase {
  /** Runs statements. */
  exec(sql: string): void
  /** Puts a row into a table. */
  insert(table: string, row: SqlRow): void
  close(): void
}

/** Makes a database in a new file. */
export async function newDatabase(file: string): Promise<NewDatabase> {
  const { default: sqlite } = await import('node-sqlite3-wasm')
  const database = new sqlite.Database(file)
  return {
    exec: (sql) => database.exec(sql),
    insert(table, row) {
      const columns = Object.keys(row)
      const sql = `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`
      database.run(
        sql,
        columns.map((column) => row[column] ?? null),
      )
    },
    close: () => database.close(),
  }
}

/** Tells an error of the database itself: it is damaged, encrypted, or no database. */
export const isOfDatabase = (error: unknown): error is Error =>
  error instanceof Error && error.constructor.name === 'SQLite3Error'

function copied(path: string, scratch: Scratch): string {
  for (let tries = 0; tries < TRIES; tries++) {
    const before = databaseStat(path)
    const file = scratch.file()
    for (const end of filesOf(path)) copyFileSync(path + end, file + end, constants.COPYFILE_FICLONE)
    const after = databaseStat(path)
    if (before.size === after.size && before.mtime === after.mtime) return file
  }
  throw new SessError('unreadable-path', path, {
    detail: 'it is written to all the time',
    hint: 'stop its agent and import it again',
  })
}
