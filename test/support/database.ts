import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import { newFolder } from './folder.ts'

/** Makes a database by statements of SQL, and gives its path. */
export function newDatabase(sql: string, name = 'crush.db'): string {
  const path = join(newFolder(), name)
  const database = new sqlite.Database(path)
  database.exec(sql)
  database.close()
  return path
}
