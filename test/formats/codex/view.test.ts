import fc from 'fast-check'
import { expect, test } from 'vitest'
import { view } from '../../../src/formats/codex/view.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'
import type { Json } from '../../../src/model/json.ts'
import { parseJson } from '../../../src/model/value.ts'

const wrapped = (payload: Json): Json => ({ type: 'response_item', payload })
const show = (payload: Json) => view(wrapped(payload))
const text = (words: string) => ({ kind: 'text', text: words })

test.each([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['developer', 'system'],
  ['system', 'system'],
  ['tool', 'tool'],
  ['stranger', null],
])('a message of the %s has the role %s', (role, expected) => {
  const item = { type: 'message', role, content: [{ type: 'input_text', text: 'hi' }] }
  expect(show(item)).toEqual({ role: expected, blocks: [text('hi')] })
  expect(view(item)).toEqual({ role: expected, blocks: [text('hi')] })
})

test('a message without a type', () => {
  expect(view({ role: 'user', message: 'hi' })).toEqual({ role: 'user', blocks: [text('hi')] })
})

test('reasoning shows its summary and its content', () => {
  const item = {
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'a' }],
    content: [{ type: 'reasoning_text', text: 'b' }],
    encrypted_content: 'x',
  }
  const seal = { api: 'openai', value: 'x' }
  const thought = (words: string, more = {}) => ({ kind: 'thinking', text: words, ...more })
  expect(show(item)).toEqual({ role: 'assistant', blocks: [thought('a'), thought('b', { seal })] })
  expect(show({ type: 'reasoning', summary: [], encrypted_content: 'x' }).blocks).toEqual([
    thought('', { seal }),
  ])
  expect(show({ type: 'reasoning', summary: item.summary }).blocks).toEqual([thought('a')])
})

test.each<[Json, { id: string; name: string; input: Json }]>([
  [
    { type: 'function_call', call_id: 'c', name: 'shell', arguments: '{"a":1}' },
    { id: 'c', name: 'shell', input: { a: 1 } },
  ],
  [
    { type: 'function_call', call_id: 'c', name: 'shell', arguments: '{"a":' },
    { id: 'c', name: 'shell', input: '{"a":' },
  ],
  [
    { type: 'function_call', call_id: 'c', namespace: 'mcp__docs__', name: 'search', arguments: '{}' },
    { id: 'c', name: 'mcp__docs__search', input: {} },
  ],
  [
    { type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input: '*** Begin' },
    { id: 'c', name: 'apply_patch', input: '*** Begin' },
  ],
  [
    { type: 'local_shell_call', call_id: 'c', action: { command: ['ls'] } },
    { id: 'c', name: 'local_shell', input: { command: ['ls'] } },
  ],
  [
    { type: 'local_shell_call', id: 'ls', action: {} },
    { id: 'ls', name: 'local_shell', input: {} },
  ],
  [
    { type: 'tool_search_call', call_id: 'c', arguments: { query: 'q' } },
    { id: 'c', name: 'tool_search', input: { query: 'q' } },
  ],
  [
    { type: 'web_search_call', action: { type: 'search', query: 'q' } },
    { id: '', name: 'web_search', input: { type: 'search', query: 'q' } },
  ],
  [
    { type: 'tool_call', function: { name: 'f' }, arguments: { a: 1 } },
    { id: '', name: 'f', input: { a: 1 } },
  ],
])('%j is a call', (item, call) => {
  expect(show(item)).toEqual({ role: 'assistant', blocks: [{ kind: 'toolCall', ...call }] })
})

test('arguments that JavaScript would change come as they were', () => {
  const [call] = show({
    type: 'function_call',
    call_id: 'c',
    name: 'f',
    arguments: '{"b":{"a":1,"a":2}}',
  }).blocks
  expect(call).toEqual({ kind: 'toolCall', id: 'c', name: 'f', input: { b: new Verbatim('{"a":1,"a":2}') } })
})

