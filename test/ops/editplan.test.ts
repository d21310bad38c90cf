import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/model/json.ts'
import { joined, reworded } from '../../src/ops/editplan.ts'

const say = (role: string, content: Json) => ({ type: 'sess/message', body: { role, content } })

describe('reworded', () => {
  it('replaces the text in the body of its dialect, and keeps all else there', () => {
    expect(reworded(say('user', 'old'), 'new')).toEqual(say('user', 'new'))
    const thinking = { type: 'thinking', thinking: 'hm', signature: 's' }
    const call = { type: 'tool_use', id: '1', name: 'bash', input: {} }
    const message = (content: Json) => ({
      type: 'claude/assistant',
      body: { type: 'assistant', message: { role: 'assistant', id: 'm', content } },
    })
    const before = message([
      thinking,
      { type: 'text', text: 'a', cache: 1 },
      call,
      { type: 'text', text: 'b' },
    ])
    expect(reworded(before, 'new')).toEqual(
      message([thinking, { type: 'text', text: 'new', cache: 1 }, call]),
    )
    const summary = (text: string) => ({ type: 'sess/branch_summary', body: { summary: text } })
    expect(reworded(summary('old'), 'new')).toEqual(summary('new'))
  })

  it('makes a message of its own where that is not all that it takes', () => {
    const result = { role: 'tool', content: [{ type: 'toolResult', id: '1', name: 'bash', text: 'old' }] }
    expect(reworded({ type: 'sess/message', body: result }, 'new')).toEqual({
      type: 'sess/message',
      body: { role: 'tool', content: [{ type: 'toolResult', id: '1', name: 'bash', text: 'new' }] },
    })
    expect(reworded({ type: 'other/message', body: { role: 'user', parts: ['a'] } }, 'new')).toEqual(
      say('user', 'new'),
    )
  })

  it('gives nothing of what says nothing in words', () => {
    const call = [{ type: 'toolCall', id: '1', name: 'bash', arguments: {} }]
    expect(reworded(say('assistant', call), 'new')).toBeUndefined()
    expect(reworded({ type: 'sess/model_change', body: { model: 'm' } }, 'new')).toBeUndefined()
  })
})

describe('joined', () => {
  it('joins texts of one role, without thoughts', () => {
    const thoughtful = say('assistant', [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'a' },
    ])
    expect(joined([thoughtful, say('assistant', 'b')])).toEqual(say('assistant', 'a\n\nb'))
  })

  it('joins no other', () => {
    const call = [
      { type: 'text', text: 'x' },
      { type: 'toolCall', id: '1', name: 'bash', arguments: {} },
    ]
    expect(joined([say('user', 'a'), say('assistant', 'b')])).toBeUndefined()
    expect(joined([say('assistant', 'a'), say('assistant', call)])).toBeUndefined()
    expect(joined([say('user', 'a'), say('user', '')])).toBeUndefined()
  })
})
