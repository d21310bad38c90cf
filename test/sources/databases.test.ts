import { copyFileSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import { expect, it } from 'vitest'
import { mayBeDatabase, sessionsIn } from '../../src/sources/databases.ts'
import { Scratch } from '../../src/sources/scratch.ts'
import { newDatabase } from '../support/database.ts'
import { newFolder } from '../support/folder.ts'

/** Returns the lines of each session in a database, by the path under which it is known. */
async function linesIn(path: string): Promise<Record<string, string[]> | undefined> {
  const scratch = new Scratch(join(newFolder(), 'scratch.'))
  try {
    const contents = await sessionsIn(path, scratch)
    if (!contents) return undefined
    const lines: Record<string, string[]> = {}
    for (const content of contents) {
      const { file } = await content.open()
      lines[content.path.slice(path.length)] = readFileSync(file, 'utf8').split('\n').slice(0, -1)
    }
    return lines
  } finally {
    scratch.close()
  }
}

it('recognizes possible databases by their names', () => {
  const names = [
    'opencode.db',
    'crush.db',
    'store.db',
    'x.sqlite',
    'x.sqlite3',
    'crush.db-wal',
    'db',
    'a.jsonl',
  ]
  expect(names.filter((name) => mayBeDatabase(`/a/${name}`))).toEqual(names.slice(0, 5))
})

const CRUSH = `
CREATE TABLE sessions (id TEXT, parent_session_id TEXT, title TEXT, cost REAL, big INTEGER, raw BLOB, created_at INTEGER);
CREATE TABLE messages (id TEXT, session_id TEXT, role TEXT, parts TEXT, created_at INTEGER);
INSERT INTO sessions VALUES ('s', NULL, 'T', 0.5, 9007199254740993, x'00ff', 2), ('r', NULL, 'U', 9e999, 1, NULL, 1);
INSERT INTO messages VALUES ('b', 's', 'user', 'no json', 2), ('a', 's', 'user', '[ {"type":"text"}]', 1);
INSERT INTO messages VALUES ('c', 's', 'user', '{"$blob":""}', 3), ('d', 's', 'user', '[1,\n2]', 4);
`

it('returns every row and value of a session in a fixed order', async () => {
  const lines = await linesIn(newDatabase(CRUSH))
  expect(lines).toEqual({
    '#r': [
      '{"table":"sessions","row":{"id":"r","parent_session_id":null,"title":"U","cost":{"$real":"Infinity"},"big":1,"raw":null,"created_at":1}}',
    ],
    '#s': [
      '{"table":"sessions","row":{"id":"s","parent_session_id":null,"title":"T","cost":0.5,"big":{"$integer":"9007199254740993"},"raw":{"$blob":"AP8="},"created_at":2}}',
      '{"table":"messages","row":{"id":"a","session_id":"s","role":"user","parts":[ {"type":"text"}],"created_at":1}}',
      '{"table":"messages","row":{"id":"b","session_id":"s","role":"user","parts":"no json","created_at":2}}',
      '{"table":"messages","row":{"id":"c","session_id":"s","role":"user","parts":"{\\"$blob\\":\\"\\"}","created_at":3}}',
      '{"table":"messages","row":{"id":"d","session_id":"s","role":"user","parts":"[1,\\n2]","created_at":4}}',
    ],
  })
})

it('returns every row of a chat of Cursor, with blobs that hold JSON embedded', async () => {
  const lines = await linesIn(
    newDatabase(`
CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE "odd ""one" (a REAL);
INSERT INTO meta VALUES ('0', '7b7d');
INSERT INTO blobs VALUES ('f', CAST('{"role":"user","content":"é"}' AS BLOB)), ('a', x'0a20ff'), ('b', CAST('{' AS BLOB));
INSERT INTO "odd ""one" VALUES (1.5);
`),
  )
  expect(lines).toEqual({
    '#chat': [
      '{"table":"meta","row":{"key":"0","value":"7b7d"}}',
      '{"table":"blobs","row":{"id":"f","data":{"$bytes":{"role":"user","content":"é"}}}}',
      '{"table":"blobs","row":{"id":"a","data":{"$blob":"CiD/"}}}',
      '{"table":"blobs","row":{"id":"b","data":{"$blob":"ew=="}}}',
      '{"table":"odd \\"one","row":{"a":1.5}}',
    ],
  })
})

it('returns nothing for tables of no known agent', async () => {
  expect(await linesIn(newDatabase('CREATE TABLE t (a)'))).toBeUndefined()
})

it.each([
  [
    'a view that never ends',
    'CREATE VIEW messages AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, 1 AS session_id, 2 AS role, 3 AS parts FROM n',
  ],
  [
    'a column that is computed',
    'CREATE TABLE messages (id TEXT, session_id TEXT, role TEXT, parts TEXT AS (hex(zeroblob(400000000))))',
  ],
])('looks into no %s', async (_, made) => {
  const path = newDatabase(
    `CREATE TABLE sessions (id TEXT, parent_session_id TEXT, title TEXT); INSERT INTO sessions VALUES ('s', NULL, 'T'); ${made}`,
  )
  expect(await linesIn(path)).toBeUndefined()
})

it('refuses a database that unfolds into far more than its size', async () => {
  const rows =
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT i, 1, 2, i FROM n'
  const path = newDatabase(`CREATE TABLE sessions (id, parent_session_id, title, created_at);
    CREATE TABLE messages (id, session_id, role, parts, created_at); INSERT INTO sessions ${rows};
    ALTER TABLE sessions ADD COLUMN big TEXT DEFAULT '${'x'.repeat(100_000)}'`)
  expect(statSync(path).size).toBeLessThan(1 << 20)
  await expect(linesIn(path)).rejects.toMatchObject({
    code: 'unreadable-path',
    message: expect.stringContaining('it unfolds into far more than its size') as string,
  })
})

it('refuses a file that only begins like a database', async () => {
  const path = join(newFolder(), 'crush.db')
  writeFileSync(path, `SQLite format 3\0${'x'.repeat(5000)}`)
  await expect(linesIn(path)).rejects.toMatchObject({
    code: 'unreadable-path',
    hint: "the database is damaged or encrypted: restore a backup of it, or try 'sqlite3 FILE .recover'",
  })
})

/** Makes a database whose last message is in its WAL only, as its agent leaves it when it is killed. */
function databaseWithWal(): string {
  const path = newDatabase(CRUSH)
  const writer = new sqlite.Database(path)
  writer.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0')
  writer.exec("INSERT INTO messages VALUES ('e', 'r', 'user', '[]', 1)")
  const copy = join(newFolder(), 'crush.db')
  for (const end of ['', '-wal']) copyFileSync(path + end, copy + end)
  writer.close()
  return copy
}

it('reads what is committed in the WAL, and leaves the folder unchanged', async () => {
  const copy = databaseWithWal()
  const state = (): unknown =>
    readdirSync(join(copy, '..')).map((name) => [name, statSync(join(copy, '..', name)).mtimeMs])
  const before = state()
  expect((await linesIn(copy))?.['#r']?.at(-1)).toBe(
    '{"table":"messages","row":{"id":"e","session_id":"r","role":"user","parts":[],"created_at":1}}',
  )
  expect(state()).toEqual(before)
  expect(before).toHaveLength(2)
})

it('reads the WAL next to the file that a symbolic link leads to', async () => {
  const [path, link] = [databaseWithWal(), join(newFolder(), 'link.db')]
  symlinkSync(path, link)
  expect(await linesIn(link)).toEqual(await linesIn(path))
  expect((await linesIn(link))?.['#r']).toHaveLength(2)
})

it('refuses a database whose WAL is a symbolic link', async () => {
  const [path, other] = [databaseWithWal(), newDatabase(CRUSH)]
  symlinkSync(`${path}-wal`, `${other}-wal`)
  await expect(linesIn(other)).rejects.toMatchObject({
    code: 'unreadable-path',
    message: `'${other}' could not be read ('${other}-wal' is a symbolic link)`,
  })
})
