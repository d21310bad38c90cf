import { describe, expect, it } from 'vitest'
import { messageAlone, type PiOrigin, piContext, piMessages } from '../../../src/formats/pi/context.ts'
import { view } from '../../../src/formats/pi/entries.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'
import type { Json, JsonObject } from '../../../src/model/json.ts'
import type { View } from '../../../src/model/view.ts'
import { piContextOf, read } from './session.ts'

const TIME = '2026-01-02T03:04:05.678Z'
const MS = 1767323045678
const header = { type: 'session', version: 3, id: 'sess', timestamp: TIME, cwd: '/work' }
/** Returns records that follow each other, named 1, 2, 3 ... */
const chain = (...records: readonly JsonObject[]) => [
  header,
  ...records.map((record, i) => ({
    id: String(i + 1),
    parentId: i === 0 ? null : String(i),
    timestamp: TIME,
    ...record,
  })),
]
const record = (message: Json): JsonObject => ({ type: 'message', message })
const user = (content: Json) => record({ role: 'user', content, timestamp: 1 })
const assistant = (text: string, more: JsonObject = {}) =>
  record({
    role: 'assistant',
    content: [{ type: 'text', text }],
    provider: 'p',
    model: 'm',
    timestamp: 2,
    ...more,
  })
const compaction = (firstKeptEntryId: string, more: JsonObject = {}): JsonObject => ({
  type: 'compaction',
  summary: 'S',
  firstKeptEntryId,
  tokensBefore: 9,
  ...more,
})
const messagesOf = async (...records: readonly JsonObject[]) =>
  JSON.stringify((await piContextOf(read(...chain(...records)))).messages)
const summary = `{"role":"compactionSummary","summary":"S","tokensBefore":9,"timestamp":${MS}}`
const spelled = (content: string) => `{"role":"user","content":"${content}","timestamp":1}`

describe('the context of pi', () => {
  it('C1, C2: of nothing is empty, "off" and without a model', async () => {
    expect(await piContextOf(read(header))).toEqual({ messages: [], thinkingLevel: 'off', model: null })
  })

  it('C2: the last change counts, that of an assistant too, before a compaction too', async () => {
    const session = read(
      ...chain(
        { type: 'thinking_level_change', thinkingLevel: 'high' },
        { type: 'model_change', provider: 'x', modelId: 'y' },
        assistant('a', { provider: 'q', model: 'n', thinkingLevel: 'low' }),
        compaction('4'),
        user('z'),
      ),
    )
    const context = await piContextOf(session)
    expect(context.thinkingLevel).toBe('high')
    expect(context.model).toEqual({ provider: 'q', modelId: 'n' })
  })

  it('C3: the context is the latest summary, what it keeps, and what follows', async () => {
    expect(await messagesOf(user('a'), user('b'), compaction('2'), user('c'))).toBe(
      `[${summary},${spelled('b')},${spelled('c')}]`,
    )
  })

  it('C4: nothing is kept where the first entry kept is not on the path', async () => {
    expect(await messagesOf(user('a'), compaction('gone'), user('c'))).toBe(`[${summary},${spelled('c')}]`)
  })

  it('C5: an older compaction in the kept range is not in the context', async () => {
    expect(await messagesOf(user('a'), compaction('1'), user('b'), compaction('1'), user('c'))).toBe(
      `[${summary},${spelled('a')},${spelled('b')},${spelled('c')}]`,
    )
  })

  it('C6: custom messages and branch summaries are messages, in key order and by presence', async () => {
    expect(
      await messagesOf(
        { type: 'custom_message', customType: 'x', content: 'hi', display: true },
        { type: 'custom_message', display: false, content: [], customType: 'x', details: { z: 1 } },
        { type: 'branch_summary', summary: 'B', fromId: '1', details: {} },
        { type: 'branch_summary', summary: '', fromId: '1' },
        { type: 'branch_summary', summary: 'no source', timestamp: 'never' },
        { type: 'label', targetId: '1', label: 'x' },
        { type: 'custom', customType: 'x', data: 1 },
        { type: 'active_tools_change', activeToolNames: [] },
      ),
    ).toBe(
      `[{"role":"custom","customType":"x","content":"hi","display":true,"timestamp":${MS}},` +
        `{"role":"custom","customType":"x","content":[],"display":false,"details":{"z":1},"timestamp":${MS}},` +
        `{"role":"branchSummary","summary":"B","fromId":"1","timestamp":${MS}},` +
        '{"role":"branchSummary","summary":"no source","timestamp":null}]',
    )
  })

  it('C7: missing content is tolerated', async () => {
    expect(
      await messagesOf(
        record({ role: 'user', content: null, timestamp: 1 }),
        record({ role: 'assistant', model: 'x' }),
        record({ role: 'system', content: null }),
        { type: 'custom_message', customType: 'x', content: null },
      ),
    ).toBe(
      '[{"role":"user","content":[],"timestamp":1},{"role":"assistant","model":"x","content":[]},' +
        `{"role":"system","content":""},{"role":"custom","customType":"x","content":[],"timestamp":${MS}}]`,
    )
  })

  it('C8: the latest edit of each entry on the path counts; null hides it', async () => {
    const edit = (targetId: string, replacement: Json): JsonObject => ({
      type: 'context_edit',
      targetId,
      replacement,
    })
    const result = {
      role: 'toolResult',
      toolCallId: 't',
      content: [{ type: 'text', text: 'long' }],
      isError: false,
    }
    expect(
      await messagesOf(
        user('a'),
        assistant('b'),
        record(result),
        edit('3', { content: 'short' }),
        edit('1', null),
        edit('2', null),
        edit('1', { content: 'A' }),
      ),
    ).toBe(
      `[${spelled('A')},{"role":"toolResult","toolCallId":"t",` +
        '"content":[{"type":"text","text":"short"}],"isError":false}]',
    )
    expect(await messagesOf(user('a'), compaction('1'), edit('2', null))).toBe(`[${spelled('a')}]`)
  })

  it('C9: a checkpoint is before the summary and replaces the system messages that were kept', async () => {
    const system = (content: string) => record({ role: 'system', content })
    const checkpoint = { role: 'system', content: 'C', timestamp: 7 }
    expect(
      await messagesOf(system('A'), user('a'), compaction('1', { systemMessage: checkpoint }), system('B')),
    ).toBe(
      `[{"role":"system","content":"C","timestamp":7},${summary},${spelled('a')},{"role":"system","content":"B"}]`,
    )
  })

  it('C13: a retained tail replaces what is kept', async () => {
    const retainedTail = [{ role: 'user', content: 'kept', timestamp: 1 }]
    expect(await messagesOf(user('a'), compaction('1', { retainedTail }), user('c'))).toBe(
      `[${summary},${spelled('kept')},${spelled('c')}]`,
    )
  })

  it('G2: a hook of version 2 is an extension', async () => {
    expect(
      await messagesOf(record({ role: 'hookMessage', customType: 'h', content: 'x', timestamp: 1 })),
    ).toBe('[{"role":"custom","customType":"h","content":"x","timestamp":1}]')
  })

  it('returns a message as its record has it, listed or not', async () => {
    expect(await messagesOf(record({ later: 1, timestamp: 5, role: 'user', content: 'x' }))).toBe(
      '[{"later":1,"timestamp":5,"role":"user","content":"x"}]',
    )
  })
})

