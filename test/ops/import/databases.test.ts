import { copyFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import { describe, expect, it } from 'vitest'
import {
  assistant2,
  database2,
  type Row,
  type Session2,
  tables2,
  user2,
} from '../../formats/opencode/session2.ts'
import { newStore } from '../../support/corpus.ts'
import { newDatabase } from '../../support/database.ts'
import { newFolder } from '../../support/folder.ts'

const OLD = `CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, directory TEXT, title TEXT, time_created INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
INSERT INTO session VALUES ('ses_1', 'prj', '/a', 'T', 1);
INSERT INTO message VALUES ('m1', 'ses_1', 1, '{"role":"user"}');
INSERT INTO part VALUES ('p1', 'm1', 'ses_1', '{"type":"text","text":"look"}');`

const context = async (
  store: Awaited<ReturnType<typeof newStore>>,
  id: string,
): Promise<(string | null)[]> => {
  const texts: (string | null)[] = []
  for await (const { oid } of store.log(id)) texts.unshift((await store.show(oid)).text)
  return texts
}

describe('a database of OpenCode', () => {
  it('of version 1 that is taken over by version 2 keeps its sessions', async () => {
    const store = await newStore()
    const path = newDatabase(OLD, 'opencode.db')
    await store.import(path)
    const database = new sqlite.Database(path)
    database.exec(tables2([{ id: 'ses_1', messages: [user2('m1', 1, 'look'), assistant2('m2', 2, 'done')] }]))
    database.close()
    await store.import(path)
    expect((await store.list()).map(({ id }) => id)).toEqual(['ses_1'])
    expect((await (await store.session('ses_1')).branches()).map(({ name }) => name)).toEqual(['main'])
    expect(await context(store, 'ses_1')).toEqual(['look', 'done'])
    expect((await store.import(path)).totals.newObjects).toBe(0)
    expect((await store.fsck()).findings).toEqual([])
  })

  it('of the previews is passed over where the database beside it took its sessions over', async () => {
    const store = await newStore()
    const folder = newFolder()
    const put = (name: string, table: string, ...sessions: readonly Session2[]): void =>
      copyFileSync(newDatabase(tables2(sessions, table)), join(folder, name))
    const taken: Session2 = { id: 'ses_1', messages: [user2('m1', 1, 'look')] }
    put('opencode-next.db', 'session', taken, { id: 'ses_2', messages: [user2('n1', 1, 'else')] })
    put('opencode.db', 'session_v2', { ...taken, messages: [...taken.messages, assistant2('m2', 2, 'done')] })
    const { files, refused } = await store.import(folder)
    expect(files.map(({ session, entries }) => [session, entries])).toEqual([
      ['ses_2', 1],
      ['ses_1', 2],
    ])
    expect(refused).toEqual([])
  })

  it('is read again where one of its sessions has to wait for another file', async () => {
    const store = await newStore()
    const folder = newFolder()
    for (const [i, name] of ['opencode-a.db', 'opencode-b.db'].entries())
      copyFileSync(database2([{ id: 'ses_1', messages: [user2('m1', i, `look ${i}`)] }]), join(folder, name))
    const { files, refused } = await store.import(folder)
    expect([files.length, refused]).toEqual([2, []])
  })

  it('shares the copied messages of a fork with their origin', async () => {
    const messages = [user2('m1', 1, 'look'), assistant2('m2', 2, 'done')]
    const copies = messages.map((one, seq): Row => ({ ...one, id: `msg_9_${seq}` }))
    const origin: Session2 = { id: 'ses_1', messages: [...messages, user2('m3', 3, 'more')] }
    const fork: Session2 = {
      id: 'ses_2',
      row: { fork_session_id: 'ses_1', fork_boundary: { type: 'before', messageID: 'm3' } },
      messages: [...copies, user2('n1', 9, 'less')],
    }
    // The fork may come before its origin.
    for (const sessions of [
      [origin, fork],
      [{ ...fork, row: { ...fork.row, time_created: 1 } }, origin],
    ]) {
      const store = await newStore()
      const { totals, files } = await store.import(database2(sessions))
      expect(files.reduce((sum, { newEntries }) => sum + newEntries, 0)).toBe(4)
      expect(totals.entries).toBe(6)
      expect((await (await store.session('ses_2')).info()).parent).toBe('ses_1')
    }
  })
})

/** Dates a file a while back: one that was changed just now is read again each time. */
const makeOld = (path: string): void => utimesSync(path, 1_700_000_000, 1_700_000_000)

describe('what is not read of a database', () => {
  const sql = `${tables2([{ id: 'ses_1', messages: [user2('m', 0, 'hi')] }])} ALTER TABLE session_v2 ADD COLUMN aura;
    UPDATE session_v2 SET aura = 1; CREATE TABLE session_v3 (id); INSERT INTO session_v3 VALUES (1);`
  const found = (path: string) => [
    {
      ...{ path, unread: 'unknown', name: "column 'aura' of table 'session_v2'", count: 1 },
      note: 'its values are kept with their rows',
    },
    { path, unread: 'newer-version', name: "table 'session_v3'", count: 1 },
  ]

  it('is reported again while the database is as it was', async () => {
    const store = await newStore()
    const path = newDatabase(sql, 'opencode.db')
    makeOld(path)
    for (const newObjects of [true, false]) {
      const { unread, totals } = await store.import(path)
      expect(unread).toEqual(found(path))
      expect(totals.newObjects > 0).toBe(newObjects)
    }
  })

  it('is reported of a database of no known agent, in a folder and by its name', async () => {
    const store = await newStore()
    const path = newDatabase('CREATE TABLE chat_v7 (a); INSERT INTO chat_v7 VALUES (1)', 'opencode.db')
    const expected = [{ path, unread: 'unknown', name: "table 'chat_v7'", count: 1 }]
    makeOld(path)
    for (const source of [join(path, '..'), join(path, '..'), path, path]) {
      const { unread, skipped, files } = await store.import(source)
      expect(unread).toEqual(expected)
      expect([skipped.length, files.length]).toEqual(source === path ? [0, 1] : [1, 0])
    }
  })

  it('is nothing where tables are empty', async () => {
    const store = await newStore()
    const { unread } = await store.import(join(newDatabase('CREATE TABLE chat (a)'), '..'))
    expect(unread).toEqual([])
    expect((await store.import(newFolder())).unread).toEqual([])
  })
})
