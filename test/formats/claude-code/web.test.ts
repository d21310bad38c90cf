import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { claudeWeb } from '../../../src/formats/claude-code/index.ts'
import { chain, readText, takes } from '../read.ts'

const text = readFileSync(new URL('../../fixtures/claude/web.json', import.meta.url), 'utf8')

describe('a session from the web page of Claude Code', () => {
  it.each([
    ['its beginning', text, true],
    ['its beginning on one line', '{"loglines":[]}', true],
    ['a list of another name', '{"lines":[]}', false],
    ['no list', '{"loglines":1}', false],
  ])('is detected by %s', (_, file, is) => {
    expect(takes(claudeWeb, 'x.json', file)).toBe(is)
  })

  it('is one chain of messages', () => {
    const { readings, reader } = readText(claudeWeb, text)
    expect(chain({ readings, reader })).toEqual([
      [0, 'claude-web/user', null],
      [1, 'claude-web/assistant', 0],
      [2, 'claude-web/user', 1],
      [4, 'claude-web/assistant', 2],
    ])
    expect(readings[0]).toMatchObject({
      time: Date.parse('2026-03-05T09:00:00Z'),
      entry: { body: { type: 'user', message: { role: 'user', content: 'When is high water?' } } },
    })
    expect(reader.active()).toBe(4)
    expect(reader.facts()).toEqual({ id: '5d0c0b7e-2f6a-4b8c-9d7e-1a2b3c4d5e6f', cwd: '/home/ada/tides' })
    expect(claudeWeb.view('user', readings[2]?.entry?.body ?? null).blocks).toEqual([
      { kind: 'toolResult', id: 't1', text: '17:20', error: false },
    ])
  })

  it('returns the whole records of a document that was cut off', () => {
    const cut = text.slice(0, text.indexOf('"subtype"'))
    expect(chain(readText(claudeWeb, cut)).map(([at]) => at)).toEqual([0, 1, 2])
  })
})
