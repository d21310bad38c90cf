import { describe, expect, it } from 'vitest'
import * as define from '../../../src/formats/core/define.ts'
import { ENTRIES } from '../../../src/formats/pi/entries.ts'
import type { JsonObject } from '../../../src/model/json.ts'

const bodyOf = (kind: string, record: JsonObject): JsonObject => define.bodyOf(ENTRIES, kind, record)

describe('bodyOf', () => {
  it('leaves out ids, times and what is not listed, at every depth', () => {
    const record: JsonObject = {
      type: 'message',
      id: 'a1b2c3d4',
      parentId: null,
      timestamp: '2026-01-02T03:04:05.678Z',
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', thinkingSignature: 's', index: 0 },
          {
            type: 'toolCall',
            id: 'call_1',
            name: 'read',
            arguments: { path: '/x', timestamp: 1 },
            partial: '',
          },
        ],
        api: 'messages',
        usage: { input: 1, output: 2, cost: { total: 0.5, currency: 'USD' }, at: 9 },
        stopReason: 'toolUse',
        timestamp: 1767323045678,
        later: true,
      },
    }
    expect(bodyOf('message', record)).toEqual({
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', thinkingSignature: 's' },
          { type: 'toolCall', id: 'call_1', name: 'read', arguments: { path: '/x', timestamp: 1 } },
        ],
        api: 'messages',
        usage: { input: 1, output: 2, cost: { total: 0.5 } },
        stopReason: 'toolUse',
      },
    })
  })

  it('takes parts that are all conversation as the very same objects', () => {
    const content = [{ type: 'text', text: 'hello' }]
    const details = { deep: [1, { x: null }] }
    const body = bodyOf('custom_message', { id: 'x', content, details })
    expect(body.content).toBe(content)
    expect(body.details).toBe(details)
  })

  it('takes a block of an unknown type whole', () => {
    const block = { type: 'video', url: 'u', id: 'v1' }
    const body = bodyOf('message', { message: { role: 'user', content: [block, 'odd', null] } })
    expect(body).toEqual({ message: { role: 'user', content: [block, 'odd', null] } })
  })

  it('keeps the order of the keys', () => {
    const body = bodyOf('message', { message: { content: 'x', timestamp: 1, role: 'user' } })
    expect(JSON.stringify(body)).toBe('{"message":{"content":"x","role":"user"}}')
  })

  it.each([
    [
      'compaction',
      {
        summary: 'S',
        firstKeptEntryId: 'a',
        firstKeptEntryIndex: 2,
        tokensBefore: 3,
        details: { readFiles: [] },
        fromHook: true,
        usage: { input: 1 },
        systemMessage: { role: 'system', content: 'C', timestamp: 1 },
        retainedTail: [{ role: 'user', content: 'q', timestamp: 1 }],
      },
      {
        summary: 'S',
        tokensBefore: 3,
        details: { readFiles: [] },
        fromHook: true,
        usage: { input: 1 },
        systemMessage: { role: 'system', content: 'C' },
        retainedTail: [{ role: 'user', content: 'q' }],
      },
    ],
    ['branch_summary', { summary: 'B', fromId: 'root', details: 1 }, { summary: 'B', details: 1 }],
    ['thinking_level_change', { thinkingLevel: 'high', id: 'x' }, { thinkingLevel: 'high' }],
    ['model_change', { provider: 'p', modelId: 'm', role: 'r' }, { provider: 'p', modelId: 'm' }],
    ['active_tools_change', { activeToolNames: ['read'], parentId: 'x' }, { activeToolNames: ['read'] }],
    ['context_edit', { targetId: 'a', replacement: null }, { replacement: null }],
    [
      'context_edit',
      { targetId: 'a', replacement: { content: 'x', at: 1 } },
      { replacement: { content: 'x' } },
    ],
  ] as const)('selects from %s', (kind, record, body) => {
    expect(Object.keys(ENTRIES)).toContain(kind)
    expect(bodyOf(kind, record)).toEqual(body)
  })
})
