import { expect, it } from 'vitest'
import { KnownFormat, type KnownRecords, UnknownCounter, words } from '../../../src/formats/core/known.ts'
import { FORMATS } from '../../../src/formats/registry.ts'
import type { Json, JsonObject } from '../../../src/model/json.ts'
import type { UnknownNames } from '../../../src/model/unknownnames.ts'
import { parseJson } from '../../../src/model/value.ts'

const LAMP: KnownRecords = {
  written: '1.2',
  types: { type: ['on', 'off'], 'message.content.type': ['text'], 'message.content.mode': ['warm'] },
  fields: { '': words('type id message'), message: ['role'], 'message.content': words('type text mode') },
  document: { fields: { '': words('title lamps'), place: ['room'] } },
}
const READ = [['message.content[].color', 'message.model', 'shade', 'wall.color', '*']]

function unknownIn(values: readonly Json[], enclosing?: JsonObject): UnknownNames | undefined {
  const counter = new UnknownCounter(new KnownFormat(LAMP, READ))
  for (const [i, value] of values.entries())
    counter.take({
      ...{ line: i + 1, bytes: new Uint8Array(0), lead: 0, salvaged: false, value },
      ...(i === 0 && enclosing && { enclosing }),
    })
  return counter.found
}

it('knows what is declared, and what is read', () => {
  const content = [{ type: 'text', text: 'x', mode: 'warm', color: { any: 1 } }]
  const value = { type: 'on', id: 1, message: { role: 'x', model: 'y', content }, shade: { any: 1 } }
  expect(unknownIn([value, 7, null, [value], 'text'])).toBeUndefined()
})

it('counts types and fields that are not known, wherever they are, in the order of their names', () => {
  const content = [
    { type: 'sound', volume: 7 },
    { type: 'text', mode: 'cold' },
    { type: 'text', size: 1 },
  ]
  expect(
    unknownIn([
      { type: 'dim', level: 7 },
      { type: 'on', level: 7, bulb: 1, message: { content, tone: 1 } },
      { type: 'on', level: 7, message: { content: { type: 'sound' } } },
      { level: 7 },
    ]),
  ).toEqual({
    types: [
      ['dim', 1],
      ['message.content.mode/cold', 1],
      ['message.content/sound', 2],
    ],
    fields: [
      ['bulb', 1],
      ['level', 3],
      ['message.content.size', 1],
      ['message.tone', 1],
    ],
  })
})

it('takes a list in a list for data, however deep', () => {
  const nested = (levels: number): Json =>
    parseJson(`${'['.repeat(levels)}{"type":"dim"}${']'.repeat(levels)}`, true)?.value ?? null
  for (const levels of [2, 300, 1000]) expect(unknownIn([nested(levels)])).toBeUndefined()
  expect(unknownIn([nested(1)])?.types).toEqual([['dim', 1]])
})

it('looks into the document around the records, once', () => {
  const enclosing = { title: 'x', lamps: [], plug: 1, place: { room: 1, floor: 2 } }
  expect(unknownIn([{ type: 'on' }, { type: 'on' }], enclosing)?.fields).toEqual([
    ['document.place.floor', 1],
    ['document.plug', 1],
  ])
})

it('takes names of methods of objects for names', () => {
  const value = parseJson('{"type":"constructor"}')?.value as Json
  const verbatim = parseJson('{"type":"on","message":{"toString":1,"__proto__":3}}')?.value as Json
  expect(unknownIn([value])?.types).toEqual([['constructor', 1]])
  expect(unknownIn([verbatim])?.fields).toEqual([['message.toString', 1]])
  expect(unknownIn([{ toString: 1, constructor: 2 }])?.fields).toEqual([
    ['constructor', 1],
    ['toString', 1],
  ])
})

it('keeps 50 names and counts the others, as it does what is too long for a name', () => {
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`lamp${i}`, 1]))
  const found = unknownIn([many, { lamp1: 1, lamp69: 1, ['x'.repeat(65)]: 1 }])
  expect(found?.fields).toHaveLength(50)
  expect(found?.fields.find(([name]) => name === 'lamp1')).toEqual(['lamp1', 2])
  expect(found?.more).toBe(22)
})

it('keeps names that are well-formed', () => {
  expect(unknownIn([{ '\ud800': 1 }])?.fields).toEqual([['\ufffd', 1]])
})

it('leaves out names that are known by now', () => {
  const counted = unknownIn([
    { type: 'on', level: 7, message: { content: [{ type: 'sound' }, { mode: 'cold' }] } },
    { type: 'dim' },
  ]) as UnknownNames
  const next: KnownRecords = {
    written: '1.3',
    types: {
      type: ['on', 'off', 'dim'],
      'message.content.type': ['text', 'sound'],
      'message.content.mode': [],
    },
    fields: { '': words('type id message level') },
    document: { fields: { '': ['title'] } },
  }
  expect(new KnownFormat(next).without({ ...counted, more: 3 })).toEqual({
    types: [['message.content.mode/cold', 1]],
    fields: [],
    more: 3,
  })
  expect(
    new KnownFormat(next).without({
      types: [],
      fields: [
        ['document.title', 1],
        ['document.x', 2],
      ],
    }).fields,
  ).toEqual([['document.x', 2]])
})

it('counts nothing of a format that may have anything', () => {
  const counter = new UnknownCounter(undefined)
  counter.take({ line: 1, bytes: new Uint8Array(0), lead: 0, salvaged: false, value: { lamp: 1 } })
  expect(counter.found).toBeUndefined()
})

/** The formats of anything, of sess itself, and of files beside sessions. */
const ANY = new Set(['sess', 'jsonl', 'json', 'bytes', 'aider'])

it('is declared of each format of an agent', () => {
  const without = FORMATS.map(({ name, load }) => ({ name, format: load() }))
    .filter(({ name, format }) => format.conversational && !format.known && !ANY.has(name))
    .map(({ name }) => name)
  expect(without).toEqual([])
})
