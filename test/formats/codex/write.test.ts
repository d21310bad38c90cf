import { describe, expect, it } from 'vitest'
import { writer } from '../../../src/formats/codex/write.ts'
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
})
