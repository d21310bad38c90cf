import { expect, test } from 'vitest'
import { detect } from '../../../src/formats/codex/index.ts'
import type { Sample } from '../../../src/formats/core/sample.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'
import type { Json } from '../../../src/model/json.ts'
import { event, meta, user } from './rollout.ts'

const sample = (lines: readonly Json[], head = ''): Sample => ({
  name: 'x.jsonl',
  head: new TextEncoder().encode(head),
  lines,
  whole: true,
})

test.each<[string, readonly Json[]]>([
  ['a rollout', [meta(), user('hi')]],
  ['one whose beginning was cut off', [{ torn: true }, event({ type: 'token_count' })]],
  [
    'a line with a payload kept as text',
    [{ timestamp: 't', type: 'response_item', payload: new Verbatim('{"a":1,"a":2}') }],
  ],
  ['numeric times', [{ payload: { id: 'a' }, timestamp: 1772569904.604, type: 'session_meta' }]],
  ['a bare header', [{ id: 'a', timestamp: '2025-07-01T00:00:00Z', instructions: null }]],
  ['a state mark', [{ record_type: 'state' }]],
  ['a bare message', [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }]],
])('takes %s', (_, lines) => expect(detect(sample(lines))).toBe(true))

test('takes a header that is longer than the sample', () => {
  const head = JSON.stringify({
    timestamp: '2026-01-02T03:04:05Z',
    type: 'session_meta',
    payload: { id: 'a', base: 'x' },
  })
  expect(detect(sample([], head.slice(0, -5)))).toBe(true)
})

test.each<[string, readonly Json[]]>([
  ['nothing', []],
  [
    'Claude Code',
    [{ type: 'user', uuid: 'u', sessionId: 's', timestamp: 't', message: { role: 'user', content: 'hi' } }],
  ],
  [
    'Copilot CLI',
    [{ type: 'user.message', data: { content: 'hi' }, id: 'a', timestamp: 't', parentId: null }],
  ],
  ['Antigravity', [{ step_index: 0, type: 'USER_INPUT', created_at: 't', content: 'hi' }]],
  [
    'pi',
    [
      { type: 'session', id: 'a', timestamp: 't', cwd: '/w' },
      { type: 'message', message: { role: 'user' } },
    ],
  ],
  ['Gemini CLI', [{ id: 'a', timestamp: 't', type: 'user', content: 'hi' }]],
  ['a stream of Droid', [{ type: 'message', role: 'user', text: 'hi', timestamp: 't' }]],
  ['a known type without a payload', [{ timestamp: 't', type: 'event_msg', payload: 'hi' }]],
  [
    'a whole-file rollout of 2025-04',
    [{ session: { id: 'a', timestamp: 't', instructions: '' }, items: [] }],
  ],
])('leaves %s', (_, lines) => expect(detect(sample(lines))).toBe(false))
