import { expect, it } from 'vitest'
import { native } from '../../../src/formats/sess.ts'
import type { Json } from '../../../src/model/json.ts'

const view = (kind: string, body: Json) => native.view(kind, body)

it("returns the usage of a message and a summary, the cost as a number or in pi's form", () => {
  const usage = { input: 10, output: 5, cost: 0.25, call: 'call-1', other: 'x' }
  const reported = { input: 10, output: 5, cost: 0.25, call: 'call-1' }
  expect(view('message', { role: 'assistant', content: 'Hi', usage })).toEqual({
    role: 'assistant',
    blocks: [{ kind: 'text', text: 'Hi' }],
    usage: reported,
  })
  expect(view('compaction', { summary: 's', usage }).usage).toEqual(reported)
  expect(view('branch_summary', { summary: 's', usage: { cost: { total: 1 } } }).usage).toEqual({ cost: 1 })
  expect(
    view('message', { role: 'user', content: 'Hi', usage: { call: 'x', input: 'y' } }),
  ).not.toHaveProperty('usage')
  expect(view('message', { role: 'user', content: 'Hi' })).not.toHaveProperty('usage')
})
