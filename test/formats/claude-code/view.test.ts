import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { claude } from '../../../src/formats/claude-code/index.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'
import type { Json } from '../../../src/model/json.ts'
import { OPAQUE } from '../../../src/model/view.ts'

const view = (kind: string, body: Json) => claude.view(kind, body)
const usage = {
  input_tokens: 1,
  output_tokens: 2,
  cache_read_input_tokens: 3,
  cache_creation_input_tokens: 4,
}
const user = (content: Json): Json => ({ type: 'user', message: { role: 'user', content } })
const result = (content: Json): Json => ({ type: 'tool_result', tool_use_id: 'call-1', content })

describe("the view of a user's entry", () => {
  it('is its text, marked as meta or not', () => {
    const seen = { role: 'user', blocks: [{ kind: 'text', text: 'Hello' }] }
    expect(view('user', user('Hello'))).toEqual(seen)
    expect(
      view('user', { type: 'user', isMeta: true, message: { content: [{ type: 'text', text: 'Hello' }] } }),
    ).toEqual({ ...seen, aside: true })
    expect(view('user', { type: 'user', message: 'Hello' })).toEqual(seen)
    expect(view('user', { type: 'user', content: 'Hello' })).toEqual(seen)
  })

  it("is a tool's where it holds results, with images or without", () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }
    expect(view('user', user([result('done'), image]))).toEqual({
      role: 'tool',
      blocks: [
        { kind: 'toolResult', id: 'call-1', text: 'done', error: false },
        { kind: 'image', mediaType: 'image/png', bytes: 8, data: 'iVBORw0KGgo=' },
      ],
    })
    expect(view('user', user([result('done'), { type: 'text', text: 'Go on' }])).role).toBe('user')
    expect(view('user', user([image])).role).toBe('user')
  })
})

describe("the view of an assistant's entry", () => {
  it('is its blocks, the model and the tokens of its call', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: 's' },
      { type: 'text', text: 'Hi' },
      { type: 'tool_use', id: 'call-1', name: 'Bash', input: { command: 'ls' } },
    ]
    expect(
      view('assistant', { type: 'assistant', message: { id: 'm', model: 'claude-x', usage, content } }),
    ).toEqual({
      role: 'assistant',
      blocks: [
        { kind: 'thinking', text: 'Hm', seal: { api: 'anthropic', value: 's' } },
        { kind: 'text', text: 'Hi' },
        { kind: 'toolCall', id: 'call-1', name: 'Bash', input: { command: 'ls' } },
      ],
      usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, call: 'm' },
      sets: { model: { provider: 'anthropic', id: 'claude-x' } },
    })
  })

  it('names no model that none was, and no tokens that were not counted', () => {
    const message = {
      model: '<synthetic>',
      usage: { input_tokens: 0, output_tokens: null, cache: 'no' },
      content: 'Failed',
    }
    expect(view('assistant', { message })).toEqual({
      role: 'assistant',
      blocks: [{ kind: 'text', text: 'Failed' }],
      usage: { input: 0 },
    })
    expect(view('assistant', { message: { usage: {}, content: [] } })).toEqual({
      role: 'assistant',
      blocks: [],
    })
  })
})

describe('the view of what is no message', () => {
  it('of a compaction is that the next entry carries the summary', () => {
    expect(view('compact_boundary', { content: 'Conversation compacted' })).toEqual({
      role: 'system',
      blocks: [],
      effect: { kind: 'compaction' },
    })
  })

  it('of a microcompaction is the replacement of the results', () => {
    expect(view('microcompact', { microcompactMetadata: { compactedToolIds: ['a', 7, 'b'] } })).toEqual({
      role: null,
      blocks: [],
      effect: {
        kind: 'edit',
        replacement: [
          { kind: 'toolResult', id: 'a', text: '[Old tool result content cleared]', error: false },
          { kind: 'toolResult', id: 'b', text: '[Old tool result content cleared]', error: false },
        ],
      },
    })
    expect(view('microcompact', {})).toEqual(OPAQUE)
  })

  it('of an attachment is the text that the model sees', () => {
    const attachment = { type: 'edited_text_file', filename: 'a', snippet: '1 one' }
    expect(view('attachment', { attachment })).toEqual({
      role: 'user',
      blocks: [{ kind: 'text', text: '1 one' }],
      aside: true,
    })
    expect(view('attachment', { attachment: { type: 'queued_command', prompt: 'Go on' } })).toEqual({
      role: 'user',
      blocks: [{ kind: 'text', text: 'Go on' }],
    })
    expect(view('attachment', { attachment: { type: 'auto_mode' } })).toEqual(OPAQUE)
  })

  it('of an unknown kind is nothing', () => {
    expect(view('brand-new', { message: { content: 'Hi' } })).toEqual(OPAQUE)
  })
})

it('a view comes of any value', () => {
  const kinds = fc.constantFrom(
    'user',
    'assistant',
    'attachment',
    'compact_boundary',
    'microcompact',
    'other',
  )
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom<Json>(
        null,
        true,
        -1,
        7,
        'text',
        'tool_result',
        '',
        new Verbatim('{"type":"text","text":7,"text":[]}'),
      ),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          'type',
          'text',
          'message',
          'content',
          'attachment',
          'source',
          'data',
          'usage',
          'input_tokens',
          'prompt',
          'model',
          'id',
        ),
        tie('value'),
      ),
    ),
  }))
  fc.assert(fc.property(kinds, value, (kind, body) => Array.isArray(view(kind, body).blocks)))
})

it('a view comes of what is nested very deep', () => {
  const nest = (before: string, after: string): Json =>
    new Verbatim(before.repeat(20_000) + '7' + after.repeat(20_000))
  const results = nest('[{"type":"tool_result","content":', '}]')
  expect(view('user', { message: { content: results } }).blocks).toHaveLength(1)
  expect(view('attachment', { attachment: { content: nest('{"content":', '}') } })).toEqual(OPAQUE)
})
