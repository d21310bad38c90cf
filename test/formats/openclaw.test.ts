import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { clawdbot, openclaw } from '../../src/formats/openclaw.ts'
import { pi } from '../../src/formats/pi/index.ts'
import { expectStable } from './prefix.ts'
import { chain, readText, takes, warnings } from './read.ts'

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/${name}/session.jsonl`, import.meta.url), 'utf8')
const session = fixture('openclaw')
const header = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}'
const record = (fields: string) => `${header}\n{"type":"message","id":"a",${fields}}\n`

describe('the format of OpenClaw', () => {
  it.each([
    ['a session', session, true],
    ['a first record below the session', record('"parentId":"s","message":{"role":"user"}'), true],
    ['a record that it adds', record('"parentId":null,"customType":"openclaw.cache"'), true],
    ['its provider', record('"parentId":null,"message":{"provider":"openclaw"}'), true],
    ['a version in a text', `${header.replace('"version":3', '"version":"0.1.0"')}\n`, true],
    ['a session of pi', record('"parentId":null,"message":{"role":"user"}'), false],
    ['a session of Dash', header.replace('3', '1'), false],
  ])('detects a file by %s', (_, text, is) => {
    expect(takes(openclaw, 'x.jsonl', text)).toBe(is)
  })

  it('reads the tree of pi; a result continues the message that holds its call', () => {
    const read = readText(openclaw, session)
    expect(chain(read)).toEqual([
      [1, 'openclaw/model_change', null],
      [3, 'openclaw/custom_message', 1],
      [4, 'openclaw/message', 3],
      [5, 'openclaw/message', 4],
      [6, 'openclaw/message', 5],
      [7, 'openclaw/message', 6],
    ])
    expect(warnings(read)).toEqual([])
    expect(read.reader.active()).toBe(7)
    expect(read.reader.facts()).toMatchObject({ id: 'oc-1', cwd: '/home/ada/tides' })
    expectStable(openclaw, session)
  })

  it('shows what pi shows', () => {
    const body = { message: { role: 'user', content: 'x' } }
    expect(openclaw.view('message', body)).toEqual(pi.view('message', body))
  })
})

describe('the format of Clawdbot', () => {
  const text = fixture('clawdbot')

  it.each([
    ['messages with a time and nothing else', text, true],
    ['a message with more fields', text.replace('"role"', '"id":"a","role"'), false],
    ['a message without a time', '{"role":"user","content":"x"}\n', false],
    ['a time that is none', '{"role":"user","content":"x","timestamp":"soon"}\n', false],
    [
      'keys in another order',
      '{"content":"x","role":"user","timestamp":"2025-01-27T03:30:00.000Z"}\n',
      false,
    ],
    ['a time of another precision', text.replaceAll('.000Z', 'Z'), false],
    [
      'times that go back',
      text.split('\n').toReversed().join('\n').trim().replace('assistant', 'user'),
      false,
    ],
    ['words of the model first', text.replace('user', 'assistant'), false],
    ['nothing', '', false],
  ])('detects a file by %s', (_, file, is) => {
    expect(takes(clawdbot, 'x.jsonl', file)).toBe(is)
  })

  it('reads one chain of messages', () => {
    const read = readText(clawdbot, `${text}{"role":"user","content":7}\n`)
    expect(chain(read)).toEqual([
      [0, 'clawdbot/message', null],
      [1, 'clawdbot/message', 0],
    ])
    expect(read.readings[0]).toEqual({
      time: Date.parse('2025-01-27T03:30:00.000Z'),
      entry: {
        type: 'clawdbot/message',
        parent: null,
        body: { role: 'user', content: 'What is a neap tide?' },
      },
    })
    expect([read.reader.active(), read.reader.facts()]).toEqual([1, {}])
    expect(clawdbot.view('message', { role: 'assistant', content: 'x' })).toEqual({
      role: 'assistant',
      blocks: [{ kind: 'text', text: 'x' }],
    })
    expectStable(clawdbot, text)
  })
})
