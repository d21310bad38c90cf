import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { codex } from '../../../src/formats/codex/index.ts'
import { short } from '../../../src/model/encoding/oid.ts'
import { isObject } from '../../../src/model/json.ts'
import { chainOf, ID, oidsOf } from './rollout.ts'

function readFixture(name: string) {
  const bytes = readFileSync(new URL(`../../fixtures/codex/${name}`, import.meta.url))
  const splitter = codex.splitter()
  const units = [...splitter.push(bytes), ...splitter.end().units]
  const reader = codex.reader(name)
  const lines = units.flatMap((unit) => (isObject(unit.value) ? [unit.value] : []))
  const detected = codex.detect({ name, head: bytes, lines, whole: true })
  const readings = units.map((unit) => reader.read(unit))
  return { detected, readings, reader, oids: oidsOf(readings) }
}

test.each(['turn.jsonl', 'fork.jsonl', 'long.jsonl', 'bare.jsonl', 'damaged.jsonl'])(
  '%s is a rollout',
  (name) => {
    expect(readFixture(name).detected).toBe(true)
  },
)

test('reading 1 has these oids, for ever', () => {
  const { oids, reader } = readFixture('turn.jsonl')
  expect(oids.map(short)).toEqual([
    'bdbd7e3d21',
    '6ee6d3f0be',
    '3d3a73b975',
    'c742f31d6f',
    '07e0705541',
    '144d550dd2',
    '8ed8983f9a',
    '82112868be',
  ])
  expect(reader.facts()).toEqual({
    id: ID,
    cwd: '/home/ada/engine',
    created: 1767323040000,
    version: '0.142.5',
  })
  expect(readFixture('long.jsonl').oids.map(short)).toEqual([
    '70c9d39aa4',
    '025c3038ad',
    '422be8d848',
    '94dac66da3',
    '87de06922c',
    '55899dcd9a',
    '5a02a52005',
    '0039ab3f01',
    '92195c8961',
    '5b2bc9ccf0',
  ])
  expect(readFixture('bare.jsonl').oids.map(short)).toEqual([
    '63f7c025a9',
    'ad243d2754',
    '2b22cfcde8',
    '0bf8ea458b',
    '2f65626b43',
  ])
})

test('a fork shares every entry of the history that it copied, and its context is not written again', () => {
  const [turn, fork] = [readFixture('turn.jsonl'), readFixture('fork.jsonl')]
  expect(fork.oids.slice(0, -1)).toEqual(turn.oids)
  expect(fork.reader.facts().id).toBe('0199a999-0000-7000-8000-000000000001')
})

test('rollback, abort and compactions', () => {
  const { readings, reader } = readFixture('long.jsonl')
  expect(chainOf(readings)).toEqual([
    '1 message <- ',
    '2 message <- 1',
    '3 message <- 2',
    '4 function_call <- 3',
    '7 message <- 2',
    '8 message <- 7',
    '9 compacted <- 8',
    '10 message <- 9',
    '11 compacted <- 10',
    '12 message <- 11',
  ])
  expect(reader.active()).toBe(12)
  expect(readings[11]?.entry?.body).toEqual({
    type: 'compacted',
    payload: {
      message: '',
      replacement_history: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'one' }] },
        { type: 'compaction', encrypted_content: 'gBBBB' },
      ],
    },
  })
})

test('the whole records of a damaged file are read', () => {
  const { readings } = readFixture('damaged.jsonl')
  const texts = readings.flatMap(({ entry }) => (entry ? codex.view('message', entry.body).blocks : []))
  expect(texts.map((block) => block.kind === 'text' && block.text.slice(0, 21))).toEqual([
    '<environment_context>',
    'how many cards are th',
  ])
})
