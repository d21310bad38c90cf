import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codex } from '../../../src/formats/codex/index.ts'
import { fill, subtract } from '../../../src/model/envelope.ts'
import { isObject, type Json, type JsonObject, jsonText } from '../../../src/model/json.ts'
import { parseJson } from '../../../src/model/value.ts'
import {
  assistant,
  chainOf,
  context,
  environment,
  event,
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

test('the conversation is one chain in file order; everything else is a record only', () => {
  const { readings, reader } = read([
    meta(),
    event({ type: 'task_started', turn_id: 't' }),
    message('developer', '<permissions instructions>'),
    environment(),
    line('world_state', { full: true, state: {} }),
    context('gpt-5', 'high'),
    user('do it'),
    event({ type: 'user_message', message: 'do it' }),
    item({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' }),
    call('c1'),
    event({ type: 'token_count', info: null }),
    output('c1'),
    item({ type: 'ghost_snapshot', ghost_commit: { id: 'g' } }),
    line('inter_agent_communication_metadata', { trigger_turn: true }),
    line('inter_agent_communication', {
      author: '/root',
      recipient: '/root/a',
      content: 'go',
      trigger_turn: true,
    }),
    assistant('done'),
    line('later_type', { content: 'x' }),
  ])
  expect(chainOf(readings)).toEqual([
    '2 message <- ',
    '3 message <- 2',
    '5 turn_context <- 3',
    '6 message <- 5',
    '8 reasoning <- 6',
    '9 function_call <- 8',
    '11 function_call_output <- 9',
    '14 inter_agent_communication <- 11',
    '15 message <- 14',
  ])
  expect(reader.active()).toBe(15)
  expect(readings[8]).toEqual({
    time: 1767323040000,
    native: 'rs_1',
    entry: {
      type: 'codex/reasoning',
      parent: 6,
      body: { type: 'response_item', payload: { type: 'reasoning', summary: [], encrypted_content: 'e' } },
    },
  })
  expect(readings[14]?.entry?.body).toEqual({
    type: 'inter_agent_communication',
    payload: { author: '/root', recipient: '/root/a', content: 'go' },
  })
})

test('a turn context is an entry where it changes the model or the effort, else a record only', () => {
  const { readings } = read([
    context('a', 'low'),
    user('1'),
    context('a', 'low'),
    context('a'),
    context('b'),
    context('b'),
  ])
  expect(chainOf(readings)).toEqual([
    '0 turn_context <- ',
    '1 message <- 0',
    '3 turn_context <- 1',
    '4 turn_context <- 3',
  ])
  expect(readings[0]?.entry?.body).toEqual({ type: 'turn_context', payload: { model: 'a', effort: 'low' } })
})

test('a turn context without a model is a record only', () => {
  expect(chainOf(read([line('turn_context', { effort: 'low' })]).readings)).toEqual([])
})

test('a call left without its output by an aborted turn stays on the chain', () => {
  const aborted = user('<turn_aborted>\nThe user interrupted.\n</turn_aborted>')
  const lines = [
    user('1'),
    call('c1'),
    event({ type: 'turn_aborted', reason: 'interrupted' }),
    aborted,
    user('2'),
  ]
  expect(chainOf(read(lines).readings)).toEqual([
    '0 message <- ',
    '1 function_call <- 0',
    '3 message <- 1',
    '4 message <- 3',
  ])
})

test('bare items of mid-2025 are entries at the top level', () => {
  const { readings, reader } = read([
    { id: 'own', timestamp: '2025-07-01T00:00:00.000Z', instructions: 'be kind' },
    { record_type: 'state' },
    { type: 'message', id: 'm_1', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { created_at: '2025-07-01T00:00:01Z', role: 'assistant', message: 'ho', model: 'm' },
    { type: 'later', content: 'x' },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'bye' }] },
  ])
  expect(chainOf(readings)).toEqual(['2 message <- ', '3 reasoning <- 2', '4 message <- 3', '6 message <- 4'])
  expect(readings[2]).toEqual({
    native: 'm_1',
    entry: {
      type: 'codex/message',
      parent: null,
      body: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    },
  })
  expect(readings[4]?.entry?.body).toEqual({ role: 'assistant', message: 'ho' })
  expect(readings[4]?.time).toBe(1751328001000)
  expect(reader.facts()).toEqual({ id: 'own', created: 1751328000000 })
})

test('lines that are no object, and bytes that are no value, are records without an entry', () => {
  const reader = codex.reader('x.jsonl')
  expect(
    ['{"torn', '[1]', '"x"', '{"type":"response_item","payload":"x"}'].map((text, i) =>
      reader.read(unit(text, i)),
    ),
  ).toEqual([{}, {}, {}, {}])
  expect(reader.read(unit(JSON.stringify(user('1')), 4)).entry?.parent).toBeNull()
  expect(reader.active()).toBe(4)
})

test('a payload kept as text is understood and taken whole', () => {
  const text =
    '{"type":"response_item","payload":{"type":"message","role":"user","role":"user","content":"hi"}}'
  const reading = codex.reader('x.jsonl').read(unit(text))
  expect(reading.entry?.type).toBe('codex/message')
  expect(codex.view('message', reading.entry?.body as Json)).toEqual({
    role: 'user',
    blocks: [{ kind: 'text', text: 'hi' }],
  })
})

test('7.0 and 7 are the same value, in a record as in a body', () => {
  const spelled = (number: string) =>
    `{"type":"response_item","payload":{"type":"local_shell_call","call_id":"c","action":{"timeout_ms":${number}}}}`
  const [a, b] = ['7.0', '7'].map((number) => codex.reader('x').read(unit(spelled(number))))
  expect(oidsOf([a as never])).toEqual(oidsOf([b as never]))
  const limits = '{"type":"event_msg","payload":{"type":"token_count","rate_limits":{"used_percent":7.0}}}'
  expect(codex.reader('x').read(unit(limits))).toEqual({})
})

const word = fc.constantFrom('a', 'b', 'c')
const anyLine: fc.Arbitrary<Json> = fc.oneof(
  word.map(user),
  word.map(assistant),
  word.map((text) => message('developer', text)),
  fc.constant(environment()),
  word.map((model) => context(model)),
  fc.tuple(word, word).map(([model, effort]) => context(model, effort)),
  word.map(call),
  word.map(output),
  fc.integer({ min: 0, max: 4 }).map(rollback),
  word.map((text) => line('compacted', { message: text, window_id: 'w' })),
  word.map((text) =>
    line('compacted', {
      message: '',
      replacement_history: [{ type: 'message', id: 'm', role: 'user', content: text }],
    }),
  ),
  word.map((text) => event({ type: 'agent_message', message: text })),
  fc.constant(meta()),
  fc.jsonValue().map((value) => item(value as Json)),
)

test('any prefix of a file has the same readings', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 30 }), fc.nat(30), (lines, cut) => {
      expect(read(lines.slice(0, cut)).readings).toEqual(read(lines).readings.slice(0, cut))
    }),
  )
})

