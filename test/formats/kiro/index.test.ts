import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { kiro, kiroAbout } from '../../../src/formats/kiro/index.ts'
import { entriesAsText, readText, takes, warnings } from '../read.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/kiro/${name}`, import.meta.url), 'utf8')

describe('the format kiro', () => {
  it('names itself', () => {
    expect([kiro.name, kiro.dialect, kiro.reading, kiro.conversational]).toEqual(['kiro', 'kiro', 1, true])
  })

  it.each([
    [
      'a session',
      '0a000000-0000-4000-8000-000000000001.jsonl',
      fixture('0a000000-0000-4000-8000-000000000001.jsonl'),
      true,
    ],
    ['messages of a chat', 'x.jsonl', '{"role":"user","content":"a"}\n', false],
    [
      'records of Claude Code',
      '0a000000-0000-4000-8000-000000000001.jsonl',
      '{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"a"}}\n',
      false,
    ],
    ['nothing', '0a000000-0000-4000-8000-000000000001.jsonl', '', false],
  ])('detects whether %s is one', (_, name, text, is) => {
    expect(takes(kiro, name, text)).toBe(is)
  })

  it('reads a session', () => {
    const session = readText(
      kiro,
      fixture('0a000000-0000-4000-8000-000000000001.jsonl'),
      '0a000000-0000-4000-8000-000000000001.jsonl',
    )
    expect(entriesAsText(kiro, session)).toMatchInlineSnapshot(`
      "->0 user [text How long?]
      0>1 assistant [thinking hm] [text I look.] [call c1 shell {"c":1}] [call c2 read {}] {"sets":{"model":{"id":"claude-opus"}}}
      1>2 tool [result c1 3 m] [error c2 none
      {"a":1}]"
    `)
    expect([session.reader.active(), session.reader.facts(), warnings(session)]).toMatchInlineSnapshot(`
      [
        2,
        {
          "id": "0a000000-0000-4000-8000-000000000001",
        },
        [],
      ]
    `)
  })

  it('knows the sidecar files of a session, which hold no conversation', () => {
    expect(takes(kiroAbout, 'x.json', '{"session_id":"k","session_state":{}}')).toBe(true)
    expect(takes(kiroAbout, 'x.json', '{"session_id":"s"}')).toBe(false)
    expect(kiroAbout.conversational).toBe(false)
  })

  it('shows nothing of kinds that it does not know', () => {
    expect(kiro.view('novel', {}).blocks).toEqual([])
  })
})
