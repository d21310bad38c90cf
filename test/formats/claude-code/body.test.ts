import { describe, expect, it } from 'vitest'
import { type EntryKind, kindOf } from '../../../src/formats/claude-code/fields.ts'
import { ENTRIES } from '../../../src/formats/claude-code/view.ts'
import * as define from '../../../src/formats/core/define.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'
import type { JsonObject } from '../../../src/model/json.ts'

const bodyOf = (record: JsonObject, kind: EntryKind): JsonObject => define.bodyOf(ENTRIES, kind, record)

describe('kindOf', () => {
  it.each([
    [{ type: 'user' }, 'user'],
    [{ type: 'assistant' }, 'assistant'],
    [{ type: 'attachment' }, 'attachment'],
    [{ type: 'system', subtype: 'compact_boundary' }, 'compact_boundary'],
    [{ type: 'system', subtype: 'microcompact_boundary' }, 'microcompact'],
    [{ type: 'system', subtype: 'turn_duration' }, undefined],
    [{ type: 'system' }, undefined],
    [{ type: 'user', subtype: 'compact_boundary' }, 'user'],
    [{ type: 'progress', message: {} }, undefined],
    [{ type: 'summary', summary: 'A title', leafUuid: 'u' }, undefined],
    [{ type: 'queue-operation', content: 'typed ahead' }, undefined],
    [{ type: 'brand-new' }, undefined],
    [{}, undefined],
  ])('of %j is %s', (record, kind) => {
    expect(kindOf(record)).toBe(kind)
  })
})

describe('bodyOf', () => {
  it('takes what belongs to the conversation, in the order of the record', () => {
    const record = {
      parentUuid: 'p',
      isMeta: true,
      message: { role: 'user', content: 'Hello' },
      type: 'user',
      uuid: 'u',
      sessionId: 's',
      timestamp: 't',
      cwd: '/',
      toolUseResult: {},
      isCompactSummary: true,
      forkedFrom: {},
      content: 'more',
    }
    expect(JSON.stringify(bodyOf(record, 'user'))).toBe(
      '{"isMeta":true,"message":{"role":"user","content":"Hello"},"type":"user","isCompactSummary":true,"content":"more"}',
    )
  })

  it('takes parts as they are', () => {
    const message = { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }
    const attachment = { type: 'date_change', newDate: '2026-03-02' }
    const twice = new Verbatim('{"a":1,"a":2}')
    expect(bodyOf({ type: 'assistant', message }, 'assistant').message).toBe(message)
    expect(bodyOf({ type: 'attachment', attachment }, 'attachment').attachment).toBe(attachment)
    expect(bodyOf({ type: 'user', message: twice }, 'user').message).toBe(twice)
  })

  it('leaves out of an attachment the id of the record that it was queued by', () => {
    const prompt = [{ type: 'text', text: 'And then?' }]
    const record = { type: 'attachment', attachment: { type: 'queued_command', source_uuid: 'q', prompt } }
    const body = bodyOf(record, 'attachment')
    expect(body).toEqual({ type: 'attachment', attachment: { type: 'queued_command', prompt } })
    expect((body.attachment as { prompt: unknown }).prompt).toBe(prompt)
  })

  it('names no record in a compaction', () => {
    const record = {
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      isMeta: false,
      logicalParentUuid: 'l',
      compactMetadata: { preTokens: 9, preservedMessages: { uuids: ['u'] } },
    }
    const { logicalParentUuid: _, compactMetadata: __, ...body } = record
    expect(bodyOf(record, 'compact_boundary')).toEqual(body)
  })

  it('takes of a microcompaction the calls whose results it clears', () => {
    const microcompactMetadata = { preTokens: 9, compactedToolIds: ['call-1'], clearedAttachmentUUIDs: ['u'] }
    const record = { type: 'system', subtype: 'microcompact_boundary', microcompactMetadata }
    expect(bodyOf(record, 'microcompact')).toEqual({
      type: 'system',
      subtype: 'microcompact_boundary',
      microcompactMetadata: { compactedToolIds: ['call-1'] },
    })
    expect(bodyOf({ type: 'user', microcompactMetadata }, 'user')).toEqual({ type: 'user' })
    expect(bodyOf({ microcompactMetadata: 'odd' }, 'microcompact')).toEqual({ microcompactMetadata: {} })
  })
})