describe('piMessages of entries without records', () => {
  const only = (origin: PiOrigin, shown: View, part = 'message') =>
    piMessages([{ node: 0, part, view: shown }], () => origin)

  it('puts the time where the body has none', () => {
    const body = { message: { role: 'user', content: 'x' } }
    expect(only({ type: 'pi/message', value: body, time: 5 }, view('message', body))).toEqual([
      { role: 'user', content: 'x', timestamp: 5 },
    ])
    const summed = { summary: 'S', tokensBefore: 1 }
    expect(only({ type: 'pi/compaction', value: summed, time: 5 }, view('compaction', summed))).toEqual([
      { role: 'compactionSummary', summary: 'S', tokensBefore: 1, timestamp: 5 },
    ])
  })
})

describe('piMessages of other dialects', () => {
  const call: View = {
    role: 'assistant',
    blocks: [
      { kind: 'thinking', text: 'hm' },
      { kind: 'toolCall', id: 'c', name: 'ls', input: { path: '/' } },
    ],
    usage: { input: 1, output: 2, cost: 0.5, call: 'msg_1' },
    sets: { model: { provider: 'p', id: 'm' } },
  }
  const made = (...views: readonly View[]) =>
    piMessages(
      views.map((shown, node) => ({ node, part: 'message', view: shown })),
      (node) => ({ type: 'other/x', value: null, time: node * 10 }),
    )

  it('makes messages from views, a tool named by its call', () => {
    expect(
      made(
        { role: 'user', blocks: [{ kind: 'text', text: 'q' }] },
        call,
        { role: 'tool', blocks: [{ kind: 'toolResult', id: 'c', text: 'r', error: false }] },
        { role: 'assistant', blocks: [{ kind: 'text', text: 'done' }] },
        { role: 'system', blocks: [{ kind: 'text', text: 's' }] },
        { role: null, blocks: [{ kind: 'text', text: 'unseen' }] },
      ),
    ).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'q' }], timestamp: 0 },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'toolCall', id: 'c', name: 'ls', arguments: { path: '/' } },
        ],
        api: 'unknown',
        provider: 'p',
        model: 'm',
        usage: {
          input: 1,
          output: 2,
          cacheRead: 0,
          cacheWrite: 0,
          totalTokens: 3,
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 },
        },
        stopReason: 'toolUse',
        timestamp: 10,
      },
      {
        role: 'toolResult',
        toolCallId: 'c',
        toolName: 'ls',
        content: [{ type: 'text', text: 'r' }],
        isError: false,
        timestamp: 20,
      },
      expect.objectContaining({ role: 'assistant', provider: 'unknown', stopReason: 'stop', timestamp: 30 }),
      { role: 'system', content: [{ type: 'text', text: 's' }], timestamp: 40 },
    ])
  })

  it('joins the blocks of one model call', () => {
    const answer: View = {
      role: 'assistant',
      blocks: [{ kind: 'text', text: 'a' }],
      usage: { call: 'msg_1' },
    }
    expect(made(answer, call, { ...answer, usage: { call: 'msg_2' } })).toEqual([
      expect.objectContaining({
        content: [
          { type: 'text', text: 'a' },
          { type: 'thinking', thinking: 'hm' },
          { type: 'toolCall', id: 'c', name: 'ls', arguments: { path: '/' } },
        ],
        stopReason: 'toolUse',
      }),
      expect.objectContaining({ content: [{ type: 'text', text: 'a' }], stopReason: 'stop' }),
    ])
  })

  it('splits a user record with tool results', () => {
    const blocks = [
      { kind: 'toolResult', id: 'c', name: 'ls', text: 'r', error: true },
      { kind: 'text', text: 'go on' },
      { kind: 'image', mediaType: 'image/png', bytes: 4 },
    ] as const
    const result = { role: 'toolResult', toolCallId: 'c', toolName: 'ls', isError: true, timestamp: 0 }
    const others = [
      { type: 'text', text: 'go on' },
      { type: 'text', text: '[image: image/png, 4 bytes]' },
    ]
    const text = { type: 'text', text: 'r' }
    expect(made({ role: 'user', blocks })).toEqual([
      { ...result, content: [text] },
      { role: 'user', content: others, timestamp: 0 },
    ])
    expect(made({ role: 'tool', blocks })).toEqual([{ ...result, content: [text, ...others] }])
  })

  it('makes summaries', () => {
    const items = [
      { part: 'compaction-summary', effect: { kind: 'compaction', summary: 'S' } },
      { part: 'branch-summary', effect: { kind: 'summary', text: 'B' } },
    ] as const
    expect(
      piMessages(
        items.map(({ part, effect }, node) => ({ node, part, view: { role: null, blocks: [], effect } })),
        () => undefined,
      ),
    ).toEqual([
      { role: 'compactionSummary', summary: 'S', tokensBefore: 0, timestamp: 0 },
      { role: 'branchSummary', summary: 'B', fromId: 'root', timestamp: 0 },
    ])
  })

  it('names the model as pi does', () => {
    expect(piContext({ items: [], model: { id: 'm' }, thinking: 'low' }, () => undefined)).toEqual({
      messages: [],
      thinkingLevel: 'low',
      model: { modelId: 'm' },
    })
  })
})

