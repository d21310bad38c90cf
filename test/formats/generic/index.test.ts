import { describe, expect, it } from 'vitest'
import type { Format, FormatReader, Reading } from '../../../src/formats/core/format.ts'
import type { Sample } from '../../../src/formats/core/sample.ts'
import {
  genericDocument,
  genericLines,
  holdsConversation,
  opaque,
} from '../../../src/formats/generic/index.ts'
import { isObject } from '../../../src/model/json.ts'
import { tryParse } from '../../../src/model/value.ts'

const utf8 = new TextEncoder()

function sampleOf(name: string, text: string, whole = true): Sample {
  const complete = text.split('\n').slice(0, -1)
  const lines = complete.flatMap((line) => tryParse(line) ?? []).filter(isObject)
  return { name, head: utf8.encode(text), lines, whole }
}

function read(
  format: Format,
  text: string,
): { readings: Reading[]; reader: FormatReader; values: unknown[] } {
  const splitter = format.splitter()
  const units = [...splitter.push(utf8.encode(text)), ...splitter.end().units]
  const reader = format.reader('x')
  return { readings: units.map((unit) => reader.read(unit)), reader, values: units.map((unit) => unit.value) }
}

const CHAT = '{"role":"user","content":"hi"}\n{"role":"assistant","content":"ho"}\n'

describe('genericLines', () => {
  it('makes every value an entry of one chain, taken whole', () => {
    const { readings, reader, values } = read(
      genericLines,
      '{"type":"session","id":"s1","title":"T","cwd":"/w","timestamp":"1970-01-01T00:00:01Z"}\nnope\n[1]\n{"id":"m1","text":"x","ts":2000000000}',
    )
    expect(readings.map(({ entry, ...rest }) => [entry && { ...entry, body: undefined }, rest])).toEqual([
      [
        { type: 'jsonl/record', body: undefined, parent: null },
        { time: 1000, native: 's1' },
      ],
      [undefined, {}],
      [{ type: 'jsonl/record', body: undefined, parent: 0 }, {}],
      [
        { type: 'jsonl/record', body: undefined, parent: 2 },
        { time: 2000000000000, native: 'm1' },
      ],
    ])
    for (const [i, { entry }] of readings.entries()) expect(entry?.body).toBe(values[i])
    expect(reader.active()).toBe(3)
    expect(reader.facts()).toEqual({ id: 's1', title: 'T', cwd: '/w', created: 1000 })
  })

  it('is nowhere before it has read an entry', () => {
    const { reader } = read(genericLines, 'nope\n')
    expect([reader.active(), reader.facts()]).toEqual([null, {}])
  })

  it.each<[string, string, boolean]>([
    ['a.jsonl', CHAT, true],
    ['a.ndjson', 'garbage\n{"a":1}\n', true],
    ['a.jsonl', '{"a":1}', true],
    ['a.jsonl', 'garbage', false],
    ['a.jsonl', '', false],
    ['a.txt', CHAT, true],
    ['a.txt', '{"a":1}\n', false],
    ['a.json', '{"a":1}\n', false],
    ['a.json', '[\n{"a":1},\n{"b":2}\n]\n', false],
    ['a.json', '{\n"a":[\n{"b":1}\n,{"b":1}\n]}\n', false],
  ])('takes %s with %j: %j', (name, text, taken) => {
    expect(genericLines.detect(sampleOf(name, text))).toBe(taken)
  })
})

describe('genericDocument', () => {
  it('makes every element an entry and reads the session from the fields before them', () => {
    const source = {
      sessionId: 's',
      title: 'T',
      startTime: '1970-01-01T00:00:01Z',
      messages: [{ id: 'a' }, { id: 'b' }],
    }
    for (const indent of [undefined, 2]) {
      const { readings, reader } = read(genericDocument, JSON.stringify(source, null, indent))
      expect(readings.map(({ entry, native }) => [entry?.type, entry?.body, entry?.parent, native])).toEqual([
        ['json/record', { id: 'a' }, null, 'a'],
        ['json/record', { id: 'b' }, 0, 'b'],
      ])
      expect(reader.facts()).toEqual({ id: 's', title: 'T' })
      expect(reader.active()).toBe(1)
    }
  })

  it('reads the session of a list two levels down', () => {
    const { reader } = read(genericDocument, '{"cwd":"/w","data":{"items":[{"sessionID":"s"}]}}')
    expect(reader.facts()).toEqual({ id: 's', cwd: '/w' })
  })

  it('makes a document without a list one entry', () => {
    const { readings } = read(genericDocument, '{"id":"x","n":[1]}')
    expect(readings.map(({ entry }) => entry)).toEqual([
      { type: 'json/record', body: { id: 'x', n: [1] }, parent: null },
    ])
  })

  it.each<[string, string, boolean, boolean]>([
    ['a.json', '{"a":1', true, true],
    ['a.json', ' [1]', true, true],
    ['a.json', 'x', true, false],
    ['a', '{"a":1}', true, true],
    ['a', '{"a":1', true, false],
    ['a', '{"a":1}', false, false],
    ['a', '"x"', true, false],
  ])('takes %s with %j (whole: %j): %j', (name, text, whole, taken) => {
    expect(genericDocument.detect(sampleOf(name, text, whole))).toBe(taken)
  })
})

describe('holdsConversation', () => {
  it.each<[string, boolean]>([
    [CHAT, true],
    ['{"type":"x","message":{"role":"user","content":[{"type":"text","text":"hi"}]}}\n', true],
    ['{\n  "messages": [\n    {\n      "role": "user",\n', true],
    ['[{"type": "gemini", "content": "x"}]', true],
    ['{"name":"x","dependencies":{"role":"^1"}}', false],
    ['{"level":"info","message":"started"}\n{"level":"warn","message":"{\\"role\\":\\"user\\"}"}\n', false],
    ['SQLite "role":"user"', false],
    ['', false],
  ])('of %j is %j', (text, holds) => {
    expect(holdsConversation(sampleOf('x', text))).toBe(holds)
  })
})

it('guesses what its entries mean', () => {
  const body = { role: 'user', content: 'hi' }
  for (const format of [genericLines, genericDocument])
    expect(format.view('record', body)).toEqual({ role: 'user', blocks: [{ kind: 'text', text: 'hi' }] })
})

it('takes everything and understands nothing', () => {
  expect(opaque.detect({ name: '', head: new Uint8Array(), lines: [], whole: true })).toBe(true)
  const reader = opaque.reader('x')
  expect(reader.read({ line: 1, bytes: Uint8Array.of(1), lead: 0, salvaged: false })).toEqual({})
  expect([reader.active(), reader.facts(), opaque.view('x', { role: 'user' })]).toEqual([
    null,
    {},
    { role: null, blocks: [] },
  ])
})
