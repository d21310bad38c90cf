import { expect, test } from 'vitest'
import {
  asObject,
  compactedBody,
  hasContent,
  itemBody,
  settingBody,
} from '../../../src/formats/codex/fields.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'

test('an item loses its id, its turn, its times, and what is not known', () => {
  const item = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'hi', annotations: [] }],
    phase: 'final_answer',
    metadata: { turn_id: 't' },
    internal_chat_message_metadata_passthrough: { turn_id: 't', create_time: 1 },
    created_at: 1,
    later_field: true,
  }
  expect(itemBody(item)).toEqual({
    type: 'message',
    role: 'assistant',
    phase: 'final_answer',
    content: [{ type: 'output_text', text: 'hi' }],
  })
})

test('the order in which a release writes its keys makes no difference', () => {
  const one = itemBody({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a' }] })
  const two = itemBody({ content: [{ text: 'a', type: 'input_text' }], role: 'user', type: 'message' })
  expect(JSON.stringify(one)).toBe(JSON.stringify(two))
})

test('null means the same as a missing key', () => {
  expect(itemBody({ type: 'reasoning', summary: [], content: null, encrypted_content: 'e' })).toEqual({
    type: 'reasoning',
    summary: [],
    encrypted_content: 'e',
  })
})

test('ids that pair a call with its result stay', () => {
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'shell', arguments: '{}' }
  expect(itemBody(call)).toEqual({ type: 'function_call', call_id: 'call_1', name: 'shell', arguments: '{}' })
  expect(
    itemBody({ type: 'local_shell_call', id: 'ls_1', call_id: 'call_1', action: {} }),
  ).not.toHaveProperty('id')
  expect(itemBody({ type: 'local_shell_call', id: 'ls_1', call_id: null, action: {} })).toHaveProperty(
    'id',
    'ls_1',
  )
})

test('an output is taken whole, the very same object', () => {
  const output = [{ type: 'input_image', image_url: 'data:,', detail: null, id: 'kept' }]
  const body = itemBody({ type: 'function_call_output', call_id: 'c', output })
  expect((body as { output: unknown }).output).toBe(output)
})

test('an item of a later release keeps its fields with known names', () => {
  expect(itemBody({ type: 'mystery_call', id: 'x_1', call_id: 'c', input: 'go', expires_at: 9 })).toEqual({
    type: 'mystery_call',
    call_id: 'c',
    input: 'go',
  })
})

test('a compaction keeps its message and the conversation-bearing part of each item', () => {
  const payload = {
    message: '',
    replacement_history: [{ type: 'message', id: 'm', role: 'user', content: 'a' }, 7],
    window_id: 'w',
    previous_window_id: 'v',
    window_number: 2,
  }
  expect(compactedBody(payload)).toEqual({
    message: '',
    replacement_history: [{ type: 'message', role: 'user', content: 'a' }, 7],
  })
})

test('what is kept as text is taken whole', () => {
  const verbatim = new Verbatim('{"type":"message","type":"message"}')
  expect(itemBody(verbatim)).toBe(verbatim)
  expect(compactedBody(verbatim)).toBe(verbatim)
  expect(asObject(verbatim)).toEqual({ type: 'message' })
  expect(asObject(new Verbatim('-0'))).toBeUndefined()
  expect(asObject([])).toBeUndefined()
})

test('of a turn only model and effort count', () => {
  expect(settingBody({ turn_id: 't', model: 'm', effort: null, cwd: '/w' })).toEqual({ model: 'm' })
  expect(settingBody({ effort: 'low', model: 'm' })).toEqual({ model: 'm', effort: 'low' })
})

test.each([
  [{ type: 'message', content: [] }, true],
  [{ type: 'ghost_snapshot', ghost_commit: {}, content: 'x' }, false],
  [{ type: 'compaction_trigger', id: 'a' }, false],
  [{ type: 'other', content: null }, false],
])('%j has content: %s', (item, expected) => expect(hasContent(item)).toBe(expected))
