import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { continueDev } from '../../src/formats/continue.ts'
import { chain, readText, takes } from './read.ts'

const name = '2dbfd673-0000-4000-8000-00000000000b.json'
const text = readFileSync(new URL(`../fixtures/continue/${name}`, import.meta.url), 'utf8')

describe('the sessions of Continue', () => {
  it.each([
    ['a session', text, true],
    ['a session without a folder', text.replace('"workspaceDirectory"', '"folder"'), false],
    ['a list of sessions', `[${text}]`, false],
    ['nothing', '', false],
  ])('detects a file by %s', (_, file, is) => {
    expect(takes(continueDev, 'x.json', file)).toBe(is)
  })

  it('reads one chain of messages, each with what its tools gave', () => {
    const read = readText(continueDev, text, 'x.json')
    expect(chain(read)).toEqual([
      [0, 'continue/message', null],
      [1, 'continue/message', 0],
      [2, 'continue/message', 1],
      [3, 'continue/message', 2],
      [4, 'continue/message', 3],
    ])
    expect(read.readings[0]).toEqual({
      native: 'u1',
      entry: {
        type: 'continue/message',
        parent: null,
        body: {
          message: { role: 'user', content: 'When is high water in @tides.csv?' },
          contextItems: [{ content: '06:12', name: 'tides.csv', description: 'a file' }],
        },
      },
    })
    expect(read.reader.active()).toBe(4)
    const id = '2dbfd673-0000-4000-8000-00000000000b'
    expect(read.reader.facts()).toEqual({ id, title: 'High water', cwd: '/home/ada/tides' })
    expect(continueDev.reader(name).facts()).toEqual({ id })
    const unnamed = text.replace('"High water"', '"New Session"')
    expect(readText(continueDev, unnamed, 'x.json').reader.facts()).toEqual({ id, cwd: '/home/ada/tides' })
    const uri = text.replace('"/home/ada/tides"', '"file:///home/ada/my%20tides"')
    expect(readText(continueDev, uri, 'x.json').reader.facts().cwd).toBe('/home/ada/my tides')
  })

  it('shows what was added, thoughts, calls with their results, usage, and summaries', () => {
    const views = readText(continueDev, text, name).readings.flatMap(({ entry }) =>
      entry ? [continueDev.view('message', entry.body)] : [],
    )
    expect(views).toEqual([
      {
        role: 'user',
        blocks: [
          { kind: 'text', text: 'When is high water in @tides.csv?' },
          { kind: 'text', text: '06:12' },
        ],
      },
      {
        role: 'assistant',
        blocks: [{ kind: 'thinking', text: 'Which port?', seal: { api: 'anthropic', value: 'c2ln' } }],
      },
      {
        role: 'assistant',
        blocks: [
          { kind: 'text', text: 'I read it.' },
          { kind: 'toolCall', id: 'c1', name: 'Read', input: { filepath: 'tides.csv' } },
          { kind: 'toolCall', id: 'c2', name: 'Run', input: '{"command":' },
          { kind: 'toolResult', id: 'c1', text: '06:12', error: false },
        ],
        usage: { input: 20, output: 4, cacheRead: 7, cacheWrite: 2 },
      },
      {
        role: 'assistant',
        blocks: [{ kind: 'text', text: 'At 06:12.' }],
        effect: { kind: 'compaction', summary: 'High water was asked for.' },
      },
      { role: 'user', blocks: [{ kind: 'text', text: 'Thanks' }] },
    ])
    const tool = { message: { role: 'tool', toolCallId: 'c', content: 'out' } }
    expect(continueDev.view('message', tool)).toEqual({
      role: 'tool',
      blocks: [{ kind: 'toolResult', id: 'c', text: 'out', error: false }],
    })
    const reasoned = { message: { role: 'assistant', content: '' }, reasoning: { text: 'Hm.' } }
    expect(continueDev.view('message', reasoned).blocks).toEqual([{ kind: 'thinking', text: 'Hm.' }])
    const failed = {
      message: { role: 'assistant' },
      toolCallStates: [{ toolCallId: 'c', status: 'errored' }],
    }
    expect(continueDev.view('message', failed).blocks).toEqual([
      { kind: 'toolResult', id: 'c', text: '', error: true },
    ])
    expect(continueDev.view('other', {})).toEqual({ role: null, blocks: [] })
  })
})