/** Writes a line again as a copy does: another time, other ids of items and turns. */
function recopied(value: Json, position: number): Json {
  const copied = { ...(value as JsonObject), timestamp: `t${position}`, ordinal: position }
  const { payload } = value as JsonObject
  if (!isObject(payload) || payload.type !== 'message') return copied
  const passthrough = { turn_id: `t${position}`, create_time: position }
  return {
    ...copied,
    payload: { id: `m${position}`, ...payload, internal_chat_message_metadata_passthrough: passthrough },
  }
}

test('a copy with other times, other ids and its own header in front has the same entries', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 30 }), (lines) => {
      const copy = [meta('fork'), ...lines.map(recopied)]
      const [original, copied] = [read(lines).readings, read(copy).readings]
      expect(oidsOf(copied)).toEqual(oidsOf(original))
      expect(copied.slice(1).map((reading) => reading.entry?.parent)).toEqual(
        original.map(({ entry }) => (entry && entry.parent !== null ? entry.parent + 1 : entry?.parent)),
      )
    }),
  )
})

test('a parent is an entry before its child, and the active leaf is an entry', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 30 }), (lines) => {
      const { readings, reader } = read(lines)
      readings.forEach(({ entry }, i) => {
        if (!entry || entry.parent === null) return
        expect(entry.parent).toBeLessThan(i)
        expect(readings[entry.parent]?.entry).toBeDefined()
      })
      const active = reader.active()
      if (active !== null) expect(readings[active]?.entry).toBeDefined()
    }),
  )
})

test('a line comes back from its envelope and its body', () => {
  fc.assert(
    fc.property(anyLine, (value) => {
      const source = parseJson(JSON.stringify(value), true)?.value as Json
      const body = codex.reader('x').read({ ...unit('{}'), value: source }).entry?.body
      expect(jsonText(fill(subtract(source, body), body))).toBe(jsonText(source))
    }),
  )
})
