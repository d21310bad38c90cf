import { describe, expect, it } from 'vitest'
import { opencode } from '../../../src/formats/opencode/index.ts'
import type { Json } from '../../../src/model/json.ts'
import type { View } from '../../../src/model/view.ts'
import { newStore } from '../../support/corpus.ts'
import { chain, readText, takes, warnings } from '../read.ts'
import {
  assistant,
  exported,
  message,
  rows,
  type Session,
  session,
  stored,
  text,
  tool,
  user,
} from './session.ts'

const TALK = session([
  user('msg_1', 0, 'look'),
  assistant(
    'msg_2',
    10,
    { type: 'step-start', snapshot: 'abc' },
    { type: 'reasoning', text: 'hm', metadata: { anthropic: { signature: 'sig' } } },
    tool('call_1', 'a.txt', 25),
    tool('call_2', 'b.txt'),
    {
      type: 'step-finish',
      cost: 0.25,
      tokens: { input: 7, output: 2, reasoning: 1, cache: { read: 3, write: 4 } },
    },
    { type: 'step-start' },
    text('done'),
    {
      type: 'step-finish',
      cost: 0.5,
      tokens: { input: 1, output: 1, reasoning: 0, cache: { read: 0, write: 0 } },
    },
  ),
  user('msg_3', 20, 'more'),
  assistant('msg_4', 30, text('yes')),
])

const read = (value: Session) => readText(opencode, JSON.stringify(value))

const viewsOf = (value: Session): View[] =>
  read(value).readings.flatMap(({ entry }) =>
    entry ? [opencode.view(entry.type.slice('opencode/'.length), entry.body)] : [],
  )

async function importedFrom(path: string) {
  const store = await newStore()
  const { files } = await store.import(path)
  const name = files[0]?.session ?? ''
  const oids: string[] = []
  for await (const { oid } of store.log(name, { all: true })) oids.push(oid)
  const { title, cwd } = await (await store.session(name)).info()
  return { formats: files.map(({ format }) => format), oids, about: { title, cwd } }
}

