import { describe, expect, it } from 'vitest'
import { writer } from '../../../src/formats/codex/write.ts'
import type { Json, JsonObject } from '../../../src/model/json.ts'
import { type DraftInput, drafted, valuesIn, writtenBy } from '../../support/draft.ts'

const user = (content: string): DraftInput => ({ role: 'user', content })
const call: DraftInput = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'I read it.' },
    { type: 'toolCall', id: 'c', name: 'read', arguments: { path: 'a' } },
  ],
}
const result: DraftInput = { role: 'tool', content: [{ type: 'toolResult', toolCallId: 'c', content: 'x' }] }

describe('a session written for Codex', () => {
  it('is a rollout: a header, items, and the events that its list shows', async () => {
    const { text, entries, losses } = await writtenBy(writer, drafted([user('Hi'), call, result]))
    expect(losses).toEqual([])
    expect(entries).toEqual([undefined, 0, undefined, 1, undefined, 1, 2])
    expect(valuesIn(text)).toMatchInlineSnapshot(`
      [
        {
          "payload": {
            "cli_version": "0.140.0",
            "cwd": "/home/ada",
            "id": "00000000-0000-8000-8000-000000000000",
            "model_provider": "openai",
            "originator": "sess",
            "source": "cli",
            "timestamp": "2026-01-01T00:00:00.000Z",
          },
          "timestamp": "2026-01-01T00:00:00.000Z",
          "type": "session_meta",
        },
        {
          "payload": {
            "content": [
              {
                "text": "Hi",
                "type": "input_text",
              },
            ],
            "role": "user",
            "type": "message",
          },
          "timestamp": "2026-01-01T00:00:00.000Z",
          "type": "response_item",
        },
        {
          "payload": {
            "images": [],
            "message": "Hi",
            "type": "user_message",
          },
          "timestamp": "2026-01-01T00:00:00.000Z",
          "type": "event_msg",
        },
        {
          "payload": {
            "content": [
              {
                "text": "I read it.",
                "type": "output_text",
              },
            ],
            "role": "assistant",
            "type": "message",
          },
          "timestamp": "2026-01-01T00:01:00.000Z",
          "type": "response_item",
        },
        {
          "payload": {
            "message": "I read it.",
            "type": "agent_message",
          },
          "timestamp": "2026-01-01T00:01:00.000Z",
          "type": "event_msg",
        },
        {
          "payload": {
            "arguments": "{"path":"a"}",
            "call_id": "c",
            "name": "read",
            "type": "function_call",
          },
          "timestamp": "2026-01-01T00:01:00.000Z",
          "type": "response_item",
        },
        {
          "payload": {
            "call_id": "c",
            "output": "x",
            "type": "function_call_output",
          },
          "timestamp": "2026-01-01T00:02:00.000Z",
          "type": "response_item",
        },
      ]
    `)
  })

  it('is where Codex looks', () => {
    const place = writer.place({ id: 'x', cwd: '/', created: Date.UTC(2026, 3, 2, 7, 30) })
    expect(place).toEqual(['sessions', '2026', '04', '02', 'rollout-2026-04-02T07-30-00-x.jsonl'])
  })

  it('puts what a compaction keeps, then its summary, in the place of the history', async () => {
    const compaction = { type: 'sess/compaction', body: { summary: 'All.' }, links: { firstKept: 1 } }
    const { text } = await writtenBy(writer, drafted([user('One'), user('Two'), compaction]))
    const item = (words: string): object => ({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: words }],
    })
    expect(valuesIn(text).at(-1)).toMatchObject({
      type: 'compacted',
      payload: { message: 'All.', replacement_history: [item('Two'), item('All.')] },
    })
  })

  it('puts images where they stand: in messages and in results', async () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' }
    const seen = { role: 'tool', content: [{ type: 'toolResult', toolCallId: 'c', content: 'x' }, image] }
    const { text, losses } = await writtenBy(
      writer,
      drafted([{ role: 'user', content: [image] }, call, seen]),
    )
    const part = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' }
    const values = valuesIn(text)
    expect(values[1]?.payload).toMatchObject({ content: [part] })
    expect(values.at(-1)?.payload).toMatchObject({ output: [{ type: 'input_text', text: 'x' }, part] })
    expect(losses).toEqual([])
  })

  it('reports what it does not carry', async () => {
    const failed = {
      role: 'tool',
      content: [{ type: 'toolResult', toolCallId: 'c', content: 'no', isError: true }],
    }
    const model = { type: 'sess/model_change', body: { provider: 'anthropic', model: 'claude' } }
    const about = { labels: new Map([['here', 0]]) }
    const { losses } = await writtenBy(writer, drafted([model, call, failed], about))
    expect(losses.map(({ code }) => code)).toEqual(['setting', 'result', 'label'])
  })

  it('writes a call whose arguments are a text as such, and its result', async () => {
    const patch = '*** Begin Patch\n*** End Patch'
    const said = (name: string, input: Json): DraftInput[] => [
      { role: 'assistant', content: [{ type: 'toolCall', id: name, name, arguments: input }] },
      { role: 'tool', content: [{ type: 'toolResult', toolCallId: name, content: 'ok' }] },
    ]
    const { text, losses } = await writtenBy(
      writer,
      drafted([
        ...said('apply_patch', { input: patch }),
        ...said('exec', 'run()'),
        ...said('lamp', { input: 'x' }),
      ]),
    )
    const payloads = valuesIn(text).flatMap(({ payload }) =>
      (payload as JsonObject).call_id ? [payload] : [],
    )
    const custom = { type: 'custom_tool_call', status: 'completed' }
    expect(payloads).toEqual([
      { ...custom, call_id: 'apply_patch', name: 'apply_patch', input: patch },
      { type: 'custom_tool_call_output', call_id: 'apply_patch', output: 'ok' },
      { ...custom, call_id: 'exec', name: 'exec', input: 'run()' },
      { type: 'custom_tool_call_output', call_id: 'exec', output: 'ok' },
      { type: 'function_call', name: 'lamp', arguments: '{"input":"x"}', call_id: 'lamp' },
      { type: 'function_call_output', call_id: 'lamp', output: 'ok' },
    ])
    expect(losses).toEqual([])
  })

  it('answers an own call whose arguments are a text by a result of its type', async () => {
    const payload = { type: 'custom_tool_call', call_id: 'c', name: 'exec', input: 'run()' }
    const own = { type: 'codex/custom_tool_call', body: { type: 'response_item', payload } }
    const { text } = await writtenBy(writer, drafted([own, result]))
    expect(valuesIn(text).at(-1)?.payload).toMatchObject({ type: 'custom_tool_call_output', call_id: 'c' })
  })

  it('has a header that refers to no other file, because it has the whole history', async () => {
    const payload = {
      id: 'x',
      cli_version: '0.160.0',
      forked_from_id: 'y',
      history_mode: 'paginated',
      history_base: { thread_id: 'y', end_ordinal_exclusive: 9, end_byte_offset: 99 },
      forked_from_ordinal_exclusive: 9,
      subagent_history_start_ordinal: 4,
    }
    const { text } = await writtenBy(
      writer,
      drafted([user('Hi')], { header: { type: 'session_meta', payload } }),
    )
    expect(Object.keys(valuesIn(text)[0]?.payload as JsonObject).sort()).toEqual([
      'cli_version',
      'cwd',
      'forked_from_id',
      'id',
      'model_provider',
      'source',
      'timestamp',
    ])
  })
})
