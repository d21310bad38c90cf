import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { vibe } from '../../src/formats/vibe.ts'
import { readText, takes, told, warnings } from './read.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/vibe/${name}`, import.meta.url), 'utf8')

describe('the format vibe', () => {
  it('names itself', () => {
    expect([vibe.name, vibe.dialect, vibe.reading, vibe.conversational]).toEqual(['vibe', 'vibe', 1, true])
  })

  it.each([
    ['a session', 'messages.jsonl', fixture('messages.jsonl'), true],
    ['messages of a chat', 'x.jsonl', '{"role":"user","content":"a"}\n', false],
    [
      'records of Claude Code',
      'messages.jsonl',
      '{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"a"}}\n',
      false,
    ],
    ['nothing', 'messages.jsonl', '', false],
  ])('tells of %s whether it is one', (_, name, text, is) => {
    expect(takes(vibe, name, text)).toBe(is)
  })

  it('reads a session', () => {
    const session = readText(vibe, fixture('messages.jsonl'), 'messages.jsonl')
    expect(told(vibe, session)).toMatchInlineSnapshot(`
      "->0 user [text How long?]
      0>1 assistant [thinking hm] [text I look.] [call c1 read {"p":1}]
      1>2 tool [result c1 3 m]
      2>3 assistant [text Three.]"
    `)
    expect([session.reader.active(), session.reader.facts(), warnings(session)]).toMatchInlineSnapshot(`
      [
        3,
        {},
        [],
      ]
    `)
  })

  it('shows nothing of kinds that it does not know', () => {
    expect(vibe.view('novel', {}).blocks).toEqual([])
  })
})
