import { describe, expect, it } from 'vitest'
import type { Draft, FormatWriter } from '../../../src/formats/core/writer.ts'
import { rollouts } from '../../../src/formats/rollouts/index.ts'
import { type DraftInput, drafted, valuesIn, writtenBy } from '../../support/draft.ts'
import { readBack } from '../../support/readback.ts'

const writer = rollouts.writer as FormatWriter
const user = (content: string): DraftInput => ({ role: 'user', content })
const assistant = (...content: readonly object[]): DraftInput =>
  ({ role: 'assistant', content }) as DraftInput
const call = (id: string) => ({ type: 'toolCall', id, name: 'read', arguments: { path: id } })
const result = (id: string, content: string, isError = false): DraftInput => ({
  role: 'tool',
  content: [{ type: 'toolResult', toolCallId: id, content, isError }],
})

async function written(inputs: readonly DraftInput[], more: Partial<Draft> = {}) {
  const { text, losses, entries } = await writtenBy(writer, drafted(inputs, more))
  const [header, ...records] = valuesIn(text) as { message?: Record<string, unknown> }[]
  return {
    text,
    header,
    messages: records.map(({ message }) => message),
    entries,
    losses: losses.map(({ code }) => code),
  }
}

describe('a session written for rollouts', () => {
  it('is where rollouts keeps those of a folder', () => {
    const id = '00000000-0000-8000-8000-000000000000'
    expect(writer.place({ id, cwd: '/home/ada', created: Date.UTC(2026, 0, 2, 3, 4, 5) })).toEqual([
      'sessions',
      '--home-ada--',
      `2026-01-02T03-04-05_${id}.jsonl`,
    ])
    expect([writer.takesId?.(id), writer.takesId?.('kite')]).toEqual([true, false])
  })

  it('names its model in the header, and has parallel calls in one message with the results after it', async () => {
    const { text, header, messages, losses, entries } = await written([
      user('hi'),
      { type: 'sess/model_change', body: { provider: 'openai', model: 'gpt-5' } },
      assistant({ type: 'text', text: 'I look.' }, call('a')),
      assistant(call('b')),
      result('a', 'fine'),
      result('b', 'bad', true),
      assistant({ type: 'text', text: 'Done.' }),
    ])
    expect(header).toMatchObject({ type: 'session', cwd: '/home/ada', provider: 'openai', model: 'gpt-5' })
    expect(losses).toEqual(['setting'])
    expect(entries).toEqual([undefined, 0, 5, 5, 5, 6])
    expect(messages[2]).toEqual({ role: 'tool', content: 'fine', tool_call_id: 'a' })
    expect(messages[3]).toEqual({
      role: 'tool',
      content: 'bad',
      tool_call_id: 'b',
      details: { is_error: true },
    })
    expect(messages[4]).toEqual({ role: 'assistant', content: 'Done.', provider: 'openai', model: 'gpt-5' })
    expect(
      readBack(rollouts, text).map(({ role, blocks }) => [role, ...blocks.map(({ kind }) => kind)]),
    ).toEqual([
      ['user', 'text'],
      ['assistant', 'text', 'toolCall', 'toolCall'],
      ['tool', 'toolResult'],
      ['tool', 'toolResult'],
      ['assistant', 'text'],
    ])
  })

  it('begins with the summary of the last compaction and what that keeps, and names what it leaves out', async () => {
    const { messages, losses } = await written([
      user('one'),
      assistant({ type: 'text', text: 'two' }, call('a')),
      result('a', 'fine'),
      user('three'),
      { type: 'sess/compaction', body: { summary: 'so far' }, links: { firstKept: 3 } },
      user('four'),
    ])
    expect(messages.map((message) => message?.content)).toEqual(['so far', 'three', 'four'])
    expect(losses).toEqual(['compaction', 'text', 'call', 'result'])
  })

  it('keeps signed thoughts and images, and leaves out what cannot be sent', async () => {
    const signed: DraftInput = {
      type: 'claude/assistant',
      body: {
        type: 'assistant',
        message: {
          id: 'm',
          role: 'assistant',
          model: 'claude',
          content: [{ type: 'thinking', thinking: 'hm', signature: 's' }],
        },
      },
    }
    const { messages, losses } = await written([
      signed,
      assistant({ type: 'thinking', thinking: 'no' }),
      { role: 'user', content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
    ])
    expect(losses).toEqual(['thinking'])
    expect(messages.map((message) => message?.content)).toEqual([
      [{ type: 'thinking', thinking: 'hm', thinking_signature: 's' }],
      [{ type: 'image', data: 'AAAA', mime_type: 'image/png' }],
    ])
  })

  it('answers a call that nothing answered, and names labels and the title', async () => {
    const { messages, losses } = await written([assistant(call('a'))], {
      title: 'Kites',
      labels: new Map([['best', 0]]),
    })
    expect(losses).toEqual(['open-call', 'label', 'title'])
    expect(messages[1]).toMatchObject({ role: 'tool', details: { is_error: true } })
  })

  it('writes its own messages as they were, of a file and of a folder', async () => {
    const message = { role: 'user', content: 'hi', custom: 1 }
    const { messages } = await written([
      { type: 'rollouts/message', body: message, value: { type: 'message', timestamp: 't', message } },
      { type: 'rollouts/message', body: message, value: message },
    ])
    expect(messages).toEqual([message, message])
  })
})
