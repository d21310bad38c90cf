import sqlite from 'node-sqlite3-wasm'
import { expect, it } from 'vitest'
import {
  assistant2,
  database2,
  type Row,
  row2,
  type Session2,
  T,
  tool2,
  user2,
} from '../../formats/opencode/session2.ts'
import { newStore } from '../../support/corpus.ts'

const session = (...messages: readonly Row[]): Session2 => ({ id: 'ses_1', messages })

async function imported(...sessions: readonly Session2[]) {
  const store = await newStore()
  const path = database2(sessions)
  const change = (sql: string): void => {
    const database = new sqlite.Database(path)
    database.exec(sql)
    database.close()
  }
  const run = () => store.import(path)
  const textsOf = async (branch: string): Promise<(string | null)[]> => {
    const texts: (string | null)[] = []
    for await (const { oid } of store.log(branch)) texts.unshift((await store.show(oid)).text)
    return texts
  }
  const branches = async (): Promise<Record<string, (string | null)[]>> => {
    const all: Record<string, (string | null)[]> = {}
    for (const { name } of await (await store.session('ses_1')).branches())
      all[name.replace(/^at-.*/, 'at')] = await textsOf(`ses_1/${name}`)
    return all
  }
  await run()
  return { store, change, run, branches }
}

const json = (row: Row): string => `'${JSON.stringify(row.data).replaceAll("'", "''")}'`

const STREAMING = row2('assistant', 'b', 1, {
  model: { providerID: 'p', id: 'm' },
  content: [{ type: 'text', text: 'I am look' }, tool2('c', 'read', { status: 'running', input: {} })],
})
const ASK = user2('a', 0, 'look')
const ANSWER = assistant2('b', 1, 'I am looking.')
const NEXT = user2('c', 2, 'paint it')
const LAST = assistant2('d', 3, 'painted')

it('replaces a message that its agent completes, without a branch of what it was', async () => {
  const { store, change, run, branches } = await imported(session(ASK, STREAMING))
  change(`UPDATE session_message SET data = ${json(ANSWER)} WHERE id = 'b'`)
  await run()
  expect(await branches()).toEqual({ main: ['look', 'I am looking.'] })
  expect(await store.list()).toHaveLength(1)
  expect((await store.fsck()).findings).toEqual([])
})

it('keeps messages that their agent has deleted in a branch, and says so', async () => {
  const { change, run, branches } = await imported(session(ASK, ANSWER, NEXT, LAST))
  change('DELETE FROM session_message WHERE seq >= 2; UPDATE session_v2 SET time_updated = 9')
  const { files } = await run()
  expect(files[0]?.warnings.map(({ code }) => code)).toEqual(['deleted-messages'])
  const expected = { main: ['look', 'I am looking.'], at: ['look', 'I am looking.', 'paint it', 'painted'] }
  expect(await branches()).toEqual(expected)
  change(
    `INSERT INTO session_message VALUES ('e', 'ses_1', 'user', 9, ${T}, ${T}, ${json(user2('e', 9, 'leave it'))})`,
  )
  await run()
  expect(await branches()).toEqual({ ...expected, main: ['look', 'I am looking.', 'leave it'] })
})

it('goes back also where nothing but rows at the end were deleted', async () => {
  const { change, run, branches } = await imported(session(ASK, ANSWER, NEXT))
  change('DELETE FROM session_message WHERE seq = 2')
  await run()
  expect((await branches()).main).toEqual(['look', 'I am looking.'])
})

it('keeps the branch of a staged revert when it is done', async () => {
  const { change, run, branches } = await imported({
    ...session(ASK, ANSWER, NEXT, LAST),
    row: { revert: { messageID: 'c' } },
  })
  const staged = { main: ['look', 'I am looking.'], at: ['look', 'I am looking.', 'paint it', 'painted'] }
  expect(await branches()).toEqual(staged)
  change('DELETE FROM session_message WHERE seq >= 2; UPDATE session_v2 SET revert = NULL')
  await run()
  expect(await branches()).toEqual(staged)
})

it('keeps all messages of a session whose rows are gone', async () => {
  const { change, run, branches } = await imported(session(ASK, ANSWER))
  change('DELETE FROM session_message')
  await run()
  expect(await branches()).toEqual({ main: ['look', 'I am looking.'] })
})
