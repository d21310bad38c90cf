import { constants, copyFileSync } from 'node:fs'
import { SessError } from '../model/errors.ts'
import { type FileStat, headOf, kindOf, statOf } from './files.ts'
import type { Scratch } from './scratch.ts'

/** A value of a row. */
export type SqlValue = null | string | number | bigint | Uint8Array

/** A row: values by column. */
export interface SqlRow {
  readonly [column: string]: SqlValue
}

/** A database, open for reading. */
export interface SourceDatabase {
  /** Yields the rows of a query. */
  rows(sql: string, ...values: readonly SqlValue[]): IterableIterator<SqlRow>
  close(): void
}

const MAGIC = 'SQLite format 3\0'

/** Tells by its first bytes whether a file is a SQLite database. */
export const isDatabase = (path: string): boolean =>
  new TextDecoder('latin1').decode(headOf(path, MAGIC.length)) === MAGIC

/** The suffixes of the WAL and of the rollback journal. */
const SIDECARS = ['-wal', '-journal'] as const

/** Returns the suffixes of the existing files of a database, the empty one first. */
const suffixesOf = (path: string): string[] => [
  '',
  ...SIDECARS.filter((end) => kindOf(path + end) === 'file'),
]

/** Returns one stat for a database with its WAL and rollback journal. */
export function databaseStat(path: string): FileStat {
  const stats = suffixesOf(path).map((end) => statOf(path + end))
  return {
    size: stats.reduce((sum, { size }) => sum + size, 0),
    mtime: Math.max(...stats.map(({ mtime }) => mtime)),
    inode: stats[0]?.inode ?? 0,
  }
}

/** The number of attempts to copy a database that is being written. */
const TRIES = 5

/**
 * Opens a copy of a database as of its last commit. The original is not opened, because SQLite would lock it and write to
 * its folder. Throws `unreadable-path` where it keeps changing.
 */
export async function openDatabase(path: string, scratch: Scratch): Promise<SourceDatabase> {
  const file = copyDatabase(path, scratch)
  const { default: sqlite } = await import('node-sqlite3-wasm')
  const database = new sqlite.Database(file, { fileMustExist: true })
  // Without shared memory SQLite reads a WAL only in exclusive mode.
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

/** A new database to be written. */
export interface NewDatabase {
  /** Executes statements. */
  exec(sql: string): void
  insert(table: string, row: SqlRow): void
  close(): void
}

/** Creates a database in a new file. */
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

/** Tells whether an error comes from SQLite: the file is damaged, encrypted, or not a database. */
export const isOfDatabase = (error: unknown): error is Error =>
  error instanceof Error && error.constructor.name === 'SQLite3Error'

function copyDatabase(path: string, scratch: Scratch): string {
  for (let tries = 0; tries < TRIES; tries++) {
    const before = databaseStat(path)
    const file = scratch.file()
    for (const end of suffixesOf(path)) copyFileSync(path + end, file + end, constants.COPYFILE_FICLONE)
    const after = databaseStat(path)
    if (before.size === after.size && before.mtime === after.mtime) return file
  }
  throw new SessError('unreadable-path', path, {
    detail: 'it keeps changing',
    hint: 'stop its agent and import it again',
  })
}
