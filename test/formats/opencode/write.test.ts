import { describe, expect, it } from 'vitest'
import type { Draft, FormatWriter } from '../../../src/formats/core/writer.ts'
import { opencode } from '../../../src/formats/opencode/index.ts'
import { newStore } from '../../support/corpus.ts'
import { type DraftInput, drafted, writtenBy } from '../../support/draft.ts'
import { readBack } from '../../support/readback.ts'
import {
  user as asked,
  assistant,
  message,
  type Session,
  session,
  text as textPart,
  tool,
} from './session.ts'
import { assistant2, database2, tool2, user2 } from './session2.ts'

const writer = opencode.writer as FormatWriter
const ID = 'ses_44e6a2efafff1eej6xL3zov5oh'
const about: Partial<Draft> = { id: ID, title: 'Kites' }

const user = (content: string): DraftInput => ({ role: 'user', content })
const call = (id: string) => ({ type: 'toolCall', id, name: 'read file', arguments: { path: id } })
const answer = (...content: readonly object[]): DraftInput => ({ role: 'assistant', content }) as DraftInput
const result = (id: string, content: string, isError = false): DraftInput => ({
  role: 'tool',
  content: [{ type: 'toolResult', toolCallId: id, content, isError }],
})

async function written(inputs: readonly DraftInput[], more: Partial<Draft> = {}) {
  const { text, entries, losses } = await writtenBy(writer, drafted(inputs, { ...about, ...more }))
  return { text, entries, losses: losses.map(({ code }) => code), document: JSON.parse(text) as Session }
}

const kinds = (text: string) =>
  readBack(opencode, text).map(({ role, blocks, effect }) => [
    role,
    effect?.kind,
    blocks.map(({ kind }) => kind),
  ])

