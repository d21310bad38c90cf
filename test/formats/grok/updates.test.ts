import { describe, expect, it } from 'vitest'
import { grokUpdates } from '../../../src/formats/grok/updates.ts'
import { entriesAsText, readText, takes } from '../read.ts'

const SESSION = '019f6000-0000-7000-8000-000000000002'

const line = (update: object, meta?: object): string =>
  `${JSON.stringify({ timestamp: 1784278801, method: 'session/update', params: { sessionId: SESSION, update, ...(meta && { _meta: meta }) } })}\n`
const chunk = (type: string, text: string, more: object = {}): object => ({
  ...{ sessionUpdate: `${type}_chunk`, content: { type: 'text', text } },
  ...more,
})
const read = (...lines: readonly string[]): string =>
  entriesAsText(grokUpdates, readText(grokUpdates, lines.join('')))

describe('updates', () => {
  it('are detected by what they update', () => {
    expect(takes(grokUpdates, 'x.jsonl', line(chunk('user_message', 'a')))).toBe(true)
    expect(takes(grokUpdates, 'updates.jsonl', '{"role":"user","content":"a"}\n')).toBe(false)
  })

  it('join the chunks of a message', () => {
    expect(
      read(
        line({ sessionUpdate: 'available_commands_update' }),
        line(chunk('user_message', 'When is ')),
        line(chunk('user_message', 'high water?')),
        line({
          sessionUpdate: 'user_message_chunk',
          content: { type: 'image', mimeType: 'image/png', data: 'AAAA' },
        }),
        line({
          sessionUpdate: 'user_message_chunk',
          content: { type: 'resource_link', uri: 'file:///tides.txt' },
        }),
        line(chunk('agent_thought', 'h')),
        line(chunk('agent_thought', 'm')),
        line(chunk('agent_message', 'At ')),
        line({ sessionUpdate: 'usage_update', used: 1 }),
        line(chunk('agent_message', 'noon.')),
        line({ sessionUpdate: 'current_mode_update', currentModeId: 'code' }),
        line(chunk('user_message', 'And low?')),
      ),
    ).toMatchInlineSnapshot(`
      "->1 user [text When is high water?] [image image/png] [text [file:///tides.txt]]
      1>2 assistant [thinking hm]
      2>3 assistant [text At noon.]
      3>5 user [text And low?]"
    `)
  })

  it('end a message where its kind, its id or its turn changes, and at anything that is done', () => {
    const messages = read(
      line(chunk('agent_message', 'a', { messageId: '1' })),
      line(chunk('agent_message', 'b', { messageId: '2' })),
      line(chunk('agent_message', 'c'), { promptId: 'p' }),
      line(chunk('agent_message', 'd'), { promptId: 'q' }),
      line({ sessionUpdate: 'plan', entries: [] }),
      line(chunk('agent_message', 'e'), { promptId: 'q' }),
      line(chunk('user_message', 'f', { _meta: { promptIndex: 0 } })),
      line(chunk('user_message', 'g', { _meta: { promptIndex: 1 } })),
    )
    expect(messages.match(/\[text \w+\]/g)).toEqual('abcdefg'.split('').map((word) => `[text ${word}]`))
  })

  it('have a body that does not depend on how a message was cut', () => {
    const whole = readText(grokUpdates, line(chunk('agent_message', 'At noon.')))
    const cut = readText(
      grokUpdates,
      line(chunk('agent_message', 'At ')) + line(chunk('agent_message', 'noon.')),
    )
    expect(cut.readings[0]?.entry?.body).toEqual(whole.readings[0]?.entry?.body)
  })

  it('pair calls with results; the input may come later, and a call that ends without one is shown with its result', () => {
    const call = (update: object): string => line({ sessionUpdate: 'tool_call', ...update })
    const update = (more: object): string => line({ sessionUpdate: 'tool_call_update', ...more })
    const content = [{ type: 'content', content: { type: 'text', text: '12:00' } }]
    expect(
      read(
        call({ toolCallId: 'a', title: 'read', kind: 'read', status: 'pending', rawInput: { p: 1 } }),
        update({ toolCallId: 'a', status: 'in_progress' }),
        update({ toolCallId: 'a', status: 'completed', content }),
        update({ toolCallId: 'a', status: 'completed', content }),
        call({ toolCallId: 'b', title: 'run', status: 'pending' }),
        update({ toolCallId: 'b', rawInput: { c: 'ls' } }),
        update({ toolCallId: 'b', status: 'failed', rawOutput: { error: 'denied' } }),
        call({ toolCallId: 'c', kind: 'edit' }),
        update({
          toolCallId: 'c',
          status: 'completed',
          content: [{ type: 'diff', path: 'a.txt', newText: 'b' }],
        }),
        update({
          toolCallId: 'd',
          status: 'completed',
          title: 'shot',
          content: [{ type: 'content', content: { type: 'image', mimeType: 'image/png', data: 'AAAA' } }],
        }),
      ),
    ).toMatchInlineSnapshot(`
      "->0 assistant [call a read {"p":1}]
      0>2 tool [result a 12:00]
      2>5 assistant [call b run {"c":"ls"}]
      5>6 tool [error b denied]
      6>8 assistant [call c edit {}] [result c [a.txt]
      b]
      8>9 assistant [call d shot {}] [result d ] [image image/png]"
    `)
  })

  it('tell the id, the model, the project and the usage, each turn as it is reported last', () => {
    const usage = {
      inputTokens: 100,
      cachedReadTokens: 40,
      outputTokens: 7,
      costUsdTicks: 12_300_000,
      modelUsage: { 'grok-5': {} },
    }
    const text = [
      line(chunk('user_message', 'a')),
      line({ sessionUpdate: 'turn_completed', prompt_id: 'p', usage: { ...usage, inputTokens: 90 } }),
      line({ sessionUpdate: 'turn_completed', prompt_id: 'p', usage }),
      line({ sessionUpdate: 'turn_completed', prompt_id: 'q', usage: { inputTokens: 3, outputTokens: 2 } }),
    ].join('')
    expect(readText(grokUpdates, text).reader.facts()).toEqual({
      ...{ id: SESSION, model: 'grok-5' },
      usage: { input: 63, output: 9, cacheRead: 40, cost: 0.00123 },
    })
    expect(grokUpdates.reader('updates.jsonl', SESSION, ['%2Fhome%2Fada%2Ftides']).facts()).toEqual({
      ...{ id: SESSION, cwd: '/home/ada/tides' },
    })
    expect(grokUpdates.reader('updates.jsonl', SESSION, ['%2F%E0%A4%A']).facts()).toEqual({ id: SESSION })
  })

  it('leave out what the program around the agent says', () => {
    expect(read(line(chunk('user_message', 'a', { _meta: { hostTurn: true } })))).toBe('')
  })
})
