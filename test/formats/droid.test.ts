import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { droid } from '../../src/formats/droid.ts'
import { expectStable } from './prefix.ts'
import { chain, readText, takes, warnings } from './read.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/droid/${name}.jsonl`, import.meta.url), 'utf8')
const session = fixture('session')
const printed = fixture('printed')

describe('the format of Droid', () => {
  it.each([
    ['a session', session, true],
    ['what was printed', printed, true],
    ['a header alone', '{"type":"session_start","id":"s"}\n', true],
    ['a header without an id', '{"type":"session_start"}\n', false],
    ['lines of another agent', '{"type":"message","session_id":"s","message":{"role":"user"}}\n', false],
    ['lines without a session', '{"type":"message","role":"user","text":"x"}\n', false],
    ['nothing', '', false],
  ])('detects whether %s is one', (_, text, is) => {
    expect(takes(droid, 'x.jsonl', text)).toBe(is)
  })

  it('reads the tree of messages; what continues a compacted message continues the compaction', () => {
    const read = readText(droid, session)
    expect(chain(read)).toEqual([
      [1, 'droid/message', null],
      [2, 'droid/message', 1],
      [4, 'droid/message', 2],
      [5, 'droid/message', 4],
      [6, 'droid/compaction_state', 5],
      [7, 'droid/message', 6],
      [8, 'droid/message', 1],
    ])
    expect(read.readings[6]).toEqual({
      time: Date.parse('2026-03-06T09:00:05.000Z'),
      native: 'c1',
      entry: {
        type: 'droid/compaction_state',
        parent: 5,
        links: { firstKept: 5 },
        body: { summaryText: 'A table was read.', summaryTokens: 6, summaryKind: 'llm' },
      },
    })
    expect(read.readings[2]?.entry?.body).toEqual({
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Read it.', signature: 'c2ln' },
          { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'table.csv' } },
        ],
      },
    })
    expect(warnings(read)).toEqual([])
    expect(read.reader.active()).toBe(8)
    expect(read.reader.facts()).toEqual({
      id: '5d1c2f7e-0000-4000-8000-000000000001',
      title: 'Tide tables',
      cwd: '/home/ada/tides',
      created: Date.parse('2026-03-06T09:00:00.000Z'),
    })
  })

  it('reports what is wrong with a file and continues', () => {
    const read = readText(droid, fixture('damaged'))
    expect(warnings(read)).toEqual(['duplicate-id', 'dangling-parent', 'bad-message', 'dangling-target'])
    expect(chain(read)).toEqual([
      [1, 'droid/message', null],
      [2, 'droid/message', 1],
      [3, 'droid/message', null],
      [5, 'droid/compaction_state', 3],
      [8, 'droid/message', null],
      [9, 'droid/message', 8],
    ])
    expect(read.readings[5]?.entry?.links).toBeUndefined()
  })

  it('keeps nothing where the anchor is the last message', () => {
    const message = '{"type":"message","id":"a","message":{"role":"user","content":"x"}}\n'
    const compaction = '{"type":"compaction_state","summaryText":"s","anchorMessage":{"id":"a"}}\n'
    const read = readText(droid, `{"type":"session_start","id":"s"}\n${message}${compaction}`)
    expect(read.readings[2]).toEqual({
      entry: { type: 'droid/compaction_state', parent: 1, body: { summaryText: 's' } },
    })
  })

  it('reads printed output; a text that the end repeats is one entry, with its usage', () => {
    const read = readText(droid, printed)
    expect(chain(read)).toEqual([
      [0, 'droid/system', null],
      [1, 'droid/message', 0],
      [2, 'droid/tool_call', 1],
      [3, 'droid/tool_result', 2],
      [4, 'droid/tool_call', 3],
      [5, 'droid/tool_result', 4],
      [6, 'droid/message', 5],
      [7, 'droid/completion', 6],
    ])
    expect(read.readings[4]?.entry?.body).toEqual({
      toolCallId: 'call_2',
      toolName: 'Execute',
      parameters: { command: 'pwd' },
    })
    expect(read.readings[7]?.entry?.body).toEqual({
      usage: {
        input_tokens: 10,
        output_tokens: 5,
        cache_read_input_tokens: 2,
        cache_creation_input_tokens: 1,
      },
    })
    expect(read.reader.facts()).toEqual({ id: 'sid-1', cwd: '/home/ada/tides', created: 1767812640310 })
    const unsaid = printed.replace('"finalText":"Done"', '"finalText":"Bye"')
    expect(readText(droid, unsaid).readings[7]?.entry?.body).toMatchObject({ finalText: 'Bye' })
  })

  it.each(['session', 'damaged', 'printed'])('reads the beginning of %s as within the whole', (name) => {
    expectStable(droid, fixture(name))
  })

  it('shows messages and calls', () => {
    const text = (words: string) => [{ kind: 'text', text: words }]
    const nothing = { role: null, blocks: [] }
    expect(droid.view('message', { message: { role: 'user', content: 'hi' } })).toEqual({
      role: 'user',
      blocks: text('hi'),
    })
    expect(droid.view('message', { role: 'assistant', text: 'yes' })).toEqual({
      role: 'assistant',
      blocks: text('yes'),
    })
    const result = { type: 'tool_result', tool_use_id: 't', content: 'out', is_error: true }
    expect(droid.view('message', { message: { role: 'user', content: [result] } })).toEqual({
      role: 'tool',
      blocks: [{ kind: 'toolResult', id: 't', text: 'out', error: true }],
    })
    expect(droid.view('message', { message: { role: 'assistant', model: 'm', content: [] } })).toEqual({
      role: 'assistant',
      blocks: [],
      sets: { model: { id: 'm' } },
    })
    expect(droid.view('compaction_state', { summaryText: 's' })).toEqual({
      ...nothing,
      effect: { kind: 'compaction', summary: 's' },
    })
    expect(droid.view('system', { model: 'm', reasoning_effort: 'off' })).toEqual({
      ...nothing,
      sets: { model: { id: 'm' }, thinking: 'off' },
    })
    expect(droid.view('tool_call', { id: 'c', toolName: 'Read', parameters: { a: 1 } })).toEqual({
      role: 'assistant',
      blocks: [{ kind: 'toolCall', id: 'c', name: 'Read', input: { a: 1 } }],
    })
    const shown = (body: object) => droid.view('tool_result', { toolCallId: 'c', ...body }).blocks[0]
    expect(shown({ value: { stdout: 'out', exitCode: 0 } })).toMatchObject({ text: 'out', error: false })
    expect(shown({ value: { exitCode: 1 }, isError: true })).toMatchObject({
      text: '{"exitCode":1}',
      error: true,
    })
    expect(shown({})).toEqual({ kind: 'toolResult', id: 'c', text: '', error: false })
    expect(droid.view('completion', { finalText: 'Bye', usage: { input_tokens: 1 } })).toEqual({
      role: 'assistant',
      blocks: text('Bye'),
      usage: { input: 1 },
    })
    expect(droid.view('completion', { usage: { output_tokens: 2 } })).toEqual({
      ...nothing,
      usage: { output: 2 },
    })
    expect(droid.view('other', {})).toEqual(nothing)
  })
})