describe('a session written for OpenCode', () => {
  it('has an id as OpenCode makes them: newer sessions first', () => {
    const older = writer.idOf?.('00000000-0000-8000-8000-000000000000', 1_760_000_000_000) ?? ''
    const newer = writer.idOf?.('00000000-0000-8000-8000-000000000000', 1_760_000_000_001) ?? ''
    expect([writer.takesId?.(older), writer.takesId?.('../ses_1')]).toEqual([true, false])
    expect(newer < older).toBe(true)
    expect(writer.place({ id: older, created: 0 })).toEqual(['opencode', 'import', `${older}.json`])
  })

  it('is a document that begins as an export does, each message with its parts in ascending ids', async () => {
    const { document, losses, entries } = await written([
      user('hi'),
      answer({ type: 'text', text: 'I look.' }, call('a')),
      result('a', 'fine'),
      answer({ type: 'text', text: 'Done.' }),
    ])
    const { info, messages } = document
    expect(info).toMatchObject({
      id: ID,
      projectID: 'global',
      directory: '/home/ada',
      title: 'Kites',
      time: { created: Date.UTC(2026, 0, 1), updated: Date.UTC(2026, 0, 1) },
    })
    expect([losses, entries]).toEqual([['call'], [0, 2, 3]])
    const ids = messages.flatMap(({ info: { id }, parts }) => [id, ...parts.map((part) => part.id)])
    const times = ids.map((id) => id.slice(4, 16))
    expect(times).toEqual(times.toSorted())
    expect(new Set(ids).size).toBe(ids.length)
    expect(messages.map((one) => one.info.parentID)).toEqual([
      undefined,
      messages[0]?.info.id,
      messages[0]?.info.id,
    ])
    expect(messages[1]?.parts.map(({ type }) => type)).toEqual(['step-start', 'text', 'tool', 'step-finish'])
  })

  it('pairs calls of one model call with their results, an error and images among them', async () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
    const { text, document, losses } = await written([
      user('hi'),
      answer(call('a')),
      answer(call('b')),
      { role: 'tool', content: [...(result('a', 'fine') as { content: [] }).content, image] },
      result('b', 'bad', true),
    ])
    // The image is in the answer with the call.
    expect(losses).toEqual(['call', 'role'])
    expect(kinds(text)).toEqual([
      ['user', undefined, ['text']],
      ['assistant', undefined, ['toolCall', 'toolCall', 'toolResult', 'image', 'toolResult']],
    ])
    const [, first, second] = document.messages[1]?.parts ?? []
    expect(first).toMatchObject({
      tool: 'read_file',
      state: {
        status: 'completed',
        output: 'fine',
        attachments: [{ mime: 'image/png', messageID: document.messages[1]?.info.id }],
      },
    })
    expect(second).toMatchObject({ callID: 'b', state: { status: 'error', error: 'bad' } })
  })

  it('answers a call that nothing answered by an error', async () => {
    const { document, losses } = await written([answer(call('a'))])
    expect(losses).toEqual(['open-call', 'call'])
    expect(document.messages[0]?.parts[1]).toMatchObject({ state: { status: 'error' } })
  })

  it('keeps thoughts only with the signature of their own API', async () => {
    const thought = (type: string, body: object): DraftInput => ({ type, body }) as DraftInput
    const signed = thought('claude/assistant', {
      type: 'assistant',
      message: {
        id: 'm',
        role: 'assistant',
        model: 'claude-opus-4',
        content: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }],
      },
    })
    const { document, losses } = await written([
      signed,
      answer({ type: 'thinking', thinking: 'no' }, { type: 'text', text: 'yes' }),
    ])
    expect(losses).toEqual(['thinking'])
    expect(document.messages[0]?.parts[1]).toMatchObject({
      type: 'reasoning',
      metadata: { anthropic: { signature: 'sig' } },
    })
    expect(document.messages[1]?.parts.map(({ type }) => type)).toEqual(['step-start', 'text', 'step-finish'])
  })

  it('asks for a compaction and answers with its summary, and names the first message that is kept', async () => {
    const { text, document, losses } = await written([
      user('one'),
      answer({ type: 'text', text: 'two' }),
      { type: 'sess/compaction', body: { summary: 'so far' }, links: { firstKept: 1 } },
      user('three'),
    ])
    expect(losses).toEqual(['compaction'])
    expect(document.messages[2]?.parts[0]).toMatchObject({
      type: 'compaction',
      tail_start_id: document.messages[1]?.info.id,
    })
    expect(document.messages[3]?.info).toMatchObject({ summary: true, finish: 'stop', mode: 'compaction' })
    expect(kinds(text)[3]).toEqual([null, 'compaction', []])
    expect(readBack(opencode, text)[3]?.effect).toEqual({ kind: 'compaction', summary: 'so far' })
  })

  it('names settings and labels, and is a document without a message too', async () => {
    const { document, losses } = await written(
      [{ type: 'sess/model_change', body: { provider: 'google', model: 'g' } }],
      { labels: new Map([['best', 0]]) },
    )
    expect([losses, document.messages]).toEqual([['setting', 'label'], []])
  })

  describe('from one of its own', () => {
    const { messages } = session([
      asked('msg_1', 0, 'look'),
      assistant('msg_2', 10, tool('call_1', 'a.txt', 25), textPart('done')),
      message('msg_3', 20, { role: 'user' }, { type: 'text', text: 'more' }),
    ])
    const own = messages.map(
      (value): DraftInput => ({
        type: 'opencode/message',
        body: {},
        native: value.info.id,
        value: value as never,
      }),
    )

    it('has its messages as they were, with what import asks for besides', async () => {
      const { document } = await written(own, { id: 'ses_1' })
      const [one, two, three] = document.messages
      expect([one?.info.id, one?.parts]).toEqual(['msg_1', messages[0]?.parts])
      expect(two).toMatchObject({ info: { id: 'msg_2', parentID: 'msg_1' }, parts: messages[1]?.parts })
      expect(three?.info).toMatchObject({ agent: 'build', model: { modelID: expect.any(String) as string } })
    })

    it('has other ids as another session: those of messages are taken', async () => {
      const { document } = await written(own)
      expect(document.messages.map(({ info }) => info.sessionID)).toEqual([ID, ID, ID])
      const ids = document.messages.flatMap(({ info: { id }, parts }) => [
        id,
        ...parts.map((part) => part.id),
      ])
      const before = messages.flatMap(({ info: { id }, parts }) => [id, ...parts.map((part) => part.id)])
      expect(ids.filter((id) => before.includes(id))).toEqual([])
      expect(
        document.messages.flatMap(({ info, parts }) => parts.map((part) => part.messageID === info.id)),
      ).not.toContain(false)
    })

    it('marks cleared results in the message that has them', async () => {
      const edit: DraftInput = { type: 'opencode/edit', body: { parts: [] }, links: { target: 1 } }
      const { document, losses } = await written([...own.slice(0, 2), edit, ...own.slice(2)], { id: 'ses_1' })
      expect([losses, document.messages.map(({ info }) => info.id)]).toEqual([
        [],
        ['msg_1', 'msg_2', 'msg_3'],
      ])
      expect(document.messages[1]?.parts[0]).toEqual(messages[1]?.parts[0])
    })
  })
})

it('writes messages of version 2 as those of version 1', async () => {
  const store = await newStore()
  const state = { status: 'completed', input: { path: 'a' }, content: [{ type: 'text', text: 'b' }] }
  const messages = [user2('msg_1', 0, 'look'), assistant2('msg_2', 1, 'so', tool2('call_1', 'read', state))]
  await store.import(database2([{ id: 'ses_1', messages }]))
  for (const format of ['opencode', 'kilo']) {
    let text = ''
    for await (const chunk of store.export('ses_1', { format })) text += Buffer.from(chunk).toString()
    expect(kinds(text)).toEqual([
      ['user', undefined, ['text']],
      ['assistant', undefined, ['text', 'toolCall', 'toolResult']],
    ])
  }
})
