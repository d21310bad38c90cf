import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sessionsIn } from '../../../src/sources/databases.ts'
import { Scratch } from '../../../src/sources/scratch.ts'
import type { UnreadRows } from '../../../src/sources/tables/agenttables.ts'
import { type Session2, tables2, user2 } from '../../formats/opencode/session2.ts'
import { newDatabase } from '../../support/database.ts'
import { newFolder } from '../../support/folder.ts'

interface Line {
  readonly table?: string
  readonly row?: { readonly id: string }
  readonly rows?: readonly { readonly id: string }[]
}

interface Found {
  /** By session: the table of its row, and the ids of its messages. */
  readonly sessions: Readonly<Record<string, readonly string[]>>
  readonly unread: readonly UnreadRows[]
}

async function read(...sql: readonly string[]): Promise<Found> {
  const scratch = new Scratch(join(newFolder(), 'scratch.'))
  const unread: UnreadRows[] = []
  try {
    const path = newDatabase(sql.join('\n'), 'opencode.db')
    const sessions: Record<string, string[]> = {}
    for (const content of (await sessionsIn(path, scratch, (rows) => unread.push(rows))) ?? []) {
      const { file } = await content.open()
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
      sessions[content.path.slice(path.length + 1)] = lines.map((line) => {
        const { table, row, rows } = JSON.parse(line) as Line
        if (table === undefined) return rows?.[0]?.id ?? ''
        return table === 'session_message' ? (row?.id ?? '') : table
      })
    }
    return { sessions, unread }
  } finally {
    scratch.close()
  }
}

const OLD = `CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, directory TEXT, time_created INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);`

const oldSession = (id: string, ...messages: readonly (readonly [id: string, at: number])[]): string =>
  [
    `INSERT INTO session VALUES ('${id}', 'prj', '/a', 1);`,
    ...messages.map(
      ([message, at]) =>
        `INSERT INTO message VALUES ('${message}', '${id}', ${at}, ${at}, '{"role":"user"}');`,
    ),
  ].join('\n')

const session = (id: string, ...messages: readonly string[]): Session2 => ({
  id,
  messages: messages.map((message, i) => user2(message, i, 'hi')),
})

const EMPTY_SIDE_TABLE =
  'CREATE TABLE session_message (id TEXT, session_id TEXT, type TEXT, seq INTEGER, data TEXT);'

it('reads a session of both versions from the tables of version 2, one of version 1 from its own', async () => {
  const { sessions, unread } = await read(
    OLD,
    oldSession('ses_1', ['o1', 1]),
    oldSession('ses_2', ['m1', 1], ['m2', 2]),
    tables2([session('ses_2', 'm1', 'm2', 'm3'), session('ses_3', 'n1')]),
  )
  expect(sessions).toEqual({
    ses_2: ['session_v2', 'm1', 'm2', 'm3'],
    ses_3: ['session_v2', 'n1'],
    ses_1: ['session', 'o1'],
  })
  expect(unread).toEqual([])
})

it('reports what version 1 wrote in a session that version 2 had taken over', async () => {
  const { unread } = await read(
    OLD,
    oldSession('ses_2', ['dropped', 1], ['m1', 2], ['newer', 3], ['newest', 4]),
    tables2([session('ses_2', 'm1')]),
  )
  expect(unread).toEqual([
    {
      unread: 'unknown',
      name: "newer rows of table 'message' of sessions that OpenCode 2 took over",
      count: 2,
      note: "the session is read from OpenCode 2's tables",
    },
  ])
})

it('orders messages by their numbers', async () => {
  const { sessions } = await read(
    tables2([session('ses_1', 'b', 'a', 'c')]),
    "UPDATE session_message SET seq = 9 WHERE id = 'b';",
  )
  expect(sessions).toEqual({ ses_1: ['session_v2', 'a', 'c', 'b'] })
})

it('reads the previews, which have the new messages beside the table session', async () => {
  const { sessions } = await read(tables2([session('ses_1', 'a', 'b'), session('ses_2')], 'session'))
  expect(sessions).toEqual({ ses_1: ['session', 'a', 'b'], ses_2: ['session'] })
})

it('reads version 1 where its side table of messages is empty, or has copies', async () => {
  const { sessions } = await read(
    OLD,
    EMPTY_SIDE_TABLE,
    oldSession('ses_1', ['a', 1]),
    oldSession('ses_2', ['b', 1]),
    `INSERT INTO session_message VALUES ('copy', 'ses_2', 'user', 1, '{}');`,
  )
  expect(sessions).toEqual({ ses_1: ['session', 'a'], ses_2: ['session', 'b', 'copy'] })
})

it('reads a session whose messages are in the new table alone from there', async () => {
  const { sessions } = await read(
    OLD,
    EMPTY_SIDE_TABLE,
    oldSession('ses_1'),
    `INSERT INTO session_message VALUES ('b', 'ses_1', 'user', 2, '{}'), ('a', 'ses_1', 'user', 1, '{}');`,
  )
  expect(sessions).toEqual({ ses_1: ['session', 'a', 'b'] })
})

it('returns queued prompts and instructions after the messages', async () => {
  const { sessions } = await read(
    tables2([session('ses_1', 'a')]),
    `CREATE TABLE session_inbox (id TEXT, session_id TEXT, payload TEXT);
     INSERT INTO session_inbox VALUES ('p', 'ses_1', '{"text":"next"}');`,
  )
  expect(sessions).toEqual({ ses_1: ['session_v2', 'a', 'session_inbox'] })
})
