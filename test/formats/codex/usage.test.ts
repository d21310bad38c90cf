import { describe, expect, it } from 'vitest'
import { counter, totalIn } from '../../../src/formats/codex/counter.ts'
import type { Inherited } from '../../../src/formats/core/format.ts'
import type { JsonObject } from '../../../src/model/json.ts'
import { read } from './rollout.ts'

const tokens = (input_tokens: number, cached_input_tokens = 0, output_tokens = 0): JsonObject => ({
  ...{ input_tokens, cached_input_tokens, output_tokens, total_tokens: input_tokens + output_tokens },
})

const counted = (total: JsonObject, last?: JsonObject): JsonObject => ({
  type: 'token_count',
  info: { total_token_usage: total, ...(last && { last_token_usage: last }) },
})

it.each([
  [
    'what was read from the cache off what went in',
    counted(tokens(10, 4, 3)),
    { input: 6, output: 3, cacheRead: 4 },
  ],
  [
    'what was written to the cache off what went in',
    counted({ ...tokens(10, 4, 3), cache_write_input_tokens: 5 }),
    { input: 1, output: 3, cacheRead: 4, cacheWrite: 5 },
  ],
  ['no less than nothing', counted(tokens(1, 4, 3)), { input: 0, output: 3, cacheRead: 4 }],
  ['nothing of limits alone', { type: 'token_count', info: null }, undefined],
  ['nothing of other events', { ...counted(tokens(1, 1, 1)), type: 'agent_message' }, undefined],
])('returns %s', (_, event, usage) => {
  expect(totalIn(event as JsonObject)).toEqual(usage)
  expect(counter({ type: 'event_msg', payload: event })).toEqual(usage)
  expect(counter({ type: 'response_item', payload: event })).toBeUndefined()
})

const AT = '2026-09-01T10:00:00.000Z'
const later = (seconds: number): string => new Date(Date.parse(AT) + seconds * 1000).toISOString()

const meta = (more: JsonObject = {}): JsonObject => ({
  ...{ timestamp: AT, type: 'session_meta', payload: { id: 'own', timestamp: AT, ...more } },
})
const event = (payload: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ timestamp: later(60), type: 'event_msg', payload },
  ...more,
})
const call = (response_id: string, usage: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{
    timestamp: later(60),
    type: 'token_usage_record',
    payload: { thread_id: 'own', response_id, usage, ...more },
  },
})
const says = (text: string): JsonObject => ({
  ...{ timestamp: later(60), type: 'response_item' },
  payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
})

/** Returns the input of each increment that lines make. */
const steps = (lines: readonly JsonObject[], inherited?: Inherited): (number | undefined)[] =>
  read(lines, 'x.jsonl', inherited).readings.flatMap(({ usage }) => (usage ? [usage.input] : []))

