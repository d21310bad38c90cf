import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { crush } from '../../src/formats/crush.ts'
import { readText, takes } from './read.ts'

const row = (table: string, value: object): string => JSON.stringify({ table, row: value })
const part = (type: string, data: object): object => ({ type, data })
const message = (id: string, role: string, parts: readonly object[], more: object = {}): string =>
  row('messages', {
    id,
    session_id: 's',
    role,
    parts,
    model: 'gpt',
    provider: 'openai',
    created_at: 1_760_000_000,
    ...more,
  })

const SESSION = row('sessions', {
  id: 's',
  parent_session_id: 'p',
  title: 'T',
  cost: 0.5,
  created_at: 1_760_000_000,
})
const FILE = [
  SESSION,
  message('a', 'user', [part('text', { text: 'hi' })]),
  message('b', 'assistant', [
    part('reasoning', { thinking: 'hm', signature: 'sig', started_at: 1 }),
    part('tool_call', { id: 'c', name: 'ls', input: '{"path":"."}', type: 'function', finished: true }),
    part('finish', { reason: 'tool_use', time: 5 }),
  ]),
  message('d', 'tool', [
    part('tool_result', { tool_call_id: 'c', name: 'ls', content: 'a.txt', is_error: false }),
  ]),
  message('e', 'assistant', [part('text', { text: 'so far' })], { is_summary_message: 1 }),
].join('\n')

it('reads messages of people, models and tools, and where the context begins again', () => {
  const { readings, reader } = readText(crush, FILE)
  const views = readings.flatMap(({ entry }) => (entry ? [crush.view(entry.type.slice(6), entry.body)] : []))
  const sets = { model: { provider: 'openai', id: 'gpt' } }
  expect(views).toEqual([
    { role: 'user', blocks: [{ kind: 'text', text: 'hi' }], sets },
    {
      role: 'assistant',
      blocks: [
        { kind: 'thinking', text: 'hm', seal: { api: 'anthropic', value: 'sig' } },
        { kind: 'toolCall', id: 'c', name: 'ls', input: { path: '.' } },
      ],
      sets,
    },
    {
      role: 'tool',
      blocks: [{ kind: 'toolResult', id: 'c', name: 'ls', text: 'a.txt', error: false }],
      sets,
    },
    { role: null, blocks: [], sets, effect: { kind: 'compaction', summary: 'so far' } },
  ])
  expect(reader.facts()).toEqual({
    id: 's',
    title: 'T',
    parent: 'p',
    created: 1_760_000_000_000,
    usage: { cost: 0.5 },
  })
  expect([reader.active(), readings[1]?.native, readings[1]?.time]).toEqual([4, 'a', 1_760_000_000_000])
  expect(readings[2]?.entry?.body).toEqual({
    role: 'assistant',
    parts: [
      part('reasoning', { thinking: 'hm', signature: 'sig' }),
      part('tool_call', { id: 'c', name: 'ls', input: '{"path":"."}' }),
      part('finish', { reason: 'tool_use' }),
    ],
    model: 'gpt',
    provider: 'openai',
  })
})

it('takes the summary that an older session names', () => {
  const older = row('sessions', { id: 's', parent_session_id: null, summary_message_id: 'b' })
  const { readings } = readText(
    crush,
    `${older}\n${message('b', 'assistant', [part('text', { text: 'x' })])}`,
  )
  expect(readings[1]?.entry?.type).toBe('crush/summary')
})

it('knows its rows', () => {
  expect(takes(crush, 'crush.db', FILE)).toBe(true)
  expect(takes(crush, 'x.jsonl', row('sessions', { id: 's', working_dir: '/' }))).toBe(false)
})

it('shows files by the keys with which Crush spells them, and images of results', () => {
  const text = readFileSync(new URL('../fixtures/crush/images.jsonl', import.meta.url), 'utf8')
  const { readings } = readText(crush, text)
  const views = readings.flatMap(({ entry }) => (entry ? [crush.view('message', entry.body).blocks] : []))
  const image = { kind: 'image', mediaType: 'image/png', bytes: 3, data: 'AAAA' }
  expect(views).toEqual([
    [{ kind: 'text', text: 'What is it?' }, image, { kind: 'text', text: '[application/pdf: a.pdf]' }],
    [{ kind: 'toolResult', id: 'c', name: 'view', text: 'Read', error: false }, image],
  ])
})

it('is of the project above its folder', () => {
  expect(crush.projectLevels?.('crush.db', '.crush')).toBe(1)
  expect(crush.projectLevels?.('crush.db', 'backup')).toBeUndefined()
})
