import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { amp } from '../../src/formats/amp.ts'
import { chain, readText, takes } from './read.ts'

const name = 'T-0c0b1a2d-0000-4000-8000-00000000000a.json'
const text = readFileSync(new URL(`../fixtures/amp/${name}`, import.meta.url), 'utf8')

describe('the threads of Amp', () => {
  it.each([
    ['a thread', text, true],
    ['a thread on one line', '{"v":1,"id":"T-1","messages":[]}', true],
    ['another id', '{"v":1,"id":"S-1","messages":[]}', false],
    ['nothing', '', false],
  ])('detects a file by %s', (_, file, is) => {
    expect(takes(amp, 'x.json', file)).toBe(is)
  })

  it('reads one chain of messages; what changes while they are written is the record’s', () => {
    const read = readText(amp, text, name)
    expect(chain(read)).toEqual([
      [0, 'amp/message', null],
      [1, 'amp/message', 0],
      [2, 'amp/message', 1],
      [3, 'amp/message', 2],
    ])
    expect(read.readings[0]).toEqual({
      time: 1772241201792,
      native: '0',
      entry: {
        type: 'amp/message',
        parent: null,
        body: {
          role: 'user',
          content: [{ type: 'text', text: 'When is high water?' }],
          userState: { currentlyVisibleFiles: ['tides.csv'] },
        },
      },
    })
    expect(read.readings[1]?.time).toBe(Date.parse('2026-02-28T01:56:54.783Z'))
    expect(read.readings[1]?.entry?.body).toMatchObject({
      content: [{}, { type: 'tool_use', id: 't1', name: 'Read', input: { path: 'tides.csv' } }, {}],
      state: { stopReason: 'tool_use' },
    })
    expect(read.reader.active()).toBe(3)
  })

  it('knows the thread by its file, or by the fields after the messages', () => {
    const about = { title: 'High water', cwd: '/home/ada/tides', created: 1772241173221 }
    const id = 'T-0c0b1a2d-0000-4000-8000-00000000000a'
    expect(amp.reader(name).facts()).toEqual({ id })
    expect(readText(amp, text, 'x.json').reader.facts()).toEqual({ id, ...about })
    const cwd = '{"v":1,"id":"T-1","env":{"initial":{"cwd":"/x"}},"messages":[{"role":"user"}]}'
    expect(readText(amp, cwd, 'x.json').reader.facts()).toEqual({ id: 'T-1', cwd: '/x' })
    const tree =
      '{"v":1,"id":"T-1","env":{"initial":{"trees":[{"uri":"file:///c%3A/my%20tides"}]}},"messages":[{"role":"user"},'
    expect(readText(amp, tree, 'x.json').reader.facts()).toEqual({ id: 'T-1', cwd: 'c:\\my tides' })
  })

  it('shows thoughts with the seal that is valid, calls and what came of them, usage and model', () => {
    const views = readText(amp, text, name).readings.flatMap(({ entry }) =>
      entry ? [amp.view('message', entry.body)] : [],
    )
    expect(views[1]).toEqual({
      role: 'assistant',
      blocks: [
        { kind: 'thinking', text: 'Read both.', seal: { api: 'anthropic', value: 'c2ln' } },
        { kind: 'toolCall', id: 't1', name: 'Read', input: { path: 'tides.csv' } },
        { kind: 'toolCall', id: 't2', name: 'Bash', input: { cmd: 'date' } },
      ],
      usage: { input: 3, output: 70, cacheRead: 13248, cacheWrite: 1601 },
      sets: { model: { id: 'claude-x' } },
    })
    expect(views[2]).toEqual({
      role: 'tool',
      blocks: [
        { kind: 'toolResult', id: 't1', text: '06:12', error: false },
        { kind: 'toolResult', id: 't2', text: 'no shell', error: true },
      ],
    })
    expect(views[3]?.blocks[0]).toEqual({ kind: 'thinking', text: 'Easy.' })
    expect(amp.view('other', {})).toEqual({ role: null, blocks: [] })
  })
})
