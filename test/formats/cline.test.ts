import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cline, clineAbout, clineSession, clineUi } from '../../src/formats/cline.ts'
import { chain, readText, takes } from './read.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/cline/${name}`, import.meta.url), 'utf8')
const task = fixture('1784094124598/api_conversation_history.json')
const session = fixture('1784094124598_rruoq.messages.json')
const about = '{ "version": 1, "session_id": "s", "messages_path": "/x" }'
const text = (words: string) => ({ kind: 'text', text: words })

describe('the tasks of Cline', () => {
  it.each([
    [cline, 'api_conversation_history.json', task, true],
    [cline, 'other.json', task, false],
    [cline, 'api_conversation_history.json', '{}', false],
    [clineUi, 'ui_messages.json', '[]', true],
    [clineUi, 'claude_messages.json', ' []', true],
    [clineUi, 'ui_messages.json', '{}', false],
    [clineSession, 'x.messages.json', session, true],
    [clineSession, 'x.json', '{"version":1,"messages":[]}', false],
    [clineAbout, 'x.json', about, true],
    [clineAbout, 'x.json', '{"session_id":"s"}', false],
  ])('detects whether a file is of it: $name, %s', (format, name, file, is) => {
    expect(takes(format, name, file)).toBe(is)
  })

  it('reads one chain of messages, of a task that its folder names', () => {
    const read = readText(cline, task, 'api_conversation_history.json')
    expect(chain(read)).toEqual([0, 1, 2, 3, 4].map((at) => [at, 'cline/message', at === 0 ? null : at - 1]))
    expect(read.readings[1]).toEqual({
      time: 1784094125600,
      entry: {
        type: 'cline/message',
        parent: 0,
        body: {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I read it.' },
            { type: 'tool_use', id: 't1', name: 'read_file', input: { path: 'table.csv' } },
          ],
          modelInfo: { modelId: 'claude-x', providerId: 'anthropic', mode: 'act' },
          metrics: { tokens: { prompt: 100, completion: 9, cached: 40 }, cost: 0.01 },
        },
      },
    })
    expect(read.reader.facts()).toEqual({ created: 1784094124600 })
    expect(cline.reader('api_conversation_history.json', '1784094124598').facts()).toEqual({
      id: '1784094124598',
    })
    expect(cline.reader('api_conversation_history.json', 'tasks').facts()).toEqual({})
    expect(clineUi.reader('ui_messages.json', '1784094124598').facts()).toEqual({ id: '1784094124598-ui' })
    expect(clineUi.reader('ui_messages.json', 'tasks').facts()).toEqual({})
  })

  it('shows what was typed without its tag, results with their images, summaries, usage without the cache', () => {
    const views = readText(cline, task).readings.flatMap(({ entry }) =>
      entry ? [cline.view('message', entry.body)] : [],
    )
    expect(views).toEqual([
      {
        role: 'user',
        blocks: [text('Sum the table'), text('<environment_details>\nNo tabs\n</environment_details>')],
      },
      {
        role: 'assistant',
        blocks: [
          text('I read it.'),
          { kind: 'toolCall', id: 't1', name: 'read_file', input: { path: 'table.csv' } },
        ],
        usage: { input: 60, output: 9, cacheRead: 40, cost: 0.01 },
        sets: { model: { provider: 'anthropic', id: 'claude-x' }, mode: 'act' },
      },
      {
        role: 'tool',
        blocks: [
          { kind: 'toolResult', id: 't1', text: '1,2', error: false },
          { kind: 'image', mediaType: 'image/png', bytes: 2, data: 'aGk=' },
        ],
      },
      { role: null, blocks: [], effect: { kind: 'compaction', summary: 'A table was read.' } },
      { role: 'assistant', blocks: [text('The sum is 3.')] },
    ])
    expect(cline.view('other', {})).toEqual({ role: null, blocks: [] })
  })

  it('salvages the messages of a list that was cut off', () => {
    const torn = fixture('1784094124599/api_conversation_history.json')
    const splitter = cline.splitter()
    splitter.push(new TextEncoder().encode(torn))
    const { units, tail, torn: isTorn } = splitter.end()
    expect(units.map(({ line, salvaged }) => [line, salvaged])).toEqual([
      [2, true],
      [3, true],
    ])
    expect(isTorn).toBe(true)
    expect(Buffer.concat([...units.map(({ bytes }) => bytes), ...tail]).toString()).toBe(torn)
  })
})

describe('the sessions of Cline’s command line', () => {
  it('reads one chain of messages, of a session that its file names or the document', () => {
    const read = readText(clineSession, session, 'x.json')
    expect(chain(read)).toEqual([
      [0, 'cline-cli/message', null],
      [1, 'cline-cli/message', 0],
      [2, 'cline-cli/message', 1],
    ])
    expect(read.reader.facts()).toEqual({ id: '1784094124598_rruoq', created: 1783376873493 })
    expect(clineSession.reader('1784094124598_rruoq.messages.json').facts()).toEqual({
      id: '1784094124598_rruoq',
    })
    const views = read.readings.flatMap(({ entry }) =>
      entry ? [clineSession.view('message', entry.body)] : [],
    )
    expect(views).toEqual([
      { role: null, blocks: [], effect: { kind: 'compaction', summary: 'Context summary: a table' } },
      {
        role: 'assistant',
        blocks: [{ kind: 'toolCall', id: 't1', name: 'read_files', input: {} }],
        usage: { input: 300, output: 209, cacheRead: 36671, cacheWrite: 6, cost: 0.05 },
        sets: { model: { provider: 'cline', id: 'claude-x' } },
      },
      {
        role: 'tool',
        blocks: [{ kind: 'toolResult', id: 't1', name: 'read_files', text: '1,2\ngone', error: false }],
      },
    ])
  })
})
