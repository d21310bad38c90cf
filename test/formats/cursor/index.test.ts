import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cursor } from '../../../src/formats/cursor.ts'
import { expectStable } from '../prefix.ts'
import { chain, readText, takes } from '../read.ts'

const text = readFileSync(new URL('../../fixtures/cursor/session.jsonl', import.meta.url), 'utf8')
const message = '{"role":"user","message":{"content":[]}'

describe('the transcripts of Cursor', () => {
  it.each([
    ['a transcript', text, true],
    ['a message', `${message}}\n`, true],
    ['a message with an id', `${message},"id":"a"}\n`, false],
    ['a message with a type', `${message},"type":"user"}\n`, false],
    ['a message with a role', '{"role":"user","message":{"role":"user","content":[]}}\n', false],
    ['the end of a turn alone', '{"type":"turn_ended","status":"success"}\n', false],
    ['nothing', '', false],
  ])('detects a file by %s', (_, file, is) => {
    expect(takes(cursor, 'x.jsonl', file)).toBe(is)
  })

  it('reads one chain of messages', () => {
    const read = readText(cursor, text)
    expect(chain(read)).toEqual([
      [0, 'cursor/message', null],
      [1, 'cursor/message', 0],
      [2, 'cursor/message', 1],
      [4, 'cursor/message', 2],
    ])
    expect(read.readings[2]?.entry?.body).toEqual({
      role: 'user',
      message: {
        content: [{ type: 'tool-result', name: 'Read', content: [{ type: 'text', text: 'Brest' }] }],
      },
    })
    expect([read.reader.active(), read.reader.facts()]).toEqual([4, { subagentPrompts: new Map() }])
    expectStable(cursor, text)
  })

  it('shows nothing of thoughts that are kept from people', () => {
    const content = [
      { type: 'redacted-reasoning', data: 'AbCd' },
      { type: 'text', text: 'Done.' },
    ]
    expect(cursor.view('message', { role: 'assistant', message: { content } }).blocks).toEqual([
      { kind: 'text', text: 'Done.' },
    ])
  })

  it('knows the session by the name of its file', () => {
    const id = '0c0b1a2d-0000-4000-8000-00000000000a'
    expect(readText(cursor, text, `${id}.jsonl`).reader.facts()).toEqual({ subagentPrompts: new Map(), id })
  })

  it('shows what the user typed without its tag, thoughts, calls and results', () => {
    const views = readText(cursor, text).readings.flatMap(({ entry }) =>
      entry ? [cursor.view('message', entry.body)] : [],
    )
    expect(views).toEqual([
      { role: 'user', blocks: [{ kind: 'text', text: 'List the ports' }] },
      {
        role: 'assistant',
        blocks: [
          { kind: 'thinking', text: 'Look first.' },
          { kind: 'text', text: 'I look.' },
          { kind: 'toolCall', id: '', name: 'Read', input: { path: 'ports.txt' } },
        ],
        sets: { model: { id: 'cursor-auto' } },
      },
      { role: 'tool', blocks: [{ kind: 'toolResult', id: '', name: 'Read', text: 'Brest', error: false }] },
      { role: 'assistant', blocks: [{ kind: 'text', text: 'Only Brest.' }] },
    ])
    expect(cursor.view('message', {})).toEqual({ role: null, blocks: [] })
  })
})
