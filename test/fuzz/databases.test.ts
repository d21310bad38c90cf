import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sqlite from 'node-sqlite3-wasm'
import { expect, it } from 'vitest'
import { sampleOf } from '../../src/formats/core/sample.ts'
import { detectFormat } from '../../src/formats/registry.ts'
import { newStore } from '../support/corpus.ts'
import { newFolder } from '../support/folder.ts'

const hex = (value: object): string => Buffer.from(JSON.stringify(value)).toString('hex')
const blob = (value: object): string => `x'${hex(value)}'`

/** The ids of three messages of Cursor, and a state that lists the first of them. */
const IDS = ['a', 'b', 'c'].map((digit) => digit.repeat(64))
const listing = (count: number): string =>
  `x'${IDS.slice(0, count)
    .map((id) => `0a20${id}`)
    .join('')}'`
const named = (latest: string): string => hex({ agentId: 'chat-1', latestRootBlobId: latest })

/** The changes that agents make to their databases, step by step: each adds rows, some change counters. */
const DATABASES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  opencode: [
    `CREATE TABLE session (id TEXT, project_id TEXT, directory TEXT, title TEXT, time_created INTEGER);
     CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
     CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);
     INSERT INTO session VALUES ('ses_1', 'p', '/w', 'New', 1);
     INSERT INTO message VALUES ('msg_1', 'ses_1', 1, '{"role":"user"}');
     INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', '{"type":"text","text":"hi"}')`,
    `INSERT INTO message VALUES ('msg_2', 'ses_1', 2, '{"role":"assistant"}');
     INSERT INTO part VALUES ('prt_2', 'msg_2', 'ses_1', '{"type":"text","text":"ho"}')`,
    `UPDATE session SET title = 'Tides';
     INSERT INTO message VALUES ('msg_3', 'ses_1', 3, '{"role":"user"}');
     INSERT INTO part VALUES ('prt_3', 'msg_3', 'ses_1', '{"type":"text","text":"more"}')`,
  ],
  crush: [
    `CREATE TABLE sessions (id TEXT, parent_session_id TEXT, title TEXT, message_count INTEGER, created_at INTEGER);
     CREATE TABLE messages (id TEXT, session_id TEXT, role TEXT, parts TEXT, created_at INTEGER);
     INSERT INTO sessions VALUES ('s', NULL, 'T', 1, 1);
     INSERT INTO messages VALUES ('a', 's', 'user', '[{"type":"text","data":{"text":"hi"}}]', 1)`,
    `UPDATE sessions SET message_count = 2;
     INSERT INTO messages VALUES ('b', 's', 'assistant', '[{"type":"text","data":{"text":"ho"}}]', 2)`,
    `INSERT INTO sessions VALUES ('a$$c', 's', 'look', 0, 2)`,
  ],
  goose: [
    `CREATE TABLE sessions (id TEXT, name TEXT, working_dir TEXT, total_tokens INTEGER, created_at TEXT);
     CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content_json TEXT, metadata_json TEXT);
     INSERT INTO sessions VALUES ('20260101_1', 'T', '/w', 1, '2026-01-01 10:00:00');
     INSERT INTO messages VALUES (1, '20260101_1', 'user', '[{"type":"text","text":"hi"}]', '{"agentVisible":true}')`,
    `UPDATE sessions SET total_tokens = 9;
     UPDATE messages SET metadata_json = '{"agentVisible":false,"userVisible":true}';
     INSERT INTO messages VALUES (2, '20260101_1', 'user', '[{"type":"text","text":"so far"}]', '{"userVisible":false}')`,
  ],
  'cursor-chat': [
    `CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB);
     CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
     INSERT INTO meta VALUES ('0', '${named('r1')}');
     INSERT INTO blobs VALUES ('${IDS[0]}', ${blob({ role: 'user', content: 'hi' })}), ('r1', ${listing(1)})`,
    `INSERT INTO blobs VALUES ('${IDS[1]}', ${blob({ role: 'assistant', content: 'ho' })}), ('r2', ${listing(2)});
     UPDATE meta SET value = '${named('r2')}'`,
    `INSERT INTO blobs VALUES ('${IDS[2]}', ${blob({ role: 'user', content: 'more' })}), ('r3', ${listing(3)});
     UPDATE meta SET value = '${named('r3')}'`,
  ],
}

interface Outcome {
  /** The entries of each branch of each session, newest first. */
  readonly branches: Readonly<Record<string, readonly string[]>>
  readonly formats: readonly (string | null)[]
}

/** Imports a database after each of some steps, and gives what became of it then. */
async function read(steps: readonly string[]): Promise<Outcome[]> {
  const folder = newFolder()
  const store = await newStore(join(folder, 'store'))
  const path = join(folder, 'agent.db')
  const outcomes: Outcome[] = []
  for (const sql of steps) {
    const database = new sqlite.Database(path)
    database.exec(sql)
    database.close()
    const { refused } = await store.import(path)
    expect(refused).toEqual([])
    const branches: Record<string, readonly string[]> = {}
    const listed = await store.list()
    for (const { id } of listed)
      for (const { name } of await (await store.session(id)).branches()) {
        const oids: string[] = []
        for await (const { oid } of store.log(`${id}/${name}`)) oids.push(oid)
        branches[`${id}/${name}`] = oids
      }
    outcomes.push({ branches, formats: [...new Set(listed.map(({ format }) => format))] })
  }
  expect((await store.fsck()).findings).toEqual([])
  return outcomes
}

it.each(Object.entries(DATABASES))(
  'a database of %s that grows is the same as at once',
  async (format, steps) => {
    const [once] = await read([steps.join(';\n')])
    const grown = await read(steps)
    expect(grown.at(-1)).toEqual(once)
    expect(once?.formats).toEqual([format])
    // A message that was read once does not change.
    for (const [i, { branches }] of grown.slice(1).entries())
      for (const [name, oids] of Object.entries(grown[i]?.branches ?? {}))
        expect(branches[name]?.slice(-oids.length)).toEqual(oids)
  },
)

it('leaves no format out that has rows', () => {
  const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url))
  const rows = readdirSync(fixtures).flatMap((folder) => {
    if (!readdirSync(join(fixtures, folder)).includes('rows.jsonl')) return []
    const bytes = readFileSync(join(fixtures, folder, 'rows.jsonl'))
    return [detectFormat(sampleOf('rows.jsonl', bytes, bytes.length)).name]
  })
  expect(rows.sort()).toEqual(Object.keys(DATABASES).sort())
})