describe('messageAlone', () => {
  const text = { type: 'text', text: 'a' }
  const call = { type: 'toolCall', id: 'c', name: 'ls', arguments: { path: '.' } }
  const alone = (value: Json) => messageAlone({ type: 'pi/message', value, time: 7 })

  it.each<[string, JsonObject]>([
    ['a text', { role: 'user', content: 'a', timestamp: 1 }],
    ['blocks', { role: 'user', content: [text], timestamp: 1 }],
    [
      'calls',
      { role: 'assistant', content: [text, call, { type: 'thinking', thinking: 'b' }], timestamp: 1 },
    ],
    [
      'calls kept verbatim',
      { role: 'assistant', content: [new Verbatim(JSON.stringify(call))], timestamp: 1 },
    ],
    ['content kept verbatim', { role: 'assistant', content: new Verbatim(JSON.stringify([call])) }],
    ['a result', { role: 'toolResult', toolCallId: 'c', toolName: 'ls', content: [text], isError: true }],
    ['no content', { role: 'assistant', timestamp: 1 }],
    ['null', { role: 'toolResult', toolCallId: 'c', content: null }],
  ])('returns the same as the view of %s', (_, message) => {
    for (const value of [{ message }, { type: 'message', message }]) {
      const item = { node: 0, part: 'message', view: view('message', value) }
      const blocks = item.view.blocks.filter(({ kind }) => kind === 'toolCall')
      const messages = piMessages([item], () => ({ type: 'pi/message', value, time: 7 }))
      expect(alone(value)).toEqual({ view: { role: item.view.role, blocks }, messages })
      expect(JSON.stringify(alone(value)?.messages)).toBe(JSON.stringify(messages))
    }
  })

  it('leaves messages with more than texts to their views', () => {
    for (const role of ['custom', 'hookMessage', 'system', 'bashExecution', 'compactionSummary', 'x'])
      expect(alone({ message: { role, content: [text] } })).toBeUndefined()
    expect(alone({ message: 'a' })).toBeUndefined()
    expect(messageAlone({ type: 'pi/custom_message', value: { content: 'a' } })).toBeUndefined()
  })
})
