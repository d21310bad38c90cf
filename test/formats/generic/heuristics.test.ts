import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { millis } from '../../../src/formats/core/values.ts'
import { guessView, hintsIn, isHeader, nativeIn, timeIn } from '../../../src/formats/generic/heuristics.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'
import { parseJson } from '../../../src/model/value.ts'
import { runs } from '../../support/amount.ts'
import { anyTree, spellTree } from '../../support/json.ts'

const text = (words: string) => ({ kind: 'text', text: words })
const view = (json: string) => guessView(parseJson(json)?.value ?? null)

describe('guessView', () => {
  it.each([
    ['{"role":"user","content":"hi"}', 'user', [text('hi')]],
    ['{"type":"human","text":"hi"}', 'user', [text('hi')]],
    ['{"sender":"AI","message":"hi"}', 'assistant', [text('hi')]],
    ['{"type":"gemini","content":"hi","thoughts":[]}', 'assistant', [text('hi')]],
    [
      '{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}',
      'assistant',
      [text('a'), text('b')],
    ],
    ['{"type":"assistant.message","data":{"content":"hi"}}', 'assistant', [text('hi')]],
    ['{"info":{"role":"user"},"parts":[{"type":"text","text":"hi"}]}', 'user', [text('hi')]],
    ['{"role":"developer","content":"be good"}', 'system', [text('be good')]],
    [
      '{"role":"model","parts":[{"text":"hm","thought":true},{"text":"hi"}]}',
      'assistant',
      [{ kind: 'thinking', text: 'hm' }, text('hi')],
    ],
    [
      '{"role":"assistant","content":null,"reasoning_content":"hm"}',
      'assistant',
      [{ kind: 'thinking', text: 'hm' }],
    ],
  ])('reads the role and the blocks of %s', (json, role, blocks) => {
    expect(view(json)).toEqual({ role, blocks })
  })

  it.each([
    [
      'Anthropic',
      '{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Read","input":{"p":1}}]}',
    ],
    [
      'OpenAI',
      '{"role":"assistant","tool_calls":[{"id":"t","type":"function","function":{"name":"Read","arguments":"{\\"p\\":1}"}}]}',
    ],
    ['OpenAI responses', '{"type":"function_call","call_id":"t","name":"Read","arguments":"{\\"p\\":1}"}'],
    ['Gemini', '{"role":"model","parts":[{"functionCall":{"id":"t","name":"Read","args":{"p":1}}}]}'],
    [
      'a list of calls',
      '{"type":"gemini","content":"","toolCalls":[{"id":"t","name":"Read","args":{"p":1}}]}',
    ],
    ['a call alone', '{"type":"tool_call","toolCallId":"t","toolName":"Read","parameters":{"p":1}}'],
  ])('reads a tool call of %s', (_who, json) => {
    expect(view(json)).toEqual({
      role: 'assistant',
      blocks: [{ kind: 'toolCall', id: 't', name: 'Read', input: { p: 1 } }],
    })
  })

  it.each([
    [
      'Anthropic',
      '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}',
    ],
    ['OpenAI', '{"role":"tool","tool_call_id":"t","content":"a\\nb"}'],
    ['OpenAI responses', '{"type":"function_call_output","call_id":"t","output":"a\\nb"}'],
    [
      'Gemini',
      '{"type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"t","response":{"output":"a\\nb"}}}]}}',
    ],
    ['a result alone', '{"type":"tool_result","toolCallId":"t","value":{"stdout":"a\\nb"}}'],
  ])('reads a tool result of %s', (_who, json) => {
    expect(view(json)).toEqual({
      role: 'tool',
      blocks: [{ kind: 'toolResult', id: 't', text: 'a\nb', error: false }],
    })
  })

  it('reads a call and its result where they stand in one part', () => {
    const part =
      '{"type":"tool","callID":"t","tool":"bash","state":{"status":"error","input":{"c":1},"error":"no"}}'
    expect(view(`{"info":{"role":"assistant"},"parts":[${part}]}`).blocks).toEqual([
      { kind: 'toolCall', id: 't', name: 'bash', input: { c: 1 } },
      { kind: 'toolResult', id: 't', name: 'bash', text: 'no', error: true },
    ])
  })

  it.each([
    [
      '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}',
      'image/png',
      'AAAA',
    ],
    ['{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,AAA="}}', 'image/jpeg', 'AAA='],
    ['{"inlineData":{"mimeType":"image/webp","data":"AA=="}}', 'image/webp', 'AA=='],
    ['{"type":"image","mediaType":"image/gif","data":""}', 'image/gif', ''],
  ])('reads the image %s', (block, mediaType, data) => {
    const bytes = Buffer.from(data, 'base64').length
    expect(view(`{"role":"user","content":[${block}]}`).blocks).toEqual([
      { kind: 'image', mediaType, bytes, ...(data && { data }) },
    ])
  })

  it.each([
    'null',
    '1',
    '"x"',
    '[]',
    '{}',
    '{"type":"session","id":"x"}',
    '{"type":"model_change","modelId":"m"}',
  ])('shows nothing of %s', (json) => {
    expect(view(json)).toEqual({ role: null, blocks: [] })
  })

  test('never throws', () => {
    const names = fc.constantFrom(
      'type',
      'role',
      'content',
      'message',
      'parts',
      'tool_calls',
      'data',
      'function',
      'state',
      'source',
    )
    const leaf = fc.oneof(
      fc.constantFrom('user', 'tool', 'tool_use', 'image', 'thinking', ''),
      fc.jsonValue(),
    )
    const node = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(names, tie('node'), { maxKeys: 4 }),
      ),
    })).node
    fc.assert(
      fc.property(node, (value) => {
        expect(Array.isArray(guessView(parseJson(JSON.stringify(value))?.value ?? null).blocks)).toBe(true)
      }),
      { numRuns: runs(1000) },
    )
    fc.assert(
      fc.property(anyTree, (tree) => {
        expect(guessView(parseJson(spellTree(tree))?.value ?? null).blocks.length).toBeGreaterThanOrEqual(0)
      }),
    )
    expect(guessView(new Verbatim('{"role":"user","role":"user"}')).role).toBe(null)
  })
})

