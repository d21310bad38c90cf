import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { rollouts, rolloutsSession } from '../../../src/formats/rollouts/index.ts'
import type { Json } from '../../../src/model/json.ts'
import { chain, readText, takes, warnings } from '../read.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/rollouts/${name}`, import.meta.url), 'utf8')
const header = '{"type":"session","id":"s","timestamp":"2026-01-01T00:00:00","cwd":"/x","model":"m"}'

describe('the format of rollouts', () => {
  it('names itself', () => {
    expect([rollouts.name, rollouts.dialect, rollouts.reading, rollouts.conversational]).toEqual([
      'rollouts',
      'rollouts',
      1,
      true,
    ])
  })

  it.each([
    ['a session', 'x.jsonl', fixture('session.jsonl'), true],
    ['a branch', 'x.jsonl', fixture('branch.jsonl'), true],
    ['the messages of a session folder', 'messages.jsonl', fixture('messages.jsonl'), true],
    ['such messages by another name', 'chat.jsonl', fixture('messages.jsonl'), false],
    ['messages with other fields', 'messages.jsonl', '{"role":"user","content":"x","uuid":"1"}', false],
    [
      'messages of others',
      'messages.jsonl',
      '{"role":"user","content":"x","timestamp":"2026-01-01T00:00:00Z"}',
      false,
    ],
    ['an empty file', 'messages.jsonl', '', false],
    ['a header alone', 'x.jsonl', header, true],
    ['a header of pi', 'x.jsonl', header.replace('"model"', '"modelId"'), false],
    ['a header with a version', 'x.jsonl', header.replace('"cwd"', '"version":3,"cwd"'), false],
  ])('detects whether %s is one', (_, name, text, is) => {
    expect(takes(rollouts, name, text)).toBe(is)
  })

  it('knows a session folder by its name, which is the id', () => {
    const [folder, text] = ['20260302_080000_1a2b3c', '{"role":"user","content":"x"}']
    const sample = {
      name: 'messages.jsonl',
      head: new Uint8Array(0),
      lines: [JSON.parse(text) as Json],
      whole: true,
    }
    expect([rollouts.detect({ ...sample, folder }), rollouts.detect({ ...sample, folder: 'x' })]).toEqual([
      true,
      false,
    ])
    expect(rollouts.detect({ ...sample, folder, name: 'other.jsonl' })).toBe(false)
    expect(rollouts.reader('messages.jsonl', folder).facts()).toEqual({ id: folder })
    expect(rollouts.reader('messages.jsonl', 'x').facts()).toEqual({})
  })

  it('F12: reads both layouts, the messages of which are the same entries', () => {
    const [file, folder] = [
      readText(rollouts, fixture('session.jsonl')),
      readText(rollouts, fixture('messages.jsonl')),
    ]
    expect(chain(file)).toEqual([
      [1, 'rollouts/message', null],
      [2, 'rollouts/message', 1],
      [3, 'rollouts/message', 2],
      [4, 'rollouts/message', 3],
    ])
    const bodiesIn = ({ readings }: typeof file) =>
      readings.flatMap(({ entry }) => (entry ? [entry.body] : []))
    expect(bodiesIn(folder)).toEqual(bodiesIn(file))
    expect(bodiesIn(file)[2]).toEqual({
      role: 'tool',
      content: 'brest cherbourg',
      tool_call_id: 'call_1',
      details: { exit_code: 0 },
    })
    expect(file.readings[1]?.entry?.bodyPath).toEqual(['message'])
    expect(file.reader.facts()).toEqual({
      id: '5f0c6a1e-8d2b-4c39-9e75-1a2b3c4d5e6f',
      cwd: '/home/ada/tides',
      created: Date.parse('2026-03-03T10:00:00.000Z'),
    })
    expect([file.reader.active(), folder.reader.active(), folder.reader.facts()]).toEqual([4, 3, {}])
    expect([file.readings[1]?.time, folder.readings[0]?.time]).toEqual([
      Date.parse('2026-03-03T10:00:01.000Z'),
      Date.parse('2026-03-03T12:00:01.000Z'),
    ])
    expect([...warnings(file), ...warnings(folder)]).toEqual([])
  })

  it('G10: a copied prefix is the same entries, whatever changed of the configuration', () => {
    expect(chain(readText(rollouts, fixture('branch.jsonl')))).toEqual([
      [1, 'rollouts/message', null],
      [2, 'rollouts/message', 1],
      [4, 'rollouts/message', 2],
    ])
  })

  it('reads the beginning of a file as it reads it within the whole', () => {
    const text = fixture('branch.jsonl')
    const whole = readText(rollouts, text).readings
    const lines = text.split('\n')
    for (let end = 1; end < lines.length; end++) {
      const { readings } = readText(rollouts, lines.slice(0, end).join('\n'))
      expect(readings).toEqual(whole.slice(0, readings.length))
    }
  })

  it('F12: keeps the metadata of a session folder as a file of its own', () => {
    const folder = '20260302_080000_1a2b3c'
    const text = fixture(`${folder}/session.json`)
    expect(takes(rolloutsSession, 'session.json', text)).toBe(true)
    expect(takes(rolloutsSession, 'session.json', '{"session_id":"a","session_state":{}}')).toBe(false)
    expect(rolloutsSession.reader('session.json', folder).facts()).toEqual({ id: `${folder}-session` })
    expect(rolloutsSession.reader('session.json', 'x').facts()).toEqual({})
    expect(rolloutsSession.conversational).toBe(false)
  })

  it('shows messages, calls with their results, and models', () => {
    const [file] = [readText(rollouts, fixture('session.jsonl'))]
    const views = file.readings.flatMap(({ entry }) => (entry ? [rollouts.view('message', entry.body)] : []))
    expect(views.slice(1, 3)).toEqual([
      {
        role: 'assistant',
        blocks: [
          { kind: 'text', text: 'Let me look.' },
          { kind: 'toolCall', id: 'call_1', name: 'bash', input: { command: 'ls harbours' } },
        ],
        sets: { model: { provider: 'anthropic', id: 'claude-sonnet-4-5' } },
      },
      {
        role: 'tool',
        blocks: [{ kind: 'toolResult', id: 'call_1', text: 'brest cherbourg', error: false }],
      },
    ])
    expect(rollouts.view('message', { role: 'x' })).toEqual({ role: null, blocks: [] })
  })
})
