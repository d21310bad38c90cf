import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { detectFormat } from '../../../src/formats/registry.ts'
import { newStore } from '../../support/corpus.ts'
import { newFolder } from '../../support/folder.ts'
import { exported, rows, session, user } from './session.ts'
import { database2, user2 } from './session2.ts'

/** Puts a database where an agent keeps it, and gives the home. */
function homeWith(path: string, name: string): string {
  const home = newFolder()
  const there = join(home, '.local/share', name)
  mkdirSync(dirname(there), { recursive: true })
  copyFileSync(path, there)
  return home
}

it.each([
  ['version 1', () => rows(session([user('msg_1', 0, 'look')]))],
  ['version 2', () => database2([{ id: 'ses_1', messages: [user2('msg_1', 0, 'look')] }])],
])('a session in the tables of %s in the database of Kilo is resumed by Kilo', async (_, make) => {
  const path = make()
  for (const [name, format, command] of [
    ['kilo/kilo.db', 'kilo', ['kilo', '--session', 'ses_1']],
    ['kilo/kilo-beta.db', 'kilo', ['kilo', '--session', 'ses_1']],
    ['opencode/opencode-beta.db', 'opencode', ['opencode', '--session', 'ses_1']],
  ] as const) {
    const store = await newStore()
    const home = homeWith(path, name)
    const { files } = await store.import(join(home, '.local/share', name))
    expect(files.map((file) => [file.session, file.format])).toEqual([['ses_1', format]])
    expect(await store.resume('ses_1', { home, variables: {} })).toMatchObject({ command })
  }
})

it('has the entries of OpenCode, so that a session of both is stored once', async () => {
  const store = await newStore()
  const talk = session([user('msg_1', 0, 'look')])
  const path = rows(talk)
  await store.import(path)
  const { files } = await store.import(join(homeWith(path, 'kilo/kilo.db'), '.local/share/kilo/kilo.db'))
  expect(files.map(({ format, newEntries }) => [format, newEntries])).toEqual([['opencode', 0]])
})

it('is recognised by where a session is alone', async () => {
  const store = await newStore()
  const { files } = await store.import(exported(session([user('msg_1', 0, 'look')])))
  expect(files[0]?.format).toBe('opencode')
  const head = new TextEncoder().encode('{"info":{"id":"ses_1","projectID":"global"},"messages":[]}')
  const sample = { name: 'ses_1.json', head, lines: [], whole: true }
  expect(detectFormat({ ...sample, folder: 'import', above: ['kilo'] }).name).toBe('kilo')
  expect(detectFormat({ ...sample, folder: 'import', above: ['opencode'] }).name).toBe('opencode')
})
