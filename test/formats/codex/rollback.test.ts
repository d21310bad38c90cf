import { expect, test } from 'vitest'
import { codex } from '../../../src/formats/codex/index.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'
import type { Json } from '../../../src/model/json.ts'
import {
  assistant,
  chainOf,
  context,
  environment,
  item,
  line,
  message,
  meta,
  oidsOf,
  read,
  rollback,
  unit,
  user,
} from './rollout.ts'

const call = (id: string): Json =>
  item({ type: 'function_call', call_id: id, name: 'shell', arguments: '{}' })
const output = (id: string): Json => item({ type: 'function_call_output', call_id: id, output: 'ok' })

test('after a rollback the conversation forks before the first turn rolled back', () => {
  const lines = [
    meta(),
    environment(),
    user('1'),
    assistant('a'),
    user('2'),
    assistant('b'),
    rollback(1),
    user('3'),
  ]
  const { readings, reader } = read(lines)
  expect(chainOf(readings)).toEqual([
    '1 message <- ',
    '2 message <- 1',
    '3 message <- 2',
    '4 message <- 3',
    '5 message <- 4',
    '7 message <- 3',
  ])
  expect(readings[6]).toEqual({ time: 1767323040000 })
  expect(reader.active()).toBe(7)
})

test('a rollback at the end of the file moves the active leaf', () => {
  expect(read([user('1'), assistant('a'), user('2'), rollback(1)]).reader.active()).toBe(1)
  expect(read([user('1'), assistant('a'), user('2'), rollback(9)]).reader.active()).toBeNull()
})

test('a message sent while the turn runs counts as a turn, as in Codex', () => {
  expect(read([user('1'), call('c'), user('also'), output('c'), rollback(1)]).reader.active()).toBe(1)
})

test('a rollback takes the context written for the turn along, and the model it set', () => {
  const lines = [
    context('a'),
    user('1'),
    assistant('x'),
    message('developer', '<model_switch>'),
    context('b'),
    user('2'),
    rollback(1),
    context('b'),
    user('3'),
  ]
  const { readings } = read(lines)
  expect(chainOf(readings).slice(-2)).toEqual(['7 turn_context <- 2', '8 message <- 7'])
})

test('the same prompt after a rollback is the same entry', () => {
  const { readings } = read([user('1'), assistant('a'), user('2'), rollback(1), user('2')])
  const oids = oidsOf(readings)
  expect(oids[3]).toBe(oids[2])
})

test('a compaction continues the chain, and a rollback goes back beyond it', () => {
  const compacted = line('compacted', { message: 's', window_id: 'w' })
  const lines = [user('1'), assistant('a'), user('2'), compacted, assistant('b'), rollback(1), user('3')]
  const { readings } = read(lines)
  expect(chainOf(readings)).toEqual([
    '0 message <- ',
    '1 message <- 0',
    '2 message <- 1',
    '3 compacted <- 2',
    '4 message <- 3',
    '6 message <- 1',
  ])
  expect(readings[3]?.entry?.body).toEqual({ type: 'compacted', payload: { message: 's' } })
})

test.each<[Json]>([[0], [-1], [null], ['1'], [new Verbatim('-0')]])(
  'a rollback of %j turns moves nothing',
  (turns) => {
    const reader = codex.reader('x.jsonl')
    for (const value of [user('1'), user('2'), rollback(turns)]) reader.read({ ...unit('{}'), value })
    expect(reader.active()).toBe(1)
  },
)
