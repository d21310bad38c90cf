import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { grokFacts } from '../../../src/formats/grok/about.ts'
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

  it('reads an older history, whose lines have roles, in a folder named by a UUID', () => {
    const folder = '019f6000-0000-7000-8000-000000000003'
    const text = fixture(`${folder}/chat_history.jsonl`)
    expect(takes(grok, 'chat_history.jsonl', text, folder)).toBe(true)
    expect(takes(grok, 'chat_history.jsonl', text, 'chat')).toBe(false)
    expect(takes(grok, 'x.jsonl', text, folder)).toBe(false)
    expect(entriesAsText(grok, readText(grok, text))).toMatchInlineSnapshot(`
      "->0 system [text You are Grok.]
      0>1 user [text When is high water?]
      1>2 assistant [thinking I look.] [call c1 read_file {"path":"tides.txt"}]
      2>3 tool [result c1 12:00]
      3>4 assistant [text At noon.]"
    `)
  })

  it('tells what is in the document beside a session', () => {
    const about = {
      ...{ info: { cwd: '/home/ada/tides' }, session_summary: 'Tides', created_at: '2026-09-10T08:00:00Z' },
      ...{ current_model_id: 'grok-5', head_branch: 'main', parent_session_id: 'p' },
    }
    const facts = { title: 'Tides', cwd: '/home/ada/tides', created: 1789027200000 }
    expect(grokFacts(about)).toEqual({ ...facts, model: 'grok-5', git: { branch: 'main' } })
    expect(grokFacts({ ...about, session_kind: 'subagent_resume' }).parent).toBe('p')
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
