import { describe, expect, it } from 'vitest'
import { writer } from '../../../src/formats/pi/write.ts'
import type { Json } from '../../../src/model/json.ts'
import { type DraftInput, drafted, valuesIn, writtenBy } from '../../support/draft.ts'

const user = (content: string): DraftInput => ({ role: 'user', content })
const answer = (content: string): Json => ({ role: 'assistant', content: [{ type: 'text', text: content }] })

/** One block of an answer of Claude Code, of the model call that is named. */
const block = (call: string, content: object): DraftInput => ({
  type: 'claude/assistant',
  body: {
    type: 'assistant',
    message: {
      id: call,
      role: 'assistant',
      model: 'claude-opus',
      content: [{ ...content }],
      usage: { input_tokens: 3 },
    },
  },
})

describe('a session written for pi', () => {
  it('is a header and a tree of records with all fields that pi asks for', async () => {
    const result = { role: 'tool', content: [{ type: 'toolResult', toolCallId: 'c', content: 'x' }] }
    const inputs = [
      user('Hi'),
      block('m1', { type: 'text', text: 'I read it.' }),
      block('m1', { type: 'tool_use', id: 'c', name: 'read', input: { path: 'a' } }),
      result,
    ]
    const { text, entries, losses } = await writtenBy(writer, drafted(inputs))
    expect(losses).toEqual([])
    expect(entries).toEqual([undefined, 0, 2, 3])
    expect(valuesIn(text)).toMatchInlineSnapshot(`
      [
        {
          "cwd": "/home/ada",
          "id": "00000000-0000-8000-8000-000000000000",
          "timestamp": "2026-01-01T00:00:00.000Z",
          "type": "session",
          "version": 3,
        },
        {
          "id": "5b735af1",
          "message": {
            "content": [
              {
                "text": "Hi",
                "type": "text",
              },
            ],
            "role": "user",
            "timestamp": 1767225600000,
          },
          "parentId": null,
          "timestamp": "2026-01-01T00:00:00.000Z",
          "type": "message",
        },
        {
          "id": "307d3e10",
          "message": {
            "api": "anthropic-messages",
            "content": [
              {
                "text": "I read it.",
                "type": "text",
              },
              {
                "arguments": {
                  "path": "a",
                },
                "id": "c",
                "name": "read",
                "type": "toolCall",
              },
            ],
            "model": "claude-opus",
            "provider": "anthropic",
            "role": "assistant",
            "stopReason": "toolUse",
            "timestamp": 1767225660000,
            "usage": {
              "cacheRead": 0,
              "cacheWrite": 0,
              "cost": {
                "cacheRead": 0,
                "cacheWrite": 0,
                "input": 0,
                "output": 0,
                "total": 0,
              },
              "input": 3,
              "output": 0,
              "totalTokens": 3,
            },
          },
          "parentId": "5b735af1",
          "timestamp": "2026-01-01T00:01:00.000Z",
          "type": "message",
        },
        {
          "id": "e43c6a12",
          "message": {
            "content": [
              {
                "text": "x",
                "type": "text",
              },
            ],
            "isError": false,
            "role": "toolResult",
            "timestamp": 1767225780000,
            "toolCallId": "c",
            "toolName": "read",
          },
          "parentId": "307d3e10",
          "timestamp": "2026-01-01T00:03:00.000Z",
          "type": "message",
        },
      ]
    `)
  })

  it('is where pi looks', () => {
    const place = writer.place({ id: 'x', cwd: '/home/ada/a b', created: Date.UTC(2026, 3, 2, 7, 30) })
    expect(place).toEqual(['sessions', '--home-ada-a b--', '2026-04-02T07-30-00-000Z_x.jsonl'])
  })

  it('has labels, the title and the leaf after all entries', async () => {
    const inputs = [
      user('Hi'),
      { ...whole(answer('One')), parents: [0] },
      { ...whole(answer('Two')), parents: [0] },
    ]
    const about = { tip: 1, title: 'Tea', labels: new Map([['here', 0]]) }
    const records = valuesIn((await writtenBy(writer, drafted(inputs, about))).text)
    const [, hi, one, two, label, info] = records
    expect([hi, one, two].map((record) => record?.parentId)).toEqual([null, hi?.id, hi?.id])
    expect(label).toMatchObject({ type: 'label', parentId: one?.id, targetId: hi?.id, label: 'here' })
    expect(info).toMatchObject({ type: 'session_info', parentId: label?.id, name: 'Tea' })

    const bare = valuesIn((await writtenBy(writer, drafted(inputs, { tip: 1 }))).text)
    expect(bare.at(-1)).toMatchObject({ type: 'custom', parentId: one?.id })
  })

  it('reports the names that pi has no field for', async () => {
    const about = {
      labels: new Map([
        ['a', 0],
        ['b', 0],
      ]),
      branches: new Map([
        ['main', 0],
        ['at-0123abcd', 0],
        ['try', 0],
      ]),
    }
    const { losses } = await writtenBy(writer, drafted([user('Hi')], about))
    expect(losses).toEqual([
      { code: 'branch-name', subject: 'try' },
      { code: 'label', subject: 'b' },
    ])
  })

  it('keeps the summary and what is kept of a compaction of Claude Code', async () => {
    const inputs: DraftInput[] = [
      user('One'),
      user('Two'),
      {
        type: 'claude/compact_boundary',
        body: { type: 'system', subtype: 'compact_boundary' },
        links: { kept: [1] },
      },
      { type: 'claude/user', body: { type: 'user', isCompactSummary: true, message: { content: 'All.' } } },
      user('Three'),
    ]
    const { text, losses } = await writtenBy(writer, drafted(inputs))
    const [, one, two, compaction, three] = valuesIn(text)
    expect(compaction).toMatchObject({
      type: 'compaction',
      summary: 'All.',
      firstKeptEntryId: two?.id,
      parentId: two?.id,
    })
    expect(three).toMatchObject({ parentId: compaction?.id })
    expect(two).toMatchObject({ parentId: one?.id })
    expect(losses).toEqual([])
  })

  it('C4: names itself as the first entry that is kept where a compaction keeps nothing', async () => {
    const compaction = { type: 'sess/compaction', body: { summary: 'All.' } }
    const [, , record] = valuesIn((await writtenBy(writer, drafted([user('One'), compaction]))).text)
    expect(record).toMatchObject({ type: 'compaction', firstKeptEntryId: record?.id })
  })

  it('C8: writes edits as such', async () => {
    const edit = { type: 'sess/edit', body: { replacement: null }, links: { target: 0 } }
    const [, one, record] = valuesIn((await writtenBy(writer, drafted([user('One'), edit]))).text)
    expect(record).toMatchObject({ type: 'context_edit', targetId: one?.id, replacement: null })
  })

  it('I14: chains one branch again under the same session id', async () => {
    const own = (id: string, parentId: string | null, text: string): DraftInput => ({
      type: 'pi/message',
      body: { message: { role: 'user', content: text } },
      native: id,
      value: {
        type: 'message',
        id,
        parentId,
        timestamp: '2026-01-01T00:00:00.000Z',
        message: { role: 'user', content: text },
      },
    })
    const draft = drafted([own('aaaaaaaa', null, 'One'), own('cccccccc', 'a-label', 'Two')], {
      id: 'its-own',
    })
    const [header, one, two] = valuesIn((await writtenBy(writer, draft)).text)
    expect(header).toMatchObject({ type: 'session', version: 3, id: 'its-own', cwd: '/home/ada' })
    expect([one?.id, two?.id, two?.parentId]).toEqual(['aaaaaaaa', 'cccccccc', 'aaaaaaaa'])
  })
})

const whole = (body: Json): { readonly type: string; readonly body: Json } => ({ type: 'sess/message', body })
