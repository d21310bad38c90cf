import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sessionsIn } from '../../../src/sources/databases.ts'
import { Scratch } from '../../../src/sources/scratch.ts'
import type { UnreadRows } from '../../../src/sources/tables/agenttables.ts'
import { LAYOUTS } from '../../../src/sources/tables/known.ts'
import { newDatabase } from '../../support/database.ts'
import { newFolder } from '../../support/folder.ts'

async function unreadIn(sql: string): Promise<UnreadRows[]> {
  const scratch = new Scratch(join(newFolder(), 'scratch.'))
  const unread: UnreadRows[] = []
  try {
    await sessionsIn(newDatabase(sql), scratch, (rows) => unread.push(rows))
    return unread
  } finally {
    scratch.close()
  }
}

/** Makes the tables by which a layout is recognised, with a row each. */
const tablesOf = (needs: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(needs)
    .map(([table, columns]) => {
      const values = columns.map(() => "'x'").join()
      return `CREATE TABLE ${table} (${columns.join()}); INSERT INTO ${table} VALUES (${values});`
    })
    .join('\n')

const column = (name: string, table: string, count: number): UnreadRows => ({
  ...{ unread: 'unknown', name: `column '${name}' of table '${table}'`, count },
  note: 'its values are kept with their rows',
})

describe.each(LAYOUTS.map(({ needs, reads }) => [Object.keys(needs).join(', '), needs, reads] as const))(
  'a database with the tables %s',
  (_, needs, reads) => {
    it('is read whole as its agent writes it', async () => {
      expect(await unreadIn(tablesOf(needs))).toEqual([])
    })

    it('is reported where it has a table with rows that nobody knows', async () => {
      const invented = `CREATE TABLE hologram (a); INSERT INTO hologram VALUES (1), (2);
        CREATE TABLE empty_one (a);`
      expect(await unreadIn(tablesOf(needs) + invented)).toEqual([
        { unread: 'unknown', name: "table 'hologram'", count: 2 },
      ])
    })

    it('is reported where one of its tables has a column with values that nobody reads', async () => {
      const tables = Object.keys(needs).filter((table) => table in reads)
      const invented = tables.map(
        (table) => `ALTER TABLE ${table} ADD COLUMN aura; UPDATE ${table} SET aura = 7;
          ALTER TABLE ${table} ADD COLUMN unused;`,
      )
      expect(await unreadIn(tablesOf(needs) + invented.join(''))).toEqual(
        tables.map((table) => column('aura', table, 1)),
      )
    })
  },
)

const CRUSH = `CREATE TABLE sessions (id, parent_session_id, title, created_at);
CREATE TABLE messages (id, session_id, role, parts, created_at); INSERT INTO sessions VALUES ('s', NULL, 'T', 1);`

it('reports a table with the name of one that is read and a number as a newer version', async () => {
  expect(
    await unreadIn(`${CRUSH} CREATE TABLE sessions_v2 (id); INSERT INTO sessions_v2 VALUES (1);`),
  ).toEqual([{ unread: 'newer-version', name: "table 'sessions_v2'", count: 1 }])
})

it('reports a version of the schema after the newest that is known', async () => {
  const goose = `CREATE TABLE sessions (id, working_dir); CREATE TABLE messages (id, session_id, role, content_json);
    CREATE TABLE schema_version (version INTEGER);`
  expect(await unreadIn(`${goose} INSERT INTO schema_version VALUES (1), (17);`)).toEqual([])
  expect(await unreadIn(`${goose} INSERT INTO schema_version VALUES (1), (9001);`)).toEqual([
    { unread: 'newer-version', name: "versions after 17 in table 'schema_version'", count: 1 },
  ])
})

it('reports rows that belong to no session', async () => {
  const rows =
    "INSERT INTO messages VALUES ('a', 's', '', '', 1), ('b', 'gone', '', '', 1), ('c', NULL, '', '', 1);"
  expect(await unreadIn(CRUSH + rows)).toEqual([
    { unread: 'unknown', name: "rows of table 'messages' that belong to no session", count: 2 },
  ])
})

it('reports sessions whose id another has', async () => {
  expect(await unreadIn(`${CRUSH} INSERT INTO sessions VALUES ('s', NULL, 'U', 2);`)).toEqual([
    { unread: 'unknown', name: 'sessions with the id of another', count: 1 },
  ])
})

it('reports all tables with rows where none is of a known agent', async () => {
  const sql = `CREATE TABLE session_v9 (id); INSERT INTO session_v9 VALUES (1); CREATE TABLE none (id);
    CREATE TABLE "odd ""one" (a); INSERT INTO "odd ""one" VALUES (1);`
  expect(await unreadIn(sql)).toEqual([
    { unread: 'unknown', name: "table 'session_v9'", count: 1 },
    { unread: 'unknown', name: `table 'odd "one'`, count: 1 },
  ])
})

it('names at most twenty, those that look like sessions in front', async () => {
  const tables = Array.from(
    { length: 700 },
    (_, i) => `CREATE TABLE t${i} (a); INSERT INTO t${i} VALUES (1), (2);`,
  )
  const chats = 'CREATE TABLE chats (a); INSERT INTO chats VALUES (1);'
  const found = await unreadIn(`BEGIN; ${tables.join('')} ${chats} COMMIT`)
  expect(found).toHaveLength(21)
  expect(found[0]?.name).toBe("table 'chats'")
  expect(found.at(-1)).toEqual({ unread: 'unknown', name: '481 more tables or columns', count: 1161 })
})

it.each([
  [
    'a view that never ends',
    'CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;',
    [],
  ],
  // Added after the row: an insertion computes each column.
  [
    'a column that is computed',
    'CREATE TABLE t (a); INSERT INTO t VALUES (1); ALTER TABLE t ADD COLUMN b AS (hex(zeroblob(400000000)));',
    [{ unread: 'unknown', name: "table 't'", count: 1 }],
  ],
  [
    'a table that is read, with a column that is computed',
    'CREATE TABLE read_files (session_id); INSERT INTO read_files VALUES (1); ALTER TABLE read_files ADD COLUMN b AS (hex(zeroblob(400000000)));',
    [{ unread: 'unknown', name: "table 'read_files'", count: 1 }],
  ],
  [
    'an index of an expression',
    'CREATE TABLE t (a); CREATE INDEX i ON t (abs(a)); INSERT INTO t VALUES (1);',
    [{ unread: 'unknown', name: "table 't'", count: 1 }],
  ],
])('counts without running %s', async (_, sql, expected) => {
  expect(await unreadIn(CRUSH + sql)).toEqual(expected)
})