describe('OpenCode', () => {
  it('reads the same entries from its export, its folders and its database', async () => {
    const [a, b, c] = [
      await importedFrom(exported(TALK)),
      await importedFrom(stored(TALK)),
      await importedFrom(rows(TALK)),
    ]
    expect(a.formats).toEqual(['opencode'])
    expect(a.oids).toHaveLength(5)
    expect(b).toEqual(a)
    expect(c).toEqual(a)
  })

  it('shows first the calls of a step, then the results', () => {
    expect(viewsOf(TALK)[1]).toEqual({
      role: 'assistant',
      blocks: [
        { kind: 'thinking', text: 'hm', seal: { api: 'anthropic', value: 'sig' } },
        { kind: 'toolCall', id: 'call_1', name: 'bash', input: { command: 'ls' } },
        { kind: 'toolCall', id: 'call_2', name: 'bash', input: { command: 'ls' } },
        { kind: 'toolResult', id: 'call_1', name: 'bash', text: 'a.txt', error: false },
        { kind: 'toolResult', id: 'call_2', name: 'bash', text: 'b.txt', error: false },
        { kind: 'text', text: 'done' },
      ],
      usage: { input: 8, output: 3, cacheRead: 3, cacheWrite: 4, cost: 0.75 },
      sets: { model: { provider: 'anthropic', id: 'claude' }, mode: 'build' },
    })
  })

  it('clears what a tool answered where that was done, and leaves the message what it was', () => {
    const cleared = read(TALK)
    expect(chain(cleared)).toEqual([
      [0, 'opencode/message', null],
      [1, 'opencode/message', 0],
      [2, 'opencode/message', 1],
      [3, 'opencode/edit', 2],
      [4, 'opencode/message', 3],
    ])
    expect(cleared.readings[3]?.entry?.links).toEqual({ target: 1 })
    const edit = viewsOf(TALK)[3]?.effect
    const results = edit?.kind === 'edit' ? edit.replacement?.filter(({ kind }) => kind === 'toolResult') : []
    expect(results?.map((block) => 'text' in block && block.text)).toEqual([
      '[Old tool result content cleared]',
      'b.txt',
    ])
    const before = session([user('msg_1', 0, 'look'), assistant('msg_2', 10, tool('c', 'x'))])
    const after = session([user('msg_1', 0, 'look'), assistant('msg_2', 10, tool('c', 'x', 15))])
    expect(read(after).readings[1]?.entry?.body).toEqual(read(before).readings[1]?.entry?.body)
  })

  it('is before what was reverted', () => {
    const reverted = session(TALK.messages, { revert: { messageID: 'msg_3' } })
    expect(read(reverted).reader.active()).toBe(1)
    expect(read(TALK).reader.active()).toBe(4)
  })

  it('compacts at the summary, which keeps the tail that was asked for', () => {
    const asked = message(
      'msg_5',
      40,
      { role: 'user' },
      { type: 'compaction', auto: true, tail_start_id: 'msg_4' },
    )
    const answer = message(
      'msg_6',
      50,
      { role: 'assistant', parentID: 'msg_5', summary: true, finish: 'stop' },
      text('all'),
    )
    const compacted = read(
      session([user('msg_3', 20, 'more'), assistant('msg_4', 30, text('yes')), asked, answer]),
    )
    const entry = compacted.readings[3]?.entry
    expect(entry?.links).toEqual({ firstKept: 1 })
    expect(opencode.view('message', entry?.body as Json).effect).toEqual({
      kind: 'compaction',
      summary: 'all',
    })
  })

  it('does not take a summary that was not finished for one', () => {
    const answer = message('msg_6', 50, { role: 'assistant', summary: true }, text('half'))
    expect(viewsOf(session([answer]))[0]?.role).toBe('assistant')
  })

  it('leaves ids and times out of bodies', () => {
    const copy = session([message('msg_9', 99, { role: 'user' }, text('hi'))])
    const own = session([message('msg_1', 0, { role: 'user' }, text('hi'))])
    expect(read(copy).readings[0]?.entry).toEqual(read(own).readings[0]?.entry)
  })

  it('goes on where an id is taken', () => {
    const twice = read(session([user('REDACTED', 0, 'a'), user('REDACTED', 1, 'b')]))
    expect(chain(twice).map(([, , parent]) => parent)).toEqual([null, 0])
    expect(warnings(twice)).toEqual(['duplicate-id'])
  })

  it('reads the messages before a torn end', () => {
    const whole = JSON.stringify(TALK)
    const { readings } = readText(opencode, whole.slice(0, whole.indexOf('msg_3')))
    expect(readings.map(({ native }) => native)).toEqual(['msg_1', 'msg_2', undefined])
  })

  it('shows images, names other files, and fails what failed', () => {
    const files = assistant(
      'm',
      0,
      { type: 'file', mime: 'image/png', url: 'data:image/png;base64,AAAA' },
      { type: 'file', mime: 'application/pdf', filename: 'a.pdf', url: 'file:///a.pdf' },
      { type: 'tool', callID: 'c', tool: 'bash', state: { status: 'error', input: {}, error: 'no' } },
      { type: 'tool', callID: 'd', tool: 'bash', state: { status: 'running', input: {} } },
    )
    expect(viewsOf(session([files]))[0]?.blocks).toEqual([
      { kind: 'image', mediaType: 'image/png', bytes: 3, data: 'AAAA' },
      { kind: 'text', text: '[application/pdf: a.pdf]' },
      { kind: 'toolCall', id: 'c', name: 'bash', input: {} },
      { kind: 'toolCall', id: 'd', name: 'bash', input: {} },
      { kind: 'toolResult', id: 'c', name: 'bash', text: 'no', error: true },
    ])
  })

  it('distinguishes the prompts of OpenCode itself from those of its user', () => {
    const info = { role: 'user' }
    const own = { type: 'text', text: 'Go on', synthetic: true }
    const messages = [
      message('a', 0, info, { type: 'compaction', auto: true }),
      message('b', 1, info, own),
      message('c', 2, info, text('Hi'), own),
      message('d', 3, info),
    ]
    expect(viewsOf(session(messages)).map(({ aside = false }) => aside)).toEqual([true, true, false, false])
  })

  it('has no title while OpenCode has none', () => {
    const titled = (title: string) =>
      readText(opencode, JSON.stringify({ ...TALK, info: { ...TALK.info, title } })).reader.facts().title
    expect(titled('New session - 2026-11-03T09:00:00.000Z')).toBeUndefined()
    expect(titled('Child session - 2026-11-03T09:00:00.000Z')).toBeUndefined()
    expect(titled('New session - tides')).toBe('New session - tides')
  })

  it.each([
    ['its export', JSON.stringify(TALK), true],
    ['one message of its folders', JSON.stringify({ id: 'm', sessionID: 's', role: 'user' }), true],
    ['one part', JSON.stringify({ id: 'p', messageID: 'm', type: 'text', text: 'a' }), true],
    ['a session of its folders', JSON.stringify(TALK.info), true],
    ['an export of another agent', JSON.stringify({ info: {}, messages: [] }), false],
    ['a line of another', JSON.stringify({ id: 'm', role: 'user' }), false],
  ])('knows %s', (_, content, is) => {
    expect(takes(opencode, 'x.json', content)).toBe(is)
  })
})
