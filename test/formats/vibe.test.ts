import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { vibe } from '../../src/formats/vibe.ts'
import { entriesAsText, readText, takes, warnings } from './read.ts'

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
  ])('detects whether %s is one', (_, name, text, is) => {
    expect(takes(vibe, name, text)).toBe(is)
  })

  it('reads a session', () => {
    const session = readText(vibe, fixture('messages.jsonl'), 'messages.jsonl')
    expect(entriesAsText(vibe, session)).toMatchInlineSnapshot(`
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

  it('knows the messages of a later release by their folder', () => {
    const later = '{"role":"user","content":"a","novel":1}\n'
    expect(takes(vibe, 'messages.jsonl', later, 'session_1')).toBe(true)
    expect(takes(vibe, 'messages.jsonl', later, 'chats')).toBe(false)
    expect(takes(vibe, 'messages.jsonl', `${later}{"role":"tide"}\n`, 'session_1')).toBe(false)
  })

  it('learns title, folder and time from its sidecar file', () => {
    const about = {
      title: 'Tides',
      start_time: '2026-03-02T08:00:00Z',
      environment: { working_directory: '/home/ada/tides' },
    }
    expect(vibe.sidecars?.facts?.('meta.json', about)).toEqual({
      title: 'Tides',
      cwd: '/home/ada/tides',
      created: Date.UTC(2026, 2, 2, 8),
    })
  })

  it('shows nothing of kinds that it does not know', () => {
    expect(vibe.view('novel', {}).blocks).toEqual([])
  })
})
