import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sessionsIn } from '../../../src/sources/databases.ts'
import { Scratch } from '../../../src/sources/scratch.ts'
import { newDatabase } from '../../support/database.ts'
import { newFolder } from '../../support/folder.ts'

/** Returns the text of each session in a database, by the path under which it is known. */
async function textIn(sql: string): Promise<Record<string, string>> {
  const scratch = new Scratch(join(newFolder(), 'scratch.'))
  try {
    const path = newDatabase(sql, 'data.sqlite3')
    const texts: Record<string, string> = {}
    for (const content of (await sessionsIn(path, scratch)) ?? [])
      texts[content.path.slice(path.length)] = readFileSync((await content.open()).file, 'utf8')
    return texts
  } finally {
    scratch.close()
  }
}

const TABLE =
  'CREATE TABLE conversations_v2 (key TEXT, conversation_id TEXT, value TEXT, created_at INTEGER, updated_at INTEGER);'

it('spells the turns of a conversation as its row does, and the row without them', async () => {
  const value = '{"conversation_id":"c","history":[{"user":{"n":1.0} ,"assistant":null,"x":1e3},7,[]],"a":[]}'
  expect(await textIn(`${TABLE} INSERT INTO conversations_v2 VALUES ('/a', 'c', '${value}', 1, 2)`)).toEqual({
    '#c': [
      '{"table":"conversations_v2","row":{"key":"/a","conversation_id":"c","value":{"conversation_id":"c","history":[],"a":[]},"created_at":1,"updated_at":2}}',
      '{"turn":0,"user":{"n":1.0} }',
      '{"turn":0,"assistant":null,"x":1e3}',
      '{"turn":1,"value":7}',
      '',
    ].join('\n'),
  })
})

it('keeps rows whose value is no conversation, and a document over several lines as it is', async () => {
  const rows = [
    "('/a', 'none', 'no json', 1, 1)",
    `('/a', 'list', '{"history":{}}', 2, 2)`,
    `('/a', 'long', '{"history":[\n{"user":{"a":1}}]}', 3, 3)`,
  ]
  const row = (id: string, value: string, time: number): string =>
    `{"table":"conversations_v2","row":{"key":"/a","conversation_id":"${id}","value":${value},"created_at":${time},"updated_at":${time}}}\n`
  expect(await textIn(`${TABLE} INSERT INTO conversations_v2 VALUES ${rows.join(', ')}`)).toEqual({
    '#none': row('none', '"no json"', 1),
    '#list': row('list', '{"history":{}}', 2),
    '#long': `${row('long', '"{\\"history\\":[\\n{\\"user\\":{\\"a\\":1}}]}"', 3)}{"turn":0,"user":{"a":1}}\n`,
  })
})
