import { describe, expect, it } from 'vitest'
import { callInput, fitCalls, textCall } from '../../../src/formats/core/callinput.ts'
import { WRITABLE } from '../../../src/formats/writable.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'
import { isObject, items, type Json, type JsonObject } from '../../../src/model/json.ts'
import { type DraftInput, drafted, writtenBy } from '../../support/draft.ts'

const PATCH =
  '*** Begin Patch\n*** Update File: "driver".c\n@@\n-pwm = 17;\n+pwm = 200; // \ud83d\udca1\n*** End Patch'

const item = (payload: JsonObject & { readonly type: string }): DraftInput => ({
  type: `codex/${payload.type}`,
  body: { type: 'response_item', payload },
})
const talk = (name: string, input: string): DraftInput[] => [
  item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it.' }] }),
  item({ type: 'custom_tool_call', call_id: 'c', name, input }),
  item({ type: 'custom_tool_call_output', call_id: 'c', output: 'Done.' }),
]

const call = (input: Json, name = 'apply_patch') => ({ kind: 'toolCall', id: 'c', name, input }) as const

/** Returns the arguments of all calls in a value, by the names under which formats have them. */
function argumentsIn(value: Json): Json[] {
  if (Array.isArray(value)) return items(value).flatMap(argumentsIn)
  if (!isObject(value)) return []
  const named = ['name', 'tool', 'toolName'].some((key) => typeof value[key] === 'string')
  const own = ['arguments', 'args', 'input'].flatMap((key) =>
    named && key in value ? [value[key] as Json] : [],
  )
  const { state } = value
  const inState = named && isObject(state) && state.input !== undefined ? [state.input] : []
  return [...own, ...inState, ...Object.values(value).flatMap(argumentsIn)]
}

/** Returns the values of a JSON document, of JSON lines, or of the JSON files in a bundle. */
function jsonIn(text: string): Json[] {
  try {
    return [JSON.parse(text) as Json]
  } catch {
    return text.split(/\n(?=\{)|(?<=\})(?=\{"file")/).map((part) => JSON.parse(part) as Json)
  }
}

/** The formats whose calls are no structures, and those that take texts. */
const TEXTS = new Set(['sess', 'codex', 'dash', 'jsonl', 'markdown', 'html'])

describe.each(WRITABLE.filter(({ name }) => !TEXTS.has(name)))('a session written as $name', ({ writer }) => {
  it('has an object as the arguments of a call whose input is a text, and reports it', async () => {
    for (const name of ['apply_patch', 'exec', 'lamp']) {
      const { text, losses } = await writtenBy(writer, drafted(talk(name, PATCH)))
      const found = argumentsIn(jsonIn(text))
      expect(found.length).toBeGreaterThan(0)
      for (const input of found) expect(isObject(input) && Object.values(input)).toEqual([PATCH])
      const [input] = found as [Json]
      const key = isObject(input) ? Object.keys(input).join() : ''
      expect(losses.filter(({ code }) => code === 'wrapped')).toMatchObject([{ subject: `${name}.${key}` }])
      expect(losses.filter(({ code }) => code === 'call')).toEqual([])
    }
  })

  it('has an object also where a compaction keeps the call', async () => {
    const compaction = { type: 'sess/compaction', body: { summary: 'All.' }, links: { firstKept: 0 } }
    const { text } = await writtenBy(writer, drafted([...talk('apply_patch', PATCH), compaction]))
    for (const input of argumentsIn(jsonIn(text))) expect(isObject(input)).toBe(true)
  })
})

it('takes objects as they are, and anything else as an argument', () => {
  const input = { a: 1 }
  expect(callInput(call(input))).toBe(input)
  const verbatim = new Verbatim('{"a":-0}')
  expect(callInput(call(verbatim))).toBe(verbatim)
  expect(callInput(call(null))).toEqual({})
  expect(callInput(call('x'))).toEqual({ input: 'x' })
  expect(callInput(call(['x']))).toEqual({ input: ['x'] })
  expect(callInput(call('{"a":1}'))).toEqual({ input: '{"a":1}' })
  expect(callInput(call('x'), { apply_patch: 'patchText' })).toEqual({ patchText: 'x' })
  expect(callInput(call('x', 'toString'), { apply_patch: 'patchText' })).toEqual({ input: 'x' })
  expect(callInput(call('x'), 'text')).toBe('x')
  expect(callInput(call(7), 'text')).toEqual({ input: 7 })
})

it('reports nothing where no arguments change', () => {
  const blocks = [call({ a: 1 }), { kind: 'text', text: 'x' }] as const
  expect(fitCalls(blocks)).toEqual({ blocks, wrapped: [] })
  expect(fitCalls(blocks).blocks).toBe(blocks)
  expect(fitCalls([call(null)])).toEqual({ blocks: [call({})], wrapped: [] })
})

it('finds the text of a call again only where a tool takes one and it is the only argument', () => {
  const tools = new Set(['apply_patch'])
  for (const key of ['input', 'patchText', 'patch'])
    expect(textCall(call({ [key]: PATCH }), tools)).toEqual(call(PATCH))
  for (const block of [
    call({ input: 'x', a: 1 }),
    call({ text: 'x' }),
    call({ input: 7 }),
    call({}),
    call('x'),
  ])
    expect(textCall(block, tools)).toBe(block)
  const other = call({ input: 'x' }, 'lamp')
  expect(textCall(other, tools)).toBe(other)
})
