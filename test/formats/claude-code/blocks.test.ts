import { expect, it } from 'vitest'
import { blocksOf } from '../../../src/formats/claude-code/view.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'
import type { Json } from '../../../src/model/json.ts'

const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }

it('joins the texts of a result and shows its images after it', () => {
  const content = [
    { type: 'text', text: 'one' },
    png,
    { type: 'text', text: 'two' },
    { type: 'tool_result' },
    null,
  ]
  expect(blocksOf([{ type: 'tool_result', tool_use_id: 'c', is_error: true, content }])).toEqual([
    { kind: 'toolResult', id: 'c', text: 'one\ntwo', error: true },
    { kind: 'image', mediaType: 'image/png', bytes: 3, data: 'AAAA' },
  ])
})

it('shows calls and results of tools that the server runs', () => {
  expect(
    blocksOf([
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 's',
        content: [{ type: 'web_search_result', title: 'Tides', url: 'u', encrypted_content: 'e' }],
      },
    ]),
  ).toEqual([
    { kind: 'toolCall', id: 's', name: 'web_search', input: { query: 'q' } },
    { kind: 'toolResult', id: 's', text: 'Tides\nu', error: false },
  ])
})

it.each<[string, Json, string, boolean]>([
  ['tools that were looked up', [{ type: 'tool_reference', tool_name: 'Fetch' }], 'Fetch', false],
  [
    'what a search found',
    [{ type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 'found' }] }],
    't\ns\nfound',
    false,
  ],
  [
    'what ran at the provider',
    { type: 'bash_code_execution_result', stdout: 'o', stderr: 'e' },
    'o\ne',
    false,
  ],
  ['why a search failed', { type: 'web_search_tool_result_error', error_code: 'max_uses' }, 'max_uses', true],
  ['a part that is not known', { type: 'novel', text: 'x' }, '', false],
])('shows of a result %s', (_, content, text, error) => {
  const block = { type: 'tool_result', tool_use_id: 'c', content }
  expect(blocksOf([block])).toEqual([{ kind: 'toolResult', id: 'c', text, error }])
})

it('returns the input of a call as it is stored', () => {
  const input = new Verbatim('{"n":-0}')
  expect(blocksOf([{ type: 'tool_use', id: 'c', name: 'n', input }])).toEqual([
    { kind: 'toolCall', id: 'c', name: 'n', input },
  ])
  expect(blocksOf([{ type: 'tool_use' }])).toEqual([{ kind: 'toolCall', id: '', name: '', input: {} }])
})

it('shows documents by their type, and as text those that are text', () => {
  const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAA=' } }
  const text = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } }
  const linked = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }
  expect(blocksOf([pdf, text, linked])).toEqual([
    { kind: 'image', mediaType: 'application/pdf', bytes: 2, data: 'AAA=' },
    { kind: 'text', text: 'words' },
    { kind: 'image', mediaType: 'application/octet-stream', bytes: 0, url: 'https://example.org/a.png' },
  ])
})

it('returns thoughts that only their seal holds', () => {
  expect(blocksOf([{ type: 'redacted_thinking', data: 'x' }])).toEqual([
    { kind: 'thinking', text: '', seal: { api: 'anthropic', value: 'x', redacted: true } },
  ])
})

it('shows nothing of what it does not know', () => {
  expect(blocksOf([{ type: 'redacted_thinking' }, { type: 'text' }, 'loose', 7, {}])).toEqual([])
  expect(blocksOf(undefined)).toEqual([])
  expect(blocksOf({ type: 'text', text: 'no list' })).toEqual([])
})
