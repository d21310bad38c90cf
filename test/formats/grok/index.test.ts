import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { grok, grokSummary } from '../../../src/formats/grok/index.ts'
import { entriesAsText, readText, takes, warnings } from '../read.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/grok/${name}`, import.meta.url), 'utf8')

describe('the format grok', () => {
  it('names itself', () => {
    expect([grok.name, grok.dialect, grok.reading, grok.conversational]).toEqual(['grok', 'grok', 1, true])
  })

  it.each([
    ['a session', 'chat_history.jsonl', fixture('chat_history.jsonl'), true],
    ['messages of a chat', 'x.jsonl', '{"role":"user","content":"a"}\n', false],
    [
      'records of Claude Code',
      'chat_history.jsonl',
      '{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"a"}}\n',
      false,
    ],
    ['a first line without a mark', 'chat_history.jsonl', '{"type":"system","content":"a"}\n', true],
    ['the same in another file', 'x.jsonl', '{"type":"system","content":"a"}\n', false],
    ['nothing', 'chat_history.jsonl', '', false],
  ])('detects whether %s is one', (_, name, text, is) => {
    expect(takes(grok, name, text)).toBe(is)
  })

  it('reads a session', () => {
    const session = readText(grok, fixture('chat_history.jsonl'), 'chat_history.jsonl')
    expect(entriesAsText(grok, session)).toMatchInlineSnapshot(`
      "->0 system [text You are Grok.]
      0>1 user [text How long?]
      1>2 assistant [thinking I look.]
      2>3 assistant [text Looking.] [call c1 read {"p":1}] {"sets":{"model":{"provider":"xai","id":"grok-4.5"},"thinking":"high"}}
      3>4 tool [result c1 3 m
      ]
      4>5 assistant [call  web_search {"type":"search","query":"kite"}]"
    `)
    expect([session.reader.active(), session.reader.facts(), warnings(session)]).toMatchInlineSnapshot(`
      [
        5,
        {},
        [],
      ]
    `)
  })

  it('knows the sidecar files of a session, which hold no conversation', () => {
    expect(takes(grokSummary, 'x.json', '{"info":{"id":"g"},"num_chat_messages":1}')).toBe(true)
    expect(takes(grokSummary, 'x.json', '{"session_id":"s"}')).toBe(false)
    expect(grokSummary.conversational).toBe(false)
  })

  it('shows nothing of kinds that it does not know', () => {
    expect(grok.view('novel', {}).blocks).toEqual([])
  })
})
