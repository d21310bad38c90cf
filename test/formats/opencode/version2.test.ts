import { describe, expect, it } from 'vitest'
import { opencode } from '../../../src/formats/opencode/index.ts'
import type { Json } from '../../../src/model/json.ts'
import type { View } from '../../../src/model/view.ts'
import { chain, readText, takes, warnings } from '../read.ts'
import { assistant2, compaction2, type Row, row2, T, TOKENS, tool2, user2 } from './session2.ts'

const SESSION = {
  ...{ id: 'ses_1', project_id: 'prj', parent_id: null, fork_session_id: null, directory: '/home/ada/app' },
  ...{ title: 'A title', version: '2.0.12', revert: null, time_created: T },
}

const rowLines = (messages: readonly Row[], session: object = {}): string =>
  [
    { table: 'session_v2', row: { ...SESSION, ...session } },
    ...messages.map(({ id, type, data }, seq) => ({
      table: 'session_message',
      row: { id, session_id: 'ses_1', type, seq, data },
    })),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')

/** Returns a session as OpenCode 2 exports it. */
const exportOf = (messages: readonly Row[]): string =>
  JSON.stringify({
    info: {
      ...{ id: 'ses_1', projectID: 'prj', title: 'A title', time: { created: T, updated: T } },
      location: { directory: '/home/ada/app' },
    },
    messages: messages.map(({ id, type, data }) => ({ id, type, ...data })),
  })

const read = (messages: readonly Row[], session: object = {}) =>
  readText(opencode, rowLines(messages, session))

const viewsOf = (...messages: readonly Row[]): View[] =>
  read(messages).readings.flatMap(({ entry }) =>
    entry ? [opencode.view(entry.type.slice('opencode/'.length), entry.body)] : [],
  )

const textOf = (text: string): object => ({ kind: 'text', text })

const TALK = [
  row2('model-switched', 'msg_0', 0, { model: { providerID: 'anthropic', id: 'claude' } }),
  user2('msg_1', 1, 'look'),
  assistant2(
    'msg_2',
    2,
    tool2('call_1', 'read', {
      status: 'completed',
      input: { path: 'a' },
      content: [{ type: 'text', text: 'b' }],
    }),
  ),
  row2('idle', 'msg_3', 3, { outcome: 'succeeded' }),
  assistant2('msg_4', 4, 'done'),
]

describe('OpenCode 2', () => {
  it('chains what the model sees, and keeps events as records', () => {
    expect(chain(read(TALK))).toEqual([
      [1, 'opencode/model-switched', null],
      [2, 'opencode/user', 1],
      [3, 'opencode/assistant', 2],
      [5, 'opencode/assistant', 3],
    ])
  })

  it('reads the same entries from its rows and its export', () => {
    const entries = (text: string) =>
      readText(opencode, text).readings.flatMap(({ entry }) => (entry ? [[entry.type, entry.body]] : []))
    expect(takes(opencode, 'ses_1.json', exportOf(TALK))).toBe(true)
    expect(entries(exportOf(TALK))).toEqual(entries(rowLines(TALK)))
    expect(readText(opencode, exportOf(TALK)).reader.facts()).toMatchObject({ cwd: '/home/ada/app' })
  })

  it('shows a call and its result, the usage with reasoning, and the model', () => {
    expect(viewsOf(TALK[2] as Row)).toEqual([
      {
        role: 'assistant',
        blocks: [
          { kind: 'toolCall', id: 'call_1', name: 'read', input: { path: 'a' } },
          { kind: 'toolResult', id: 'call_1', name: 'read', text: 'b', error: false },
        ],
        usage: { input: 100, output: 15, cacheRead: 2, cacheWrite: 1, cost: 0.5 },
        sets: { model: { provider: 'anthropic', id: 'claude' }, thinking: 'high', mode: 'build' },
      },
    ])
  })

  it.each([
    ['is streaming', { status: 'streaming', input: '{"a":1}' }, { a: 1 }, undefined],
    ['streams no whole JSON', { status: 'streaming', input: '{"a":' }, '{"a":', undefined],
    ['is running', { status: 'running', input: { a: 1 }, metadata: {} }, { a: 1 }, undefined],
    ['failed', { status: 'error', input: {}, error: { type: 'x', message: 'no' } }, {}, ['no', true]],
    [
      'failed with a text',
      { status: 'error', input: {}, error: { message: 'no' }, content: [{ type: 'text', text: 'why' }] },
      {},
      ['no\nwhy', true],
    ],
    [
      'has structured output',
      { status: 'completed', input: {}, structured: { n: 7 }, content: [] },
      {},
      ['{"n":7}', false],
    ],
  ])('reads a call that %s', (_, state, input, answer) => {
    const [view] = viewsOf(assistant2('m', 0, tool2('c', 'read', state)))
    const [text, error] = answer ?? []
    expect(view?.blocks).toEqual([
      { kind: 'toolCall', id: 'c', name: 'read', input },
      ...(answer ? [{ kind: 'toolResult', id: 'c', name: 'read', text, error }] : []),
    ])
  })

  it('reads the names that the betas gave', () => {
    const state = { status: 'completed', input: {}, content: [{ type: 'text', text: 'x' }] }
    const item = { type: 'tool', callID: 'c', name: 'bash', state }
    const thought = { type: 'reasoning', text: 'hm', state: { anthropic: { signature: 'sig' } } }
    expect(viewsOf(assistant2('m', 0, thought, item))[0]?.blocks).toEqual([
      { kind: 'thinking', text: 'hm', seal: { api: 'anthropic', value: 'sig' } },
      { kind: 'toolCall', id: 'c', name: 'bash', input: {} },
      { kind: 'toolResult', id: 'c', name: 'bash', text: 'x', error: false },
    ])
    expect(viewsOf(compaction2('m', 0, { summary: 'all', recent: '' }))[0]?.effect).toEqual({
      kind: 'compaction',
      summary: 'all',
    })
  })

  it('puts the result of a call that the provider executed in its place', () => {
    const state = { status: 'completed', input: {}, content: [{ type: 'text', text: 'x' }] }
    const item = { ...tool2('c', 'web_search', state), executed: true }
    expect(viewsOf(assistant2('m', 0, item, 'so'))[0]?.blocks.map(({ kind }) => kind)).toEqual([
      'toolCall',
      'toolResult',
      'text',
    ])
  })

  it('shows the files of a prompt: texts, images, and the names of others', () => {
    const base64 = Buffer.from('pin 7').toString('base64')
    const source = { type: 'inline' }
    const files = [
      { mime: 'text/plain', data: base64, name: 'pins.txt', source },
      { mime: 'image/png', data: 'AAAA', name: 'a.png', source },
      { mime: 'application/pdf', data: 'AAAA', name: 'a.pdf', source },
      { mime: 'application/x-directory', data: '', source: { type: 'uri', uri: 'file:///lamp' } },
    ]
    expect(viewsOf(row2('user', 'm', 0, { text: 'see', files }))[0]?.blocks).toEqual([
      textOf('see'),
      textOf('Attached file: pins.txt\n\npin 7'),
      { kind: 'image', mediaType: 'image/png', bytes: 3, data: 'AAAA' },
      textOf('[application/pdf: a.pdf]'),
      textOf('Attached directory: file:///lamp'),
    ])
  })

  it('says what others than the user said in their names', () => {
    const views = viewsOf(
      row2('synthetic', 'a', 0, { text: 'built' }),
      row2('skill', 'b', 1, { skill: 's', name: 'S', text: 'do so' }),
      row2('system', 'c', 2, { text: 'it is Friday' }),
      row2('shell', 'd', 3, { shellID: 'sh', command: 'date', status: 'exited', output: { output: 'Thu' } }),
    )
    expect(views).toEqual([
      { role: 'user', blocks: [textOf('built')], aside: true },
      { role: 'user', blocks: [textOf('do so')], aside: true },
      { role: 'system', blocks: [textOf('it is Friday')] },
      { role: 'user', blocks: [textOf('Shell command: date\n\nThu')] },
    ])
  })

  it('compacts where that was completed, with its own usage', () => {
    const usage = { cost: 0.5, tokens: TOKENS }
    const views = viewsOf(
      compaction2('a', 0, { status: 'completed', summary: 'all', recent: 'last', ...usage }),
    )
    expect(views[0]).toMatchObject({
      effect: { kind: 'compaction', summary: 'all\n\nlast' },
      usage: { cost: 0.5 },
    })
  })

  it.each([
    ['is running', { status: 'running', summary: 'a', recent: '' }, 0],
    ['failed', { status: 'failed', error: { message: 'busy' } }, 0],
    ['failed after a model call', { status: 'failed', error: {}, cost: 0.1, tokens: TOKENS }, 1],
    ['only its provider reads', { status: 'completed', summary: '', recent: '', providerContext: {} }, 1],
  ])('does not compact where a compaction %s', (_, fields, entries) => {
    const views = viewsOf(compaction2('a', 0, fields))
    expect(views).toHaveLength(entries)
    expect(views.map(({ effect }) => effect)).toEqual(Array(entries).fill(undefined))
  })

  it('is before a message whose revert is staged', () => {
    expect(read(TALK, { revert: { messageID: 'msg_1' } }).reader.active()).toBe(1)
    expect(read(TALK, { revert: { messageID: 'msg_3' } }).reader.active()).toBe(3)
    expect(read(TALK).reader.active()).toBe(5)
  })

  it('has the parent of a sub-agent, else the origin of a fork, and the calls that start sub-agents', () => {
    const state = { status: 'completed', input: {}, content: [], metadata: { sessionID: 'ses_9' } }
    const messages = [
      assistant2('m', 0, tool2('c', 'subagent', state)),
      assistant2('n', 1, tool2('d', 'subagent', state)),
    ]
    const { subagents } = read(messages).reader.facts()
    expect([...(subagents ?? [])]).toEqual([['ses_9', 1]])
    expect(read([], { fork_session_id: 'ses_0' }).reader.facts().parent).toBe('ses_0')
    expect(read([], { parent_id: 'ses_5', fork_session_id: 'ses_0' }).reader.facts().parent).toBe('ses_5')
  })

  it('has the folders in which it worked', () => {
    const moved = row2('location-switched', 'm', 0, {
      location: { directory: '/b' },
      previous: { location: { directory: '/a' } },
    })
    expect(read([moved], { directory: '/b' }).reader.facts()).toMatchObject({
      cwd: '/b',
      folders: ['/a', '/b'],
    })
  })

  it('leaves ids and times out of bodies, so that a fork shares its entries', () => {
    const copied = TALK.map((one) => ({ ...one, id: `${one.id}_7` }))
    const bodies = (messages: readonly Row[]): (Json | undefined)[] =>
      read(messages).readings.map(({ entry }) => entry?.body)
    expect(bodies(copied)).toEqual(bodies(TALK))
    expect(bodies([{ ...user2('m', 9, 'look') }])).toEqual(bodies([user2('n', 1, 'look')]))
  })

  it('keeps messages of unknown types and without data as records', () => {
    const text = `${rowLines([row2('hologram', 'm', 0, { text: 'hi' })])}{"table":"session_message","row":{"id":"n","type":"user","data":"no json"}}\n`
    const { readings } = readText(opencode, text)
    expect(readings.map(({ native, entry }) => [native, entry])).toEqual([
      [undefined, undefined],
      ['m', undefined],
      [undefined, undefined],
    ])
    expect(warnings(read([user2('m', 0, 'a'), user2('m', 1, 'b')]))).toEqual(['duplicate-id'])
  })

  it('keeps the messages of version 2 beside those of version 1 as records', () => {
    const old = `{"info":{"role":"user","time":{"created":1}},"parts":[],"rows":[{"id":"msg_a"}]}\n`
    const lines = rowLines([user2('m', 0, 'again')])
      .replace('session_v2', 'session')
      .split('\n')
    expect(chain(readText(opencode, `${lines[0]}\n${old}${lines[1]}\n`))).toEqual([
      [1, 'opencode/message', null],
    ])
  })
})
