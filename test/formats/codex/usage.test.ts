import { expect, it } from 'vitest'
import { totalIn } from '../../../src/formats/codex/read.ts'
import type { JsonObject } from '../../../src/model/json.ts'
import { read } from './rollout.ts'

const counted = (input_tokens: number, cached_input_tokens: number, output_tokens: number): JsonObject => ({
  type: 'token_count',
  info: { total_token_usage: { input_tokens, cached_input_tokens, output_tokens, total_tokens: 1 } },
})

it.each([
  ['what was read from the cache off what went in', counted(10, 4, 3), { input: 6, output: 3, cacheRead: 4 }],
  ['no less than nothing', counted(1, 4, 3), { input: 0, output: 3, cacheRead: 4 }],
  ['nothing of limits alone', { type: 'token_count', info: null }, undefined],
  ['nothing of other events', { ...counted(1, 1, 1), type: 'agent_message' }, undefined],
])('returns %s', (_, event, usage) => {
  expect(totalIn(event as JsonObject)).toEqual(usage)
})

it('reports the last total of a thread, and makes no entry of it', () => {
  const event = (payload: JsonObject): JsonObject => ({ type: 'event_msg', payload })
  const { readings, reader } = read([
    event(counted(10, 4, 3)),
    event(counted(20, 8, 6)),
    event({ type: 'token_count', info: null }),
  ])
  expect(reader.facts().usage).toEqual({ input: 12, output: 6, cacheRead: 8 })
  expect(readings.filter(({ entry }) => entry)).toEqual([])
})
