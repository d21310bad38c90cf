import { constants, copyFileSync, realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { SessError } from '../model/errors.ts'
import { type FileStat, headOf, kindWithin, statOf } from './files.ts'
import type { Scratch } from './scratch.ts'

/** A value of a row. */
export type SqlValue = null | string | number | bigint | Uint8Array

/** A row: values by column. */
export interface SqlRow {
  readonly [column: string]: SqlValue
}

/** A database, open for reading. */
export interface SourceDatabase {
  rows(sql: string, ...values: readonly SqlValue[]): IterableIterator<SqlRow>
  close(): void
}

const MAGIC = 'SQLite format 3\0'

/** Returns whether a file is a SQLite database, by its first bytes. */
export const isDatabase = (path: string): boolean =>
  new TextDecoder('latin1').decode(headOf(path, MAGIC.length)) === MAGIC

/** The suffixes of the WAL and of the rollback journal. */
const SIDECARS = ['-wal', '-journal'] as const

/** The files of a database by their suffixes, that of the database itself first, whose suffix is empty. */
type DatabaseFiles = readonly (readonly [suffix: string, path: string])[]

/**
 * Returns the existing files of a database. Where its path is a symbolic link, the WAL is next to the file that the link
 * leads to, as for SQLite. Throws `unreadable-path` where the WAL itself is a link.
 */
function filesOf(path: string): DatabaseFiles {
  const real = realpathSync(path)
  const sidecars = SIDECARS.filter((suffix) => {
    const name = basename(real) + suffix
    const onLink = (link: string): never => {
      throw new SessError('unreadable-path', path, {
        detail: `'${link}' is a symbolic link`,
        hint: 'replace the link by the file that it leads to',
      })
    }
    return kindWithin(dirname(real), name, onLink) === 'file'
  })
  return ['', ...sidecars].map((suffix) => [suffix, real + suffix] as const)
}

/** Returns one stat for a database with its WAL and rollback journal. */
export function databaseStat(path: string): FileStat {
  const stats = filesOf(path).map(([, file]) => statOf(file))
  return {
    size: stats.reduce((sum, { size }) => sum + size, 0),
    mtime: Math.max(...stats.map(({ mtime }) => mtime)),
    inode: stats[0]?.inode ?? 0,
  }
}

/** The number of attempts to copy a database that is being written. */
const TRIES = 5

/** The number of times that the values of a database may be read, and the bytes that are read besides. */
const MAX_READS = 16
const MAX_OTHER_BYTES = 16 << 20

/**
 * Opens a copy of a database as of its last commit. The original is not opened, because SQLite would lock it and write to
 * its folder. Throws `unreadable-path` where it keeps changing, and while it is read where its rows have far more bytes
 * than the file: pages that lead to one another, or a long default value, make a small file endless.
 */
export async function openDatabase(path: string, scratch: Scratch): Promise<SourceDatabase> {
  const file = copyDatabase(path, scratch)
  const { default: sqlite } = await import('node-sqlite3-wasm')
  const database = new sqlite.Database(file, { fileMustExist: true })
  // Without shared memory SQLite reads a WAL only in exclusive mode.
  database.exec('PRAGMA locking_mode = EXCLUSIVE')
  let left = MAX_READS * databaseStat(path).size + MAX_OTHER_BYTES
  return {
    *rows(sql, ...values) {
      const statement = database.prepare(sql)
      try {
        for (const row of statement.iterate([...values]) as IterableIterator<SqlRow>) {
          left -= sizeOf(row)
          if (left < 0) throw new SessError('unreadable-path', path, { detail: ENDLESS, hint: DAMAGED })
          yield row
        }
      } finally {
        statement.finalize()
      }
    },
    close: () => database.close(),
  }
}

const ENDLESS = 'it unfolds into far more than its size'

/** Returns about how many bytes the values of a row take. */
function sizeOf(row: SqlRow): number {
  let size = 0
  for (const column in row) {
    const value = row[column]
    size += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8
  }
  return size
}

/** A new database to be written. */
export interface NewDatabase {
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

/** Returns the error for a database that SQLite cannot read because it is damaged or encrypted; any other error as it is. */
export const databaseError = (path: string, error: unknown): unknown =>
  error instanceof Error && error.constructor.name === 'SQLite3Error'
    ? new SessError('unreadable-path', path, { detail: error.message, hint: DAMAGED, cause: error })
    : error

const DAMAGED = "the database is damaged or encrypted: restore a backup of it, or try 'sqlite3 FILE .recover'"

function copyDatabase(path: string, scratch: Scratch): string {
  for (let tries = 0; tries < TRIES; tries++) {
    const before = databaseStat(path)
    const file = scratch.file()
    for (const [suffix, from] of filesOf(path)) copyFileSync(from, file + suffix, constants.COPYFILE_FICLONE)
    const after = databaseStat(path)
    if (before.size === after.size && before.mtime === after.mtime) return file
  }
  throw new SessError('unreadable-path', path, {
    detail: 'it keeps changing',
    hint: 'stop its agent and import it again',
  })
}
