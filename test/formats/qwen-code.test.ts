import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { qwen } from '../../src/formats/qwen-code.ts'
import { entriesAsText, readText, takes, warnings } from './read.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/qwen/${name}`, import.meta.url), 'utf8')

describe('the format qwen-code', () => {
  it('names itself', () => {
    expect([qwen.name, qwen.dialect, qwen.reading, qwen.conversational]).toEqual([
      'qwen-code',
      'qwen',
      1,
      true,
    ])
  })

  it.each([
    ['a session', 'session.jsonl', fixture('session.jsonl'), true],
    ['messages of a chat', 'x.jsonl', '{"role":"user","content":"a"}\n', false],
    [
      'records of Claude Code',
      'session.jsonl',
      '{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"a"}}\n',
      false,
    ],
    ['nothing', 'session.jsonl', '', false],
  ])('detects whether %s is one', (_, name, text, is) => {
    expect(takes(qwen, name, text)).toBe(is)
  })

  it('reads a session', () => {
    const session = readText(qwen, fixture('session.jsonl'), 'session.jsonl')
    expect(entriesAsText(qwen, session)).toMatchInlineSnapshot(`
      "->0 user [text How long?]
      0>1 assistant [thinking hm] {"usage":{"input":15,"output":5,"cacheRead":5},"sets":{"model":{"provider":"qwen","id":"coder"}}}
      1>2 assistant [call c1 read {"p":1}] {"sets":{"model":{"provider":"qwen","id":"coder"}}}
      2>3 tool [result c1 3 m]
      3>4 assistant [text Three.] {"sets":{"model":{"provider":"qwen","id":"coder"}}}
      0>7 user [text In feet?]
      7>8 - {"effect":{"kind":"compaction","replacement":[{"role":"user","blocks":[{"kind":"text","text":"so far"}]},{"role":"assistant","blocks":[{"kind":"text","text":"ok"}]}]}}
      8>9 assistant [text Ten.] {"sets":{"model":{"provider":"qwen","id":"coder"}}}"
    `)
    expect([session.reader.active(), session.reader.facts(), warnings(session)]).toMatchInlineSnapshot(`
      [
        9,
        {
          "created": 1772359200000,
          "cwd": "/home/ada/kite",
          "id": "qwen-1",
          "title": "Kites",
          "version": "0.21.0",
        },
        [],
      ]
    `)
  })

  it('reads a damaged session', () => {
    const session = readText(qwen, fixture('damaged.jsonl'), 'damaged.jsonl')
    expect(entriesAsText(qwen, session)).toMatchInlineSnapshot(`
      "->0 user [text x]
      ->1 assistant [text y]"
    `)
    expect([session.reader.active(), session.reader.facts(), warnings(session)]).toMatchInlineSnapshot(`
      [
        1,
        {
          "created": 1772359200000,
          "cwd": "/home/ada/kite",
          "id": "qwen-1",
          "version": "0.21.0",
        },
        [
          "dangling-parent",
          "dangling-parent",
        ],
      ]
    `)
  })

  it('shows nothing of kinds that it does not know', () => {
    expect(qwen.view('novel', {}).blocks).toEqual([])
  })
})
