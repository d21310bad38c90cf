import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { windsurf } from '../../src/formats/windsurf.ts'
import { entriesAsText, readText, takes, warnings } from './read.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/windsurf/${name}`, import.meta.url), 'utf8')

describe('the format windsurf', () => {
  it('names itself', () => {
    expect([windsurf.name, windsurf.dialect, windsurf.reading, windsurf.conversational]).toEqual([
      'windsurf',
      'windsurf',
      1,
      true,
    ])
  })

  it.each([
    ['a transcript', 'transcript.jsonl', fixture('transcript.jsonl'), true],
    ['messages of a chat', 'x.jsonl', '{"role":"user","content":"a"}\n', false],
    [
      'records of Claude Code',
      'transcript.jsonl',
      '{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"a"}}\n',
      false,
    ],
    ['nothing', 'transcript.jsonl', '', false],
  ])('detects whether %s is one', (_, name, text, is) => {
    expect(takes(windsurf, name, text)).toBe(is)
  })

  it('calls a session as its file, where that is a UUID', () => {
    const id = '0c0b1a2d-0000-4000-8000-00000000000a'
    expect(windsurf.reader(`${id}.jsonl`).facts()).toEqual({ id })
    expect(windsurf.reader('transcript.jsonl').facts()).toEqual({})
  })

  it('reads a transcript', () => {
    const session = readText(windsurf, fixture('transcript.jsonl'), 'transcript.jsonl')
    expect(entriesAsText(windsurf, session)).toMatchInlineSnapshot(`
      "->0 user [text How long?]
      0>1 assistant [text I look.]
      1>2 assistant [call  view_file {"path":"file:///k"}] [result  3 m]
      2>3 assistant [call  run_command {"command":"x","cwd":"/"}] [error  bad]
      3>4 assistant [call  code_action {"new_content":"a","path":"k"}] [result  ACCEPT]
      4>5 assistant [call  list_resources {"server_name":"m"}] [error  ]"
    `)
    expect([session.reader.active(), session.reader.facts(), warnings(session)]).toMatchInlineSnapshot(`
      [
        5,
        {},
        [],
      ]
    `)
  })

  it('shows nothing of kinds that it does not know', () => {
    expect(windsurf.view('novel', {}).blocks).toEqual([])
  })
})