describe('a rollout', () => {
  it('reports what each count adds to the one before, and nothing of one that is repeated', () => {
    const { readings } = read([
      meta(),
      says('one'),
      event(counted(tokens(10, 4, 3), tokens(10, 4, 3))),
      event(counted(tokens(10, 4, 3), tokens(10, 4, 3))),
      event({ type: 'token_count', info: null }),
      says('two'),
      event(counted(tokens(30, 14, 5), tokens(20, 10, 2))),
    ])
    expect(readings.flatMap(({ usage }) => usage ?? [])).toEqual([
      { input: 6, output: 3, cacheRead: 4 },
      { input: 10, output: 2, cacheRead: 10 },
    ])
    expect(readings.filter(({ entry }) => entry)).toHaveLength(2)
  })

  it('counts the last call where the total falls', () => {
    const lines = [meta(), says('one'), event(counted(tokens(100))), event(counted(tokens(40), tokens(15)))]
    expect(steps(lines)).toEqual([100, 15])
    expect(steps([...lines, event(counted(tokens(30)))])).toEqual([100, 15, 30])
    expect(steps([...lines, event(counted(tokens(30), tokens(31)))])).toEqual([100, 15, 30])
  })

  it('adds what is counted before its first entry to the next count', () => {
    expect(steps([meta(), event(counted(tokens(7))), says('one'), event(counted(tokens(9)))])).toEqual([9])
  })

  it('begins with the total of its base', () => {
    const lines = [
      meta({ history_base: { thread_id: 'a' } }),
      says('one'),
      event(counted(tokens(220), tokens(110))),
    ]
    expect(steps(lines, { counter: { input: 100 } })).toEqual([120])
    // Of a base that is not known, the last call tells.
    expect(steps(lines)).toEqual([110])
  })

  it('counts the record of a call and the event of it once, in either order', () => {
    const [one, two] = [tokens(10), tokens(20)]
    const first = [
      call('r1', one),
      event(counted(one, one)),
      call('r2', two),
      event(counted(tokens(30), two)),
    ]
    const second = [
      event(counted(one, one)),
      call('r1', one),
      event(counted(tokens(30), two)),
      call('r2', two),
    ]
    expect(steps([meta(), says('one'), ...first])).toEqual([10, 20])
    expect(steps([meta(), says('one'), ...second])).toEqual([10, 20])
    expect(steps([meta(), says('one'), call('r1', one), call('r1', one), call('r2', two)])).toEqual([10, 20])
  })

  it('counts calls that events leave out, and records that begin within the file', () => {
    const lines = [
      ...[meta(), says('one'), event(counted(tokens(100), tokens(100)))],
      ...[call('r1', tokens(20)), event(counted(tokens(120), tokens(20)))],
      // A compaction.
      ...[call('r2', tokens(50)), event(counted(tokens(120), tokens(0)))],
      ...[call('r3', tokens(5)), event(counted(tokens(125), tokens(5)))],
    ]
    expect(steps(lines)).toEqual([100, 20, 50, 5])
  })

  it('counts no call of another thread', () => {
    expect(steps([meta(), says('one'), call('r1', tokens(20), { thread_id: 'other' })])).toEqual([])
  })
})

describe("a sub-agent's rollout", () => {
  const subagent = { thread_source: 'subagent', parent_thread_id: 'caller' }

  it('counts nothing of what it copies, by ordinals', () => {
    const lines = [
      meta({ ...subagent, subagent_history_start_ordinal: 4 }),
      says('one'),
      event(counted(tokens(100), tokens(100)), { ordinal: 2 }),
      event(counted(tokens(130), tokens(30)), { ordinal: 3 }),
      event(counted(tokens(150), tokens(20)), { ordinal: 5 }),
    ]
    expect(steps(lines)).toEqual([20])
  })

  it('counts nothing of what it copies, by times', () => {
    const lines = [
      meta(subagent),
      says('one'),
      event(counted(tokens(100), tokens(100)), { timestamp: later(-600) }),
      event(counted(tokens(150), tokens(20))),
    ]
    expect(steps(lines)).toEqual([50])
    const atOnce = [
      meta(subagent),
      { ...meta({ id: 'caller' }), timestamp: later(0.01) },
      says('one'),
      event(counted(tokens(100), tokens(100)), { timestamp: later(0.02) }),
      event(counted(tokens(120), tokens(20))),
    ]
    expect(steps(atOnce)).toEqual([20])
  })

  it('counts a counter of its own that outgrows the one that it copies', () => {
    const lines = [
      meta({ ...subagent, subagent_history_start_ordinal: 4 }),
      says('one'),
      event(counted(tokens(100), tokens(100)), { ordinal: 2 }),
      event(counted(tokens(150), tokens(150)), { ordinal: 5 }),
      event(counted(tokens(150), tokens(150)), { ordinal: 6 }),
      event(counted(tokens(180), tokens(30)), { ordinal: 7 }),
    ]
    expect(steps(lines)).toEqual([150, 30])
  })

  it('counts its own calls, whether its counter begins at zero or goes on', () => {
    expect(steps([meta(subagent), says('one'), event(counted(tokens(20), tokens(20)))])).toEqual([20])
    expect(steps([meta(subagent), says('one'), event(counted(tokens(900), tokens(20)))])).toEqual([20])
  })
})
