import { describe, expect, it } from 'vitest'
import { callsOf, tokensOf, weightOf } from '../../src/model/tokens.ts'
import type { Block, View } from '../../src/model/view.ts'

const say = (...blocks: readonly Block[]): View => ({ role: 'assistant', blocks })
const call: Block = { kind: 'toolCall', id: 'a-long-id', name: 'bash', input: { command: 'ls' } }

describe('tokensOf', () => {
  it('is a quarter of the characters, rounded up once an entry', () => {
    expect([0, 1, 4, 5].map((n) => tokensOf(say({ kind: 'text', text: 'x'.repeat(n) })))).toEqual([
      0, 1, 1, 2,
    ])
    expect(tokensOf(say({ kind: 'text', text: 'ab' }, { kind: 'thinking', text: 'cd' }))).toBe(1)
    expect(tokensOf(say({ kind: 'text', text: '🌊' }))).toBe(1)
  })

  it('counts names and arguments of calls, texts of results, and images', () => {
    expect(tokensOf(say(call))).toBe(('bash'.length + '{"command":"ls"}'.length) / 4)
    expect(tokensOf(say({ kind: 'toolResult', id: 'x', name: 'bash', text: 'abcdefgh', error: false }))).toBe(
      2,
    )
    expect(tokensOf(say({ kind: 'image', mediaType: 'image/png', bytes: 9 }))).toBe(1200)
  })

  it('counts a summary where nothing else is said', () => {
    const none: View = { role: null, blocks: [] }
    expect(tokensOf({ ...none, effect: { kind: 'compaction', summary: 'abcdefgh' } })).toBe(2)
    expect(tokensOf({ ...none, effect: { kind: 'summary', text: 'abcd' } })).toBe(1)
    expect(tokensOf({ ...none, effect: { kind: 'compaction' } })).toBe(0)
    expect(
      tokensOf({ ...say({ kind: 'text', text: 'ab' }), effect: { kind: 'summary', text: 'abcdefgh' } }),
    ).toBe(1)
  })
})

it('counts calls', () => {
  expect(callsOf(say({ kind: 'text', text: 'go' }, call, call))).toBe(2)
  expect(weightOf(say(call))).toEqual({ calls: 1, tokens: 5, prompts: 0, texts: 0 })
})

describe('the weight of an entry counts words', () => {
  const words = (view: View) => {
    const { prompts, texts } = weightOf(view)
    return { prompts, texts }
  }
  const text = (said: string) => say({ kind: 'text', text: said })

  it('of the user as a prompt and a text', () => {
    expect(words({ ...text('go on'), role: 'user' })).toEqual({ prompts: 1, texts: 1 })
  })

  it('of the model as a text', () => {
    expect(words({ ...text('done'), role: 'assistant' })).toEqual({ prompts: 0, texts: 1 })
  })

  it('of agents in the name of the user, blanks and results of tools as neither', () => {
    const none = { prompts: 0, texts: 0 }
    expect(words({ ...text('a reminder'), role: 'user', aside: true })).toEqual(none)
    expect(words({ ...text('<environment>x</environment>'), role: 'user' })).toEqual(none)
    expect(words({ ...text(' \n'), role: 'assistant' })).toEqual(none)
    expect(words({ ...text('total 0'), role: 'tool' })).toEqual(none)
  })
})
