import { describe, expect, it } from 'vitest'
import { detect } from '../../../src/formats/claude-code/index.ts'
import type { Json } from '../../../src/model/json.ts'
import { fixture } from './records.ts'

const sample = (lines: readonly Json[], head = '', whole = true): boolean =>
  detect({ name: 'any', head: new TextEncoder().encode(head), lines, whole })

const message = { role: 'user', content: 'Hello' }

describe('a Claude Code session', () => {
  it.each(['session.jsonl', 'fork.jsonl', 'damaged.jsonl'])(
    'is recognised in %s, and by each line alone',
    (name) => {
      expect(sample(fixture(name))).toBe(true)
      const alone = fixture(name).filter((line) => 'uuid' in line && line.type !== 'some-new-type')
      expect(alone.filter((line) => !sample([line]))).toEqual([])
    },
  )

  const records: readonly Json[] = [
    { type: 'queue-operation', operation: 'enqueue', sessionId: 's', timestamp: 't' },
    { type: 'mode', mode: 'normal', sessionId: 's' },
    { type: 'last-prompt', lastPrompt: 'Hello', leafUuid: 'u', sessionId: 's' },
    { type: 'pr-link', prNumber: 1, sessionId: 's' },
    { type: 'summary', summary: 'A title', leafUuid: 'u' },
    { type: 'file-history-snapshot', messageId: 'u', snapshot: {} },
    { type: 'user', uuid: 'u', sessionId: 's', message },
  ]
  it.each(records.map((record) => [record]))('is recognised by %j', (record) => {
    expect(sample([record])).toBe(true)
    expect(sample([{ type: 'brand-new' }, record])).toBe(true)
  })

  it('is recognised by the beginning of a record longer than the sample', () => {
    const head =
      '{"parentUuid":null,"isSidechain":false,"userType":"external","sessionId":"s","type":"user","message":{'
    expect(sample([], head, false)).toBe(true)
    expect(sample([], head, true)).toBe(false)
    expect(sample([], '{"type":"session_meta","payload":{', false)).toBe(false)
  })
})

describe('another file', () => {
  const others: readonly (readonly [string, Json])[] = [
    [
      'Qwen Code',
      { type: 'user', uuid: 'u', parentUuid: null, sessionId: 's', message: { role: 'user', parts: [] } },
    ],
    ['Qwen Code', { type: 'system', subtype: 'ui_telemetry', uuid: 'u', sessionId: 's', systemPayload: {} }],
    ['Codex', { type: 'session_meta', timestamp: 't', payload: { id: 's' } }],
    ['Copilot', { type: 'user.message', id: 'u', parentId: null, data: {} }],
    ['Droid', { type: 'message', id: 'u', parentId: null, message }],
    ['Cursor', { role: 'user', message: { content: [] } }],
    ['pi', { type: 'message', id: 'u', parentId: null, message }],
    ['Gemini', { type: 'user', id: 'u', content: 'Hello', sessionId: 's' }],
    ['the stream of a run', { type: 'user', uuid: 'u', session_id: 's', message }],
    ['something with summaries', { type: 'summary', summary: 'All of it' }],
  ]
  it.each(others)('of %s is not taken', (_, line) => {
    expect(sample([line])).toBe(false)
  })

  it('is not taken where it holds nothing', () => {
    expect(sample([])).toBe(false)
  })
})
