import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aider, split } from '../../src/formats/aider.ts'
import type { Unit } from '../../src/formats/core/splitter.ts'
import { chain, readText, takes } from './read.ts'

const text = readFileSync(new URL('../fixtures/aider/.aider.chat.history.md', import.meta.url), 'utf8')
const utf8 = new TextEncoder()

function unitsOf(
  source: string,
  chunk = source.length || 1,
  limit?: number,
): { units: Unit[]; tail: string; torn: boolean } {
  const splitter = split(limit)
  const bytes = utf8.encode(source)
  const units: Unit[] = []
  for (let at = 0; at < bytes.length; at += chunk)
    units.push(...splitter.push(bytes.subarray(at, at + chunk)))
  const end = splitter.end()
  return {
    units: [...units, ...end.units],
    tail: Buffer.concat(end.tail).toString(),
    torn: end.torn ?? false,
  }
}

const bytesOf = ({ units, tail }: { units: Unit[]; tail: string }): string =>
  Buffer.concat(units.map(({ bytes }) => bytes)).toString() + tail

describe('the history of Aider', () => {
  it.each([
    ['a history', text, true],
    ['a chat within a file', 'x\n# aider chat started at 2026-01-01 00:00:00\n', true],
    ['a line that mentions one', 'say # aider chat started at 2026-01-01\n', false],
    ['nothing', '', false],
  ])('detects a file by %s', (_, file, is) => {
    expect(takes(aider, '.aider.chat.history.md', file)).toBe(is)
  })

  it('reads each chat from a root of its own; what Aider prints is no entry, but for tokens', () => {
    const read = readText(aider, text)
    expect(chain(read)).toEqual([
      [5, 'aider/message', null],
      [6, 'aider/message', 5],
      [7, 'aider/usage', 6],
      [9, 'aider/message', 7],
      [10, 'aider/message', 9],
      [11, 'aider/usage', 10],
      [17, 'aider/message', null],
    ])
    expect(read.readings[1]).toEqual({ time: Date.parse('2026-03-08T09:00:00Z') })
    const bodies = read.readings.flatMap(({ entry }) => (entry ? [entry.body] : []))
    expect(bodies).toEqual([
      { role: 'user', content: 'sum the table\n\nand say how', model: 'claude-x' },
      {
        role: 'assistant',
        content: 'I add them up:\n\n```python\nprint(1 + 2)\n```\n\n# Result\nIt is 3.',
      },
      { tokens: 'Tokens: 2.3k sent, 1,193 received. Cost: $0.0012 message, $0.01 session.' },
      { role: 'user', content: '/ask why' },
      { role: 'assistant', content: 'Because.' },
      { tokens: 'Tokens: 12 sent, 3 received.' },
      { role: 'user', content: 'sum the table\n\nand say how', model: 'gpt-x' },
    ])
    expect(read.reader.active()).toBe(17)
    expect(read.reader.facts()).toEqual({ created: Date.parse('2026-03-08T09:00:00Z') })
    expect(aider.reader('x.md').facts()).toEqual({})
  })

  it('reads a time that is none as no time', () => {
    const read = readText(aider, '# aider chat started at 2026-99-99 09:00:00\n')
    expect([read.readings, read.reader.active()]).toEqual([[{}], null])
  })

  it('keeps an answer in the tail until a blank line follows it, and a line until it ends', () => {
    expect(unitsOf('#### a  \n')).toMatchObject({ units: [], tail: '#### a  \n', torn: true })
    expect(unitsOf('#### a  \n\n')).toMatchObject({
      units: [{ value: { by: 'user' } }],
      tail: '\n',
      torn: false,
    })
    expect(unitsOf('> b\n')).toMatchObject({ units: [{ value: { by: 'tool' } }], tail: '', torn: false })
    expect(unitsOf('#### a  \n\nYes.\n')).toMatchObject({ units: [{}], tail: '\nYes.\n', torn: true })
    expect(unitsOf('#### a  \n\nYes.\n\n')).toMatchObject({ units: [{}, {}], tail: '\n', torn: false })
    expect(unitsOf('#### a  \n> Tok')).toMatchObject({ units: [], tail: '#### a  \n> Tok', torn: true })
  })

  it('splits a beginning as it splits the whole, unless an answer continues after a blank line', () => {
    const whole = unitsOf(text).units
    const [from, to] = [text.indexOf('I add them up'), text.indexOf('It is 3.')]
    const lengths = Array.from({ length: text.length }, (_, i) => i).filter((i) => i < from || i > to)
    const beginnings = lengths.map((length) => unitsOf(text.slice(0, length)).units)
    expect(beginnings).toEqual(beginnings.map((units) => whole.slice(0, units.length)))
  })

  it('keeps every byte, however it comes', () => {
    const line = fc.constantFrom(
      '# aider chat started at x',
      '#### a  ',
      '> b',
      '',
      '  ',
      'c',
      '#',
      '\r',
      'é',
    )
    const source = fc.array(line).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(source, fc.integer({ min: 1, max: 9 }), (file, chunk) => {
        const whole = unitsOf(file)
        expect(bytesOf(whole)).toBe(file)
        expect(unitsOf(file, chunk)).toEqual(whole)
      }),
    )
  })

  it('keeps unread what is too long, in parts', () => {
    const found = unitsOf(`#### a  \n${'x'.repeat(40)}\n\n`, 8, 16)
    expect(found.units.map(({ warning, line }) => [line, warning?.code])).toEqual([
      [1, undefined],
      [2, 'oversize'],
      [2, 'oversize'],
      [2, undefined],
    ])
    expect(bytesOf(found)).toBe(`#### a  \n${'x'.repeat(40)}\n\n`)
  })

  it('shows the speaker, the model, and the usage of a call', () => {
    expect(aider.view('message', { role: 'user', content: 'x', model: 'm' })).toEqual({
      role: 'user',
      blocks: [{ kind: 'text', text: 'x' }],
      sets: { model: { id: 'm' } },
    })
    const shown = (tokens: string) => aider.view('usage', { tokens })
    const line = 'Tokens: 2.3k sent, 1M cache write, 8 cache hit, 1,193 received. Cost: $0.0012 message.'
    expect(shown(line)).toEqual({
      role: null,
      blocks: [],
      usage: { input: 2300, output: 1193, cacheRead: 8, cacheWrite: 1000000, cost: 0.0012 },
      note: line,
    })
    expect(shown('Tokens: 12 sent, . received. Cost: $0.5 request').usage).toEqual({
      input: 12,
      output: 0,
      cost: 0.5,
    })
    expect(aider.view('other', {})).toEqual({ role: null, blocks: [] })
  })
})

it('shows the lines of a history from Windows without what ends them', () => {
  const crlf =
    '# aider chat started at 2026-01-01 00:00:00\r\n\r\n#### one  \r\n#### two  \r\n\r\nYes:\r\n\r\n- a\r\n\r\n'
  const { readings } = readText(aider, crlf, '.aider.chat.history.md')
  const texts = readings.flatMap(({ entry }) => (entry ? aider.view('message', entry.body).blocks : []))
  expect(texts).toEqual([
    { kind: 'text', text: 'one\ntwo' },
    { kind: 'text', text: 'Yes:\n\n- a' },
  ])
})
