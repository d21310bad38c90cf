import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { antigravity } from '../../src/formats/antigravity.ts'
import { entriesAsText, readText, takes, warnings } from './read.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/antigravity/${name}`, import.meta.url), 'utf8')

describe('the format antigravity', () => {
  it('names itself', () => {
    expect([antigravity.name, antigravity.dialect, antigravity.reading, antigravity.conversational]).toEqual([
      'antigravity',
      'antigravity',
      1,
      true,
    ])
  })

  it.each([
    ['a conversation', 'steps.jsonl', fixture('steps.jsonl'), true],
    ['messages of a chat', 'x.jsonl', '{"role":"user","content":"a"}\n', false],
    [
      'records of Claude Code',
      'steps.jsonl',
      '{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"a"}}\n',
      false,
    ],
    ['nothing', 'steps.jsonl', '', false],
  ])('detects whether %s is one', (_, name, text, is) => {
    expect(takes(antigravity, name, text)).toBe(is)
  })

  it('calls a session as the folder of its conversation', () => {
    const id = '0c0b1a2d-0000-4000-8000-00000000000a'
    const idIn = (...above: string[]) => antigravity.reader('transcript.jsonl', 'logs', above).facts()
    expect(idIn('.system_generated', id, 'brain')).toEqual({ id })
    expect(idIn('brain', id)).toEqual({})
    expect(idIn('.system_generated', 'brain')).toEqual({})
  })

  it('reads a conversation', () => {
    const session = readText(antigravity, fixture('steps.jsonl'), 'steps.jsonl')
    expect(entriesAsText(antigravity, session)).toMatchInlineSnapshot(`
      "->0 user [text <USER_REQUEST>
      How long?
      </USER_REQUEST>]
      0>2 assistant [thinking I look.] [call  view_file {"p":"k"}]
      2>3 tool [result  3 m]
      3>4 - {"effect":{"kind":"compaction","summary":"so far"}}
      4>5 system [text note]
      5>6 assistant [text Three.]"
    `)
    expect([session.reader.active(), session.reader.facts(), warnings(session)]).toMatchInlineSnapshot(`
      [
        6,
        {},
        [],
      ]
    `)
  })

  it('shows nothing of kinds that it does not know', () => {
    expect(antigravity.view('novel', {}).blocks).toEqual([])
  })
})
