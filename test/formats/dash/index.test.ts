import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { dash } from '../../../src/formats/dash.ts'
import { chain, readText, takes, warnings } from '../read.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/dash/${name}`, import.meta.url), 'utf8')
const header =
  '{"type":"session","version":1,"id":"sess_1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}'

describe('the format of Dash', () => {
  it('names itself', () => {
    expect([dash.name, dash.dialect, dash.reading, dash.conversational]).toEqual(['dash', 'dash', 1, true])
  })

  it.each([
    ['a session', fixture('session.jsonl'), true],
    ['a damaged session', fixture('damaged.jsonl'), true],
    ['a header alone', `${header}\n`, true],
    ['a header of pi, which names no version 1', header.replace('"version":1', '"version":3'), false],
    ['a header with a place in a tree', header.replace('"cwd"', '"parent":-1,"cwd"'), false],
    ['a header whose id is no text', header.replace('"sess_1"', '7'), false],
    ['nothing', '', false],
  ])('detects whether %s is one', (_, text, is) => {
    expect(takes(dash, 'x.jsonl', text)).toBe(is)
  })

  it('F11: reads inline messages; labels and branch points are records, their children continue the entry before', () => {
    const session = readText(dash, fixture('session.jsonl'))
    expect(chain(session)).toEqual([
      [1, 'dash/message', null],
      [2, 'dash/message', 1],
      [3, 'dash/message', 2],
      [6, 'dash/agent_action', 3],
      [7, 'dash/message', 6],
      [9, 'dash/message', 3],
      [10, 'dash/message', 9],
      [11, 'dash/compaction', 10],
      [12, 'dash/message', 11],
    ])
    expect(session.readings[3]).toEqual({
      time: Date.parse('2026-03-02T08:00:03.000Z'),
      native: '00000003',
      entry: {
        type: 'dash/message',
        parent: 2,
        body: {
          role: 'assistant',
          content: 'There are two ways.',
          metadata: { model: 'kimi-k2.5', provider: 'moonshot', cost: 0.001, tokens: 150 },
        },
      },
    })
    expect(session.readings[11]?.entry?.links).toEqual({ firstKept: 10 })
    expect(session.reader.active()).toBe(12)
    expect(warnings(session)).toEqual([])
  })

  it('knows the session, its labels and its branches by the newest entry of each', () => {
    expect(readText(dash, fixture('session.jsonl')).reader.facts()).toEqual({
      id: 'sess_0a1b2c3d',
      title: 'Faster tables',
      cwd: '/home/ada/tides',
      created: Date.parse('2026-03-02T08:00:00.000Z'),
      labels: new Map([['choice', 3]]),
      branches: new Map([
        ['approach-a', 7],
        ['approach-b', 12],
      ]),
    })
  })

  it('clears a label for good, which Dash forgets when it reads the file again', () => {
    const label = (id: string, fields: string) =>
      `{"type":"label","id":"${id}","parentId":"a","targetId":"a"${fields}}\n`
    const message = '{"type":"message","id":"a","parentId":null,"role":"user","content":"x"}\n'
    const text = `${header}\n${message}${label('b', ',"label":"x"')}`
    expect(readText(dash, text).reader.facts().labels).toEqual(new Map([['x', 1]]))
    expect(readText(dash, text + label('c', '')).reader.facts().labels).toEqual(new Map())
  })

  it('takes a compaction that names itself for one that keeps nothing', () => {
    const message = '{"type":"message","id":"a","parentId":null,"role":"user","content":"x"}\n'
    const compaction = '{"type":"compaction","id":"b","parentId":"a","summary":"s","firstKeptEntryId":"b"}\n'
    const session = readText(dash, `${header}\n${message}${compaction}`)
    expect(session.readings[2]?.entry?.links).toBeUndefined()
    expect(warnings(session)).toEqual([])
  })

  it('reports what is wrong with a file and continues', () => {
    const session = readText(dash, fixture('damaged.jsonl'))
    expect(warnings(session)).toEqual(['dangling-parent', 'duplicate-id', 'dangling-target'])
    expect(chain(session)).toEqual([
      [1, 'dash/message', null],
      [3, 'dash/message', null],
      [4, 'dash/message', 3],
      [6, 'dash/compaction', 3],
    ])
  })

  it('reads the beginning of a file as it reads it within the whole', () => {
    for (const name of ['session.jsonl', 'damaged.jsonl']) {
      const text = fixture(name)
      const whole = readText(dash, text).readings
      const lines = text.split('\n')
      for (let end = 1; end < lines.length; end++) {
        const { readings } = readText(dash, lines.slice(0, end).join('\n'))
        expect(readings).toEqual(whole.slice(0, readings.length))
      }
    }
  })

  it('shows messages, models and compactions, and of what agents did nothing', () => {
    const metadata = { model: 'm', provider: 'p', cost: 0.5, tokens: 7 }
    expect(dash.view('message', { role: 'assistant', content: 'hi', metadata })).toEqual({
      role: 'assistant',
      blocks: [{ kind: 'text', text: 'hi' }],
      usage: { cost: 0.5 },
      sets: { model: { provider: 'p', id: 'm' } },
    })
    expect(dash.view('message', { role: 'tool', content: 'x' })).toEqual({
      role: 'tool',
      blocks: [{ kind: 'text', text: 'x' }],
    })
    expect(dash.view('message', { role: 'nobody' })).toEqual({ role: null, blocks: [] })
    expect(dash.view('compaction', { summary: 's' })).toEqual({
      role: null,
      blocks: [],
      effect: { kind: 'compaction', summary: 's' },
    })
    expect(dash.view('agent_action', { action: 'spawn' })).toEqual({ role: null, blocks: [] })
  })
})
