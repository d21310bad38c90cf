import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { copilot } from '../../src/formats/copilot-cli.ts'
import { expectStable } from './prefix.ts'
import { chain, readText, takes } from './read.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/copilot-cli/${name}.jsonl`, import.meta.url), 'utf8')
const session = fixture('session')

describe('the format of Copilot CLI', () => {
  it.each([
    ['a session', session, true],
    ['a message alone', '{"type":"user.message","data":{},"id":"a","parentId":null}\n', true],
    ['an event without its place', '{"type":"user.message","data":{},"id":"a"}\n', false],
    ['an event of others', '{"type":"user","data":{},"id":"a","parentId":null}\n', false],
    ['nothing', '', false],
  ])('detects whether %s is one', (_, text, is) => {
    expect(takes(copilot, 'events.jsonl', text)).toBe(is)
  })

  it('reads messages in one chain, sub-agents in their own; prompts and settings only when they change', () => {
    const read = readText(copilot, session)
    expect(chain(read)).toEqual([
      [0, 'copilot/session.start', null],
      [1, 'copilot/session.model_change', 0],
      [2, 'copilot/system.message', 1],
      [3, 'copilot/user.message', 2],
      [5, 'copilot/assistant.message', 3],
      [8, 'copilot/assistant.message', null],
      [9, 'copilot/tool.execution_complete', 5],
      [10, 'copilot/tool.execution_complete', 8],
      [11, 'copilot/tool.execution_complete', 9],
      [13, 'copilot/session.compaction_complete', 11],
      [14, 'copilot/session.resume', 13],
      [16, 'copilot/user.message', 14],
    ])
    expect(read.readings[9]).toEqual({
      time: Date.parse('2026-03-07T10:00:04.400Z'),
      native: 'e10',
      entry: {
        type: 'copilot/tool.execution_complete',
        bodyPath: ['data'],
        parent: 5,
        body: { toolCallId: 'c1', success: true, result: { content: 'brest\ncork\n' } },
      },
    })
    expect(read.reader.active()).toBe(16)
    expect(read.reader.facts()).toEqual({
      id: '0c0b1a2d-0000-4000-8000-00000000000a',
      cwd: '/home/ada/tides',
      git: { branch: 'main' },
      subagents: new Map([['agent-c2', 5]]),
      branches: new Map([['agent-c2', 10]]),
      created: Date.parse('2026-03-07T10:00:00.000Z'),
      version: '1.0.64',
    })
  })

  it('recovers an event after one that was cut off, and one after zeros', () => {
    const read = readText(copilot, fixture('damaged'))
    const bodies = read.readings.flatMap(({ entry }) => (entry ? [entry.body] : []))
    expect(bodies).toEqual([
      { content: 'whole', transformedContent: 'whole' },
      { content: 'behind zeros', toolRequests: [] },
      {},
    ])
    expect(read.reader.facts()).toEqual({ id: 's-bad', created: Date.parse('2026-03-07T10:00:00.000Z') })
  })

  it.each(['session', 'damaged'])('reads the beginning of %s as within the whole', (name) => {
    expectStable(copilot, fixture(name))
  })

  it('shows what the user typed, thoughts, calls and results, usage once for each message', () => {
    const views = readText(copilot, session).readings.flatMap(({ entry }) =>
      entry ? [copilot.view(entry.type.slice('copilot/'.length), entry.body)] : [],
    )
    const text = (words: string) => [{ kind: 'text', text: words }]
    const nothing = { role: null, blocks: [] }
    expect(views.slice(0, 5)).toEqual([
      { ...nothing, sets: { model: { id: 'gpt-x' } } },
      { ...nothing, sets: { model: { id: 'claude-x' }, thinking: 'medium' } },
      { role: 'system', blocks: text('You are a pilot.') },
      { role: 'user', blocks: text('List the ports') },
      {
        role: 'assistant',
        blocks: [
          { kind: 'thinking', text: 'Two tools.' },
          ...text('I ask two at once.'),
          { kind: 'toolCall', id: 'c1', name: 'bash', input: { command: 'ls' } },
          { kind: 'toolCall', id: 'c2', name: 'task', input: { prompt: 'Count them' } },
        ],
        usage: { output: 40, call: 'm1' },
        sets: { model: { id: 'claude-x' } },
      },
    ])
    expect(views[8]).toEqual({
      role: 'tool',
      blocks: [{ kind: 'toolResult', id: 'c2', text: 'Agent was stopped', error: true }],
    })
    expect(views[9]).toEqual({
      ...nothing,
      effect: { kind: 'compaction', summary: 'Two ports were listed.' },
    })
    expect(copilot.view('tool.execution_complete', { toolCallId: 'c', success: true })).toEqual({
      role: 'tool',
      blocks: [{ kind: 'toolResult', id: 'c', text: '', error: false }],
    })
    expect(copilot.view('user.message', { transformedContent: 'x' }).blocks).toEqual(text('x'))
    const attachments = [
      { type: 'file', path: 'a.txt', displayName: 'a.txt' },
      { type: 'blob', data: 'AAAA', mimeType: 'image/png' },
    ]
    const image = { kind: 'image', mediaType: 'image/png', bytes: 3, data: 'AAAA' }
    expect(copilot.view('user.message', { content: 'x', attachments }).blocks).toEqual([...text('x'), image])
    const contents = [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }]
    const seen = { toolCallId: 'c', success: true, result: { content: 'x', contents } }
    expect(copilot.view('tool.execution_complete', seen).blocks).toEqual([
      { kind: 'toolResult', id: 'c', text: 'x', error: false },
      image,
    ])
    expect(copilot.view('session.start', {})).toEqual(nothing)
  })
})