test.each<[Json, string]>([
  [{ type: 'function_call_output', call_id: 'c', output: 'hi' }, 'hi'],
  [{ type: 'custom_tool_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'hi' }] }, 'hi'],
  [{ type: 'local_shell_call_output', call_id: 'c', output: 'hi' }, 'hi'],
  [{ type: 'tool_result', call_id: 'c', result: 'hi' }, 'hi'],
  [{ type: 'function_result', call_id: 'c', result: 'hi' }, 'hi'],
  [{ type: 'tool_search_output', call_id: 'c', tools: [{ name: 'f' }] }, '[{"name":"f"}]'],
])('%j is a result', (item, words) => {
  expect(show(item)).toEqual({
    role: 'tool',
    blocks: [{ kind: 'toolResult', id: 'c', text: words, error: false }],
  })
})

test('an image that was made', () => {
  expect(show({ type: 'image_generation_call', revised_prompt: 'a cat', result: 'AAAA' })).toEqual({
    role: 'assistant',
    blocks: [text('a cat'), { kind: 'image', mediaType: 'image/png', bytes: 3, data: 'AAAA' }],
  })
})

test('what other agents say comes from outside', () => {
  const content = [{ type: 'input_text', text: 'hi' }]
  expect(show({ type: 'agent_message', author: '/root', content })).toEqual({
    role: 'user',
    blocks: [text('hi')],
  })
  const line = { type: 'inter_agent_communication', payload: { author: '/root', content: 'hi' } }
  expect(view(line)).toEqual({ role: 'user', blocks: [text('hi')] })
})

test('an item of a later release shows its text', () => {
  expect(show({ type: 'mystery', role: 'assistant', text: 'hi' })).toEqual({
    role: 'assistant',
    blocks: [text('hi')],
  })
  expect(show({ type: 'compaction', encrypted_content: 'x' })).toEqual({ role: null, blocks: [] })
})

test('a compaction without a replacement history: its message is the summary', () => {
  expect(view({ type: 'compacted', payload: { message: 'so far' } })).toEqual({
    role: null,
    blocks: [],
    effect: { kind: 'compaction', summary: 'so far' },
  })
})

test('a compaction with one: what it shows replaces everything before', () => {
  const replacement_history = [
    { type: 'message', role: 'user', content: 'a' },
    { type: 'ghost_snapshot' },
    { type: 'compaction', encrypted_content: 'x' },
    7,
    new Verbatim('{"type":"message","role":"developer","role":"user","content":"b"}'),
  ]
  expect(view({ type: 'compacted', payload: { message: 'unused', replacement_history } })).toEqual({
    role: null,
    blocks: [],
    effect: {
      kind: 'compaction',
      replacement: ['a', 'b'].map((words) => ({ role: 'user', blocks: [text(words)] })),
    },
  })
})

test('a turn context sets the model and the thinking level', () => {
  expect(view({ type: 'turn_context', payload: { model: 'gpt-5', effort: 'high' } })).toEqual({
    role: null,
    blocks: [],
    sets: { model: { provider: 'openai', id: 'gpt-5' }, thinking: 'high' },
  })
  expect(view({ type: 'turn_context', payload: { model: 'gpt-5' } }).sets).toEqual({
    model: { provider: 'openai', id: 'gpt-5' },
  })
})

const TYPES = [
  ...[
    'message',
    'reasoning',
    'function_call',
    'custom_tool_call',
    'local_shell_call',
    'tool_search_call',
    'tool_call',
  ],
  ...[
    'web_search_call',
    'image_generation_call',
    'function_call_output',
    'tool_search_output',
    'tool_result',
  ],
  ...['agent_message', 'other', 'input_image', 'tool_use'],
]
const KEYS = [
  'role',
  'content',
  'summary',
  'output',
  'arguments',
  'input',
  'action',
  'tools',
  'result',
  'call_id',
  'function',
]
const deep = (depth: number) => parseJson(`${'['.repeat(depth)}${']'.repeat(depth)}`)?.value as Json
const hostile: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue().map((value) => value as Json),
  fc.constantFrom<Json>(
    deep(100_000),
    new Verbatim('"\\ud800"'),
    new Verbatim('{"a":1,"a":{"type":"input_text","text":"x"}}'),
    new Verbatim('-0'),
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    '{"output":{}}',
    [{ type: 'input_image', image_url: 'data:' }],
    { type: 'input_text' },
  ),
)

test('no value makes it throw', () => {
  const item = fc
    .tuple(fc.constantFrom(...TYPES), fc.dictionary(fc.constantFrom(...KEYS), hostile))
    .map(([type, values]): Json => ({ ...values, type }))
  const body = fc.oneof(
    hostile,
    item,
    item.map(wrapped),
    hostile.map(wrapped),
    fc.tuple(item, hostile).map(
      ([inside, message]): Json => ({
        type: 'compacted',
        payload: { message, replacement_history: [inside, message] },
      }),
    ),
    fc
      .tuple(hostile, hostile)
      .map(([model, effort]): Json => ({ type: 'turn_context', payload: { model, effort } })),
    hostile.map((content): Json => ({ type: 'inter_agent_communication', payload: { content } })),
  )
  fc.assert(fc.property(body, (value) => Array.isArray(view(value).blocks)))
})

test('tools that are added are a note, not a message', () => {
  const tools = [
    { type: 'function', name: 'lamp_on' },
    { type: 'namespace', name: 'web', tools: [{ name: 'fetch' }, { name: 'find' }] },
    { type: 'web_search' },
  ]
  expect(show({ type: 'additional_tools', role: 'developer', tools })).toEqual({
    role: null,
    blocks: [],
    note: '4 tools added: lamp_on, web.fetch, web.find, web_search',
  })
  const many = Array.from({ length: 20 }, (_, i) => ({ name: `t${i}` }))
  expect(show({ type: 'additional_tools', tools: many }).note).toMatch(/^20 tools added: t0, .*t7, …$/)
  expect(show({ type: 'additional_tools', role: 'developer' }).note).toBe('0 tools added')
})

test('an item of an unknown type is a message only if it says something', () => {
  expect(show({ type: 'lamp_item', role: 'developer', lamp: 7 })).toEqual({ role: null, blocks: [] })
  expect(show({ type: 'lamp_item', role: 'developer', content: 'On.' })).toEqual({
    role: 'system',
    blocks: [text('On.')],
  })
})
