import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { kiroDatabase } from '../../../src/formats/kiro/conversations.ts'
import { entriesAsText, readText, takes } from '../read.ts'

const ROWS = readFileSync(new URL('../../fixtures/kiro/conversation.jsonl', import.meta.url), 'utf8')

it('detects the rows of a conversation', () => {
  expect(takes(kiroDatabase, 'data.sqlite3', ROWS)).toBe(true)
  expect(takes(kiroDatabase, 'data.sqlite3', '{"table":"conversations_v2","row":{"key":"/a"}}\n')).toBe(false)
  const text = JSON.stringify({ table: 'conversations', row: { key: '/a', value: '{\n"history":[]}' } })
  expect(takes(kiroDatabase, 'data.sqlite3', `${text}\n`)).toBe(true)
})

it('reads prompts, calls, results and answers, and the summary of a compaction', () => {
  const session = readText(kiroDatabase, ROWS)
  expect(entriesAsText(kiroDatabase, session)).toMatchInlineSnapshot(`
    "->0 - {"effect":{"kind":"compaction","summary":"Tides were spoken of."}}
    0>1 user [text When is high water?] [image image/png]
    1>2 assistant [text I look.] [call t1 fs_read {"path":"tides.txt"}] [call t2 execute_bash {}]
    2>3 tool [result t1 12:00
    {"high":1}] [error t2 denied]
    3>4 assistant [text At noon.]
    4>5 user [error t3 cancelled] [text Stop.]
    5>7 user [text Again?]
    7>8 assistant [text Yes.]"
  `)
  expect(session.reader.facts()).toEqual({
    ...{ id: '607a', cwd: '/home/ada/tides', created: 1777629600000, model: 'claude-x' },
    folders: ['/home/ada', '/home/ada/tides'],
  })
  expect(session.readings.map(({ time }) => time)).toEqual([
    ...[undefined, 1777629600000, 1777629605000, undefined, undefined, undefined, undefined],
    ...[undefined, undefined, undefined],
  ])
})
