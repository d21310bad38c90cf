import { describe, expect, it } from 'vitest'
import { writer } from '../../../src/formats/claude-code/write.ts'
import { type DraftInput, drafted, valuesIn, writtenBy } from '../../support/draft.ts'

const call = (id: string, name = 'read'): DraftInput => ({
  role: 'assistant',
  content: [{ type: 'toolCall', id, name, arguments: { path: id } }],
})
const result = (id: string): DraftInput => ({
  role: 'tool',
  content: [{ type: 'toolResult', toolCallId: id, content: `of ${id}` }],
})
const user = (content: string): DraftInput => ({ role: 'user', content })

/** Returns of each record its type and what its message holds. */
async function shape(...inputs: readonly DraftInput[]): Promise<{ records: unknown[]; losses: string[] }> {
  const { text, losses } = await writtenBy(writer, drafted(inputs))
  const records = valuesIn(text).map(({ type, subtype, message }) => [subtype ?? type, message?.content])
  return { records, losses: losses.map(({ code }) => code) }
}

describe('a session written for Claude Code', () => {
  it('is a chain of records with all that its reader asks for', async () => {
    const { text, entries } = await writtenBy(writer, drafted([user('Hi'), call('c1'), result('c1')]))
    expect(entries).toEqual([0, 1, 2])
    expect(valuesIn(text)).toMatchInlineSnapshot(`
      [
        {
          "cwd": "/home/ada",
          "isSidechain": false,
          "message": {
            "content": "Hi",
            "role": "user",
          },
          "parentUuid": null,
          "sessionId": "00000000-0000-8000-8000-000000000000",
          "timestamp": "2026-01-01T00:00:00.000Z",
          "type": "user",
          "userType": "external",
          "uuid": "ffd5e2b1-dce0-8de9-9fc4-98f8e4d3baea",
          "version": "2.1.185",
        },
        {
          "cwd": "/home/ada",
          "isSidechain": false,
          "message": {
            "content": [
              {
                "id": "c1",
                "input": {
                  "path": "c1",
                },
                "name": "read",
                "type": "tool_use",
              },
            ],
            "id": "msg_ab2aafb91b222e66b33028fc",
            "model": "unknown",
            "role": "assistant",
            "stop_reason": "tool_use",
            "stop_sequence": null,
            "type": "message",
            "usage": {
              "cache_creation_input_tokens": 0,
              "cache_read_input_tokens": 0,
              "input_tokens": 0,
              "output_tokens": 0,
            },
          },
          "parentUuid": "ffd5e2b1-dce0-8de9-9fc4-98f8e4d3baea",
          "sessionId": "00000000-0000-8000-8000-000000000000",
          "timestamp": "2026-01-01T00:01:00.000Z",
          "type": "assistant",
          "userType": "external",
          "uuid": "be3a84b8-c27c-8377-8d2a-ad7d5877dbcc",
          "version": "2.1.185",
        },
        {
          "cwd": "/home/ada",
          "isSidechain": false,
          "message": {
            "content": [
              {
                "content": "of c1",
                "tool_use_id": "c1",
                "type": "tool_result",
              },
            ],
            "role": "user",
          },
          "parentUuid": "be3a84b8-c27c-8377-8d2a-ad7d5877dbcc",
          "sessionId": "00000000-0000-8000-8000-000000000000",
          "timestamp": "2026-01-01T00:02:00.000Z",
          "type": "user",
          "userType": "external",
          "uuid": "1c9d8190-cab1-82a8-bab8-f0374fc4ad70",
          "version": "2.1.185",
        },
      ]
    `)
  })

  it('is the same each time, and is where the agent looks', async () => {
    const [one, two] = [
      await writtenBy(writer, drafted([user('Hi')])),
      await writtenBy(writer, drafted([user('Hi')])),
    ]
    expect(one.text).toBe(two.text)
    expect(writer.place({ id: 'x', cwd: '/home/ada/a_b', created: 0 })).toEqual([
      'projects',
      '-home-ada-a-b',
      'x.jsonl',
    ])
  })

  it('puts results directly after their calls', async () => {
    const { records, losses } = await shape(call('c1'), user('Stop!'), result('c1'), user('Go on'))
    expect(records).toEqual([
      ['assistant', [{ type: 'tool_use', id: 'c1', name: 'read', input: { path: 'c1' } }]],
      ['user', [{ tool_use_id: 'c1', type: 'tool_result', content: 'of c1' }]],
      ['user', 'Stop!'],
      ['user', 'Go on'],
    ])
    expect(losses).toEqual(['order'])
  })

  it('answers calls that nothing answers, and leaves out results without a call', async () => {
    const { records, losses } = await shape(call('c1'), user('Stop!'), result('c2'))
    expect(records).toEqual([
      ['assistant', [{ type: 'tool_use', id: 'c1', name: 'read', input: { path: 'c1' } }]],
      [
        'user',
        [{ tool_use_id: 'c1', type: 'tool_result', content: 'no result was recorded', is_error: true }],
      ],
      ['user', 'Stop!'],
    ])
    expect(losses).toEqual(['open-call', 'orphan-result'])
  })

  it('assigns each call an id of its own', async () => {
    const { records } = await shape(call('a|b'), result('a|b'), call('a|b'), result('a|b'))
    const ids = records.map((record) => /(?:"id"|"tool_use_id"):"([^"]+)"/.exec(JSON.stringify(record))?.[1])
    expect(ids).toEqual(['a_b', 'a_b', 'a_b_2', 'a_b_2'])
  })

  it('keeps a compaction with its summary and with what it keeps', async () => {
    const compaction = { type: 'sess/compaction', body: { summary: 'All of it.' }, links: { firstKept: 1 } }
    const { text } = await writtenBy(writer, drafted([user('One'), user('Two'), compaction, user('Three')]))
    const [, two, boundary, summary, three] = valuesIn(text)
    expect(boundary).toMatchObject({
      subtype: 'compact_boundary',
      parentUuid: null,
      logicalParentUuid: two?.uuid,
      compactMetadata: { preservedMessages: { uuids: [two?.uuid], anchorUuid: summary?.uuid } },
    })
    expect(summary).toMatchObject({ isCompactSummary: true, message: { content: 'All of it.' } })
    expect(three).toMatchObject({ parentUuid: summary?.uuid })
  })

  it('writes what was edited as it is now', async () => {
    const edit = (target: number, replacement: string | null): DraftInput => ({
      type: 'sess/edit',
      body: { replacement },
      links: { target },
    })
    const { records, losses } = await shape(user('One'), user('Two'), edit(0, 'First'), edit(1, null))
    expect(records).toEqual([['user', 'First']])
    expect(losses).toEqual(['edit', 'edit'])
  })

  it('keeps thoughts that Anthropic signed, and no others', async () => {
    const thought = (signature: string | undefined): DraftInput => ({
      type: 'claude-like/assistant',
      body: {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'Hm', ...(signature && { signature }) }],
      },
      view: {
        role: 'assistant',
        blocks: [
          {
            kind: 'thinking',
            text: 'Hm',
            ...(signature !== undefined && { seal: { api: 'anthropic', value: signature } }),
          },
        ],
      },
    })
    expect((await shape(thought('abc'))).records).toEqual([
      ['assistant', [{ type: 'thinking', thinking: 'Hm', signature: 'abc' }]],
    ])
    expect(await shape(user('Hi'), thought(undefined))).toEqual({
      records: [['user', 'Hi']],
      losses: ['thinking'],
    })
  })
})
