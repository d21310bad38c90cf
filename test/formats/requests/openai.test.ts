import { describe, expect, it } from 'vitest'
import { chatRequest, responsesRequest } from '../../../src/formats/requests/openai.ts'
import type { Block, View } from '../../../src/model/view.ts'

const viewOf = (role: View['role'], ...blocks: readonly (Block | string)[]): View => ({
  role,
  blocks: blocks.map((block) => (typeof block === 'string' ? { kind: 'text', text: block } : block)),
})
const sealed = (text: string, api: 'openai' | 'anthropic'): Block => ({
  kind: 'thinking',
  text,
  seal: { api, value: 'e' },
})
const image: Block = { kind: 'image', mediaType: 'image/png', bytes: 3, data: 'AAAA' }
const views: readonly View[] = [
  viewOf('system', 'be brief'),
  viewOf('user', 'look', image),
  viewOf('assistant', { kind: 'thinking', text: 'first' }, sealed('then', 'openai'), 'reading', 'it'),
  viewOf('assistant', { kind: 'toolCall', id: 'x', name: 'read', input: 'a.txt' }),
  viewOf('tool', { kind: 'toolResult', id: 'x', text: 'words', error: false }, image),
  viewOf('assistant', sealed('', 'anthropic'), 'done'),
]
const items = views.map((view, node) => ({ node, part: 'message', view }))
const url = 'data:image/png;base64,AAAA'

describe('requests to OpenAI', () => {
  it('has items for the Responses API, thoughts where it encrypted them', () => {
    const { value, repairs } = responsesRequest(items)
    expect(value).toEqual({
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'be brief' }] },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'look' },
            { type: 'input_image', image_url: url },
          ],
        },
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'first\n\nthen' }],
          encrypted_content: 'e',
        },
        {
          type: 'message',
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'reading' },
            { type: 'output_text', text: 'it' },
          ],
        },
        { type: 'function_call', call_id: 'x', name: 'read', arguments: '{"input":"a.txt"}' },
        {
          type: 'function_call_output',
          call_id: 'x',
          output: [
            { type: 'input_text', text: 'words' },
            { type: 'input_image', image_url: url },
          ],
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
      ],
    })
    expect(repairs).toEqual([{ kind: 'dropped-thinking', node: 5 }])
  })

  it('has messages for the chat API, calls with their answers after them', () => {
    const { value, repairs } = chatRequest(items)
    expect(value).toEqual({
      messages: [
        { role: 'system', content: 'be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url } },
          ],
        },
        {
          role: 'assistant',
          content: 'reading\n\nit',
          tool_calls: [
            { id: 'x', type: 'function', function: { name: 'read', arguments: '{"input":"a.txt"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'x', content: 'words' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
        { role: 'assistant', content: 'done' },
      ],
    })
    expect(repairs.map(({ kind, node }) => [kind, node])).toEqual([
      ['dropped-thinking', 2],
      ['dropped-thinking', 5],
    ])
  })

  it('counts the tokens of each part', () => {
    expect(responsesRequest(items).parts.map(({ tokens }) => tokens)).toEqual([2, 1201, 3, 3, 3, 1202, 1])
  })
})