it.each([
  ['2026-01-02T03:04:05.678Z', 1767323045678],
  ['2026-01-02T03:04:05+01:00', 1767319445000],
  [1767323045678, 1767323045678],
  [1767323045, 1767323045000],
  [1767323045.5, 1767323045500],
  ['yesterday', undefined],
  ['2026-99-99T99:99', undefined],
  ['1', undefined],
  [12, undefined],
  [null, undefined],
])('takes %j for the time %j', (value, time) => {
  expect(millis(value)).toBe(time)
})

it('finds the time at the top or one level down', () => {
  const at = '1970-01-01T00:00:01Z'
  expect(timeIn({ timestamp: at })).toBe(1000)
  expect(timeIn({ time: 'now', message: { createdAt: at } })).toBe(1000)
  expect(timeIn({ info: { time: { created: 1767323045678 } } })).toBe(1767323045678)
  expect(timeIn({ timestamp: 'x', deep: { message: { ts: at } } })).toBeUndefined()
  expect(timeIn([at])).toBeUndefined()
})

it('finds the id of a record', () => {
  expect(nativeIn({ id: 'a', uuid: 'b' })).toBe('b')
  expect(nativeIn({ data: { message_id: 'c' } })).toBe('c')
  expect(nativeIn({ id: 7 })).toBeUndefined()
})

it('finds the facts of a session in a record', () => {
  const record = { sessionId: 's', id: 'r', title: 't', cwd: '/w' }
  expect(hintsIn(record, false)).toEqual({ id: 's', cwd: '/w' })
  expect(hintsIn({ id: 'r', title: 't' }, true)).toEqual({ id: 'r', title: 't' })
  expect(hintsIn({ type: 'session.start', data: { sessionId: 's' } }, true)).toEqual({ id: 's' })
})

it('knows the records that begin a session', () => {
  for (const type of ['session', 'session_start', 'session.start', 'session_meta', 'init', 'metadata'])
    expect([type, isHeader({ type })]).toEqual([type, true])
  for (const type of ['message', 'user', 'initial', 'sessions'])
    expect([type, isHeader({ type })]).toEqual([type, false])
  expect(isHeader({})).toBe(false)
})
