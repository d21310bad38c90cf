import { expect, it } from 'vitest'
import { goose } from '../../src/formats/goose.ts'
import { readText, takes } from './read.ts'

const row = (table: string, value: object): string => JSON.stringify({ table, row: value })
const SESSION = row('sessions', {
  id: '20260101_1',
  name: 'T',
  working_dir: '/home/ada',
  accumulated_input_tokens: 7,
  accumulated_output_tokens: 2,
  created_at: '2026-01-01 00:00:00',
})
const message = (id: number, role: string, content: readonly object[], metadata: object = {}): string =>
  row('messages', {
    id,
    role,
    content_json: content,
    created_timestamp: 1_767_225_600,
    metadata_json: metadata,
  })

const CALL = {
  type: 'toolRequest',
  id: 'c',
  toolCall: { status: 'success', value: { name: 'ls', arguments: { a: 1 } } },
}
const ANSWER = {
  type: 'toolResponse',
  id: 'c',
  toolResult: { status: 'success', value: [{ type: 'text', text: 'ok' }] },
}
const FAILED = { type: 'toolResponse', id: 'd', toolResult: { status: 'error', error: 'no' } }
const text = (words: string): object => ({ type: 'text', text: words })

const viewsOf = (lines: readonly string[]) =>
  readText(goose, lines.join('\n')).readings.flatMap(({ entry }) =>
    entry ? [goose.view(entry.type.slice(6), entry.body)] : [],
  )

it('reads the rows of a session', () => {
  const thought = { type: 'thinking', thinking: 'hm', signature: 'sig' }
  const lines = [
    SESSION,
    message(1, 'user', [text('hi')]),
    message(2, 'assistant', [thought, CALL]),
    message(3, 'user', [ANSWER, FAILED]),
  ]
  const { readings, reader } = readText(goose, lines.join('\n'))
  expect(viewsOf(lines)).toEqual([
    { role: 'user', blocks: [{ kind: 'text', text: 'hi' }] },
    {
      role: 'assistant',
      blocks: [
        { kind: 'thinking', text: 'hm', seal: { api: 'anthropic', value: 'sig' } },
        { kind: 'toolCall', id: 'c', name: 'ls', input: { a: 1 } },
      ],
    },
    {
      role: 'tool',
      blocks: [
        { kind: 'toolResult', id: 'c', text: 'ok', error: false },
        { kind: 'toolResult', id: 'd', text: 'no', error: true },
      ],
    },
  ])
  expect(reader.facts()).toEqual({
    id: '20260101_1',
    title: 'T',
    cwd: '/home/ada',
    created: Date.UTC(2026, 0, 1),
    usage: { input: 7, output: 2 },
  })
  expect([readings[1]?.native, readings[1]?.time]).toEqual(['1', Date.UTC(2026, 0, 1)])
})

it('compacts where it hid earlier messages and added a summary after them that only the model sees', () => {
  const hidden = { userVisible: true, agentVisible: false }
  const lines = [
    SESSION,
    message(1, 'user', [text('hi')], hidden),
    message(2, 'user', [text('so far')], { userVisible: false, agentVisible: true }),
    message(3, 'assistant', [text('on')], { userVisible: false, agentVisible: true }),
  ]
  expect(viewsOf(lines).map(({ effect, role }) => effect ?? role)).toEqual([
    'user',
    { kind: 'compaction', summary: 'so far' },
    'assistant',
  ])
})

it('reads the files of before', () => {
  const lines = [
    JSON.stringify({ working_dir: '/w', description: 'D', message_count: 1 }),
    JSON.stringify({ role: 'user', created: 1_767_225_600, content: [text('hi')] }),
  ]
  const { readings, reader } = readText(goose, lines.join('\n'), '20250101_1.jsonl')
  expect(viewsOf(lines)).toEqual([{ role: 'user', blocks: [{ kind: 'text', text: 'hi' }] }])
  expect(reader.facts()).toEqual({ id: '20250101_1', title: 'D', cwd: '/w' })
  expect(readings[1]?.time).toBe(Date.UTC(2026, 0, 1))
  expect(takes(goose, 'x.jsonl', lines.join('\n'))).toBe(true)
  expect(takes(goose, 'x.jsonl', '{"working_dir":"/w"}')).toBe(false)
})

it('knows the caller of a sub-agent', () => {
  const line = JSON.stringify({
    table: 'sessions',
    row: { id: 'b', working_dir: '/w', parent_session_id: 'a', created_at: '2026-01-01 00:00:00' },
  })
  expect(readText(goose, line).reader.facts().parent).toBe('a')
})
