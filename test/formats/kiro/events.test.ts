import { describe, expect, it } from 'vitest'
import { eventFacts } from '../../../src/formats/kiro/events.ts'
import { kiro, kiroAbout } from '../../../src/formats/kiro/index.ts'
import { expectStable } from '../prefix.ts'
import { entriesAsText, readText, takes } from '../read.ts'

const event = (id: string, payload: object): string =>
  `${JSON.stringify({ id, timestamp: '2026-09-10T08:00:00.000Z', payload })}\n`

const SESSION = [
  event('e1', { type: 'turn_start', executionId: 'x' }),
  event('e2', {
    ...{ type: 'user', content: 'When is high water?', _meta: { kiro: {} } },
    images: [
      { format: 'png', source: { bytes: [1, 2, 3] } },
      { mimeType: 'image/jpeg', data: 'AAAA' },
    ],
    documents: [{ name: 'tides.md', content: 'at noon' }, { name: 'map.pdf' }],
  }),
  event('e3', { type: 'assistant', content: '...', operationType: 'Reasoning', reasoningSignature: 'sig' }),
  event('e4', { type: 'assistant', content: 'I look.', operationType: 'Say', executionId: 'x' }),
  event('e5', { type: 'pending_interaction', toolCallId: 'c1', question: 'May I?' }),
  event('e6', {
    ...{ type: 'tool_call', toolCallId: 'c1', toolName: 'readFile', args: { path: 'tides.txt' } },
    status: 'completed',
  }),
  event('e7', { type: 'tool_call', toolCallId: 'c1', toolName: 'readFile', args: {}, status: 'completed' }),
  event('e8', { type: 'tool_result', toolCallId: 'c1', content: 'no such file', success: false }),
  event('e9', { type: 'tool_call', toolCallId: 'c2', toolName: 'see', args: {} }),
  event('e10', {
    ...{ type: 'tool_result', toolCallId: 'c2', success: true },
    content: [
      { type: 'text', text: 'a map' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    ],
  }),
  event('e11', { type: 'assistant', content: 'At noon.' }),
  event('e12', { type: 'usage_summary', promptTurnSummaries: [{ usage: 0.4, unit: 'credit' }] }),
  event('e13', { type: 'novel', content: 'unknown' }),
  event('e14', { type: 'session_start', agentType: 'vibe', content: 'You are Kiro.' }),
].join('')

describe('sessions of the third engine', () => {
  it('are detected by their payloads', () => {
    expect(takes(kiro, 'x.jsonl', SESSION)).toBe(true)
    expect(takes(kiro, 'messages.jsonl', event('e', { type: 'session_metadata', key: 'k' }))).toBe(true)
    expect(takes(kiro, 'messages.jsonl', event('e', { type: 'novel' }))).toBe(false)
    expect(takes(kiro, 'x.jsonl', '{"timestamp":"t","type":"event_msg","payload":{"type":"user"}}\n')).toBe(
      false,
    )
  })

  it('have an entry for each message, call and result, each call and result once', () => {
    expect(entriesAsText(kiro, readText(kiro, SESSION))).toMatchInlineSnapshot(`
      "->1 user [text When is high water?] [image image/png] [image image/jpeg] [text [tides.md]
      at noon] [text [map.pdf]]
      1>2 assistant [thinking ]
      2>3 assistant [text I look.]
      3>5 assistant [call c1 readFile {"path":"tides.txt"}]
      5>7 tool [error c1 no such file]
      7>8 assistant [call c2 see {}]
      8>9 tool [result c2 a map] [image image/png]
      9>10 assistant [text At noon.]"
    `)
    expectStable(kiro, SESSION)
  })

  it('are named after their folder', () => {
    expect(kiro.reader('messages.jsonl', 'sess_5b0c').facts()).toEqual({ id: 'sess_5b0c' })
    expect(kiro.reader('messages.jsonl', 'other').facts()).toEqual({})
  })

  it('have title, folders and model in the document beside', () => {
    const about = {
      ...{ schemaVersion: '1.0.0', id: 'sess_5b0c', title: 'Tides', modelId: 'claude-x' },
      ...{ workspacePaths: ['file:///home/ada/tides'], rootPaths: ['/home/ada/tides', '/home/ada/moon'] },
      createdAt: '2026-09-10T08:00:00.000Z',
    }
    expect(eventFacts(about)).toEqual({
      ...{ title: 'Tides', cwd: '/home/ada/tides', model: 'claude-x', created: 1789027200000 },
      folders: ['/home/ada/tides', '/home/ada/moon'],
    })
    expect(eventFacts({ workspacePaths: [7], title: '' })).toEqual({})
    expect(takes(kiroAbout, 'session.json', JSON.stringify(about, null, 2))).toBe(true)
    expect(kiroAbout.reader('session.json', 'sess_5b0c').facts()).toEqual({ id: 'sess_5b0c-session' })
  })
})
