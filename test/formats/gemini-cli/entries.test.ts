import { describe, expect, it } from 'vitest'
import { gemini } from '../../../src/formats/gemini-cli/index.ts'
import type { Json } from '../../../src/model/json.ts'

const view = (kind: string, body: Json) => gemini.view(kind, body)
const answer = (id: string, response: Json): Json => ({ functionResponse: { id, name: 'x', response } })

describe('what a message of Gemini means', () => {
  it('returns thoughts, texts, calls and then their results', () => {
    const body: Json = {
      model: 'gemini-3-pro',
      content: 'Look.',
      thoughts: [{ subject: 'A', description: 'b' }, {}],
      tokens: { input: 100, output: 10, cached: 40, thoughts: 5, total: 115 },
      toolCalls: [
        { id: '1', name: 'a', args: { p: 1 }, result: [answer('1', { output: 'fine' })], status: 'success' },
        { id: '2', name: 'b', result: [answer('2', { error: 'bad' })], status: 'error' },
        { id: '3', name: 'c' },
      ],
    }
    expect(view('gemini', body)).toEqual({
      role: 'assistant',
      blocks: [
        { kind: 'thinking', text: 'A\nb' },
        { kind: 'text', text: 'Look.' },
        { kind: 'toolCall', id: '1', name: 'a', input: { p: 1 } },
        { kind: 'toolCall', id: '2', name: 'b', input: {} },
        { kind: 'toolCall', id: '3', name: 'c', input: {} },
        { kind: 'toolResult', id: '1', name: 'a', text: 'fine', error: false },
        { kind: 'toolResult', id: '2', name: 'b', text: 'bad', error: true },
      ],
      usage: { input: 60, output: 15, cacheRead: 40 },
      sets: { model: { provider: 'google', id: 'gemini-3-pro' } },
    })
  })

  it.each([
    ['words', 'plain', 'plain'],
    ['a response of another shape', [answer('1', { files: 2 })], '{"files":2}'],
    ['a text with a result', [answer('1', { output: 'a' }), { text: 'b' }], 'a\nb'],
  ])('returns the result of %s', (_, result: Json, text) => {
    const { blocks } = view('gemini', { content: '', toolCalls: [{ id: '1', name: 'x', result }] })
    expect(blocks[1]).toEqual({ kind: 'toolResult', id: '1', name: 'x', text, error: false })
  })

  it('returns what the user sends: texts and images, or the results of tools', () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'AAAA' } }
    expect(view('user', { content: [{ text: 'see' }, image] })).toEqual({
      role: 'user',
      blocks: [
        { kind: 'text', text: 'see' },
        { kind: 'image', mediaType: 'image/png', bytes: 3, data: 'AAAA' },
      ],
    })
    expect(view('user', { parts: [answer('1', { output: 'x' })] }).role).toBe('tool')
  })

  it('shows nothing of other kinds', () => {
    expect(view('info', { content: 'a' })).toEqual({ role: null, blocks: [] })
    expect(view('user', 7).blocks).toEqual([])
  })
})
