import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CutItem, type CutPoint, cutAt, cutFor, cutItems } from '../../src/graph/cutpoint.ts'
import type { Block, View } from '../../src/model/view.ts'

const user: View = { role: 'user', blocks: [{ kind: 'text', text: 'abcd' }] }
const agent: View = { role: 'assistant', blocks: [{ kind: 'text', text: 'abcd' }] }
const call = (...ids: string[]): View => ({
  role: 'assistant',
  blocks: ids.map((id): Block => ({ kind: 'toolCall', id, name: 'x', input: {} })),
})
const result = (id: string): View => ({
  role: 'tool',
  blocks: [{ kind: 'toolResult', id, text: 'abcd', error: false }],
})
const summary: View = { role: null, blocks: [], effect: { kind: 'summary', text: 'abcd' } }
const answer = (name: string): View => ({ ...agent, usage: { call: name } })

const marks = (views: readonly View[]): string =>
  cutItems(views)
    .map(({ cuttable, opens }) => (cuttable ? (opens ? 'U' : 'a') : opens ? 'u' : '-'))
    .join('')

/** Pieces of so many tokens each, their kinds as `marks` writes them. */
const pieces = (kinds: string, tokens = 1): CutItem[] =>
  [...kinds].map((kind) => ({ tokens, cuttable: 'Ua'.includes(kind), opens: 'Uu'.includes(kind) }))

describe('Compaction selection: possible cuts', () => {
  it('is at messages of the user and the agent and at summaries, never at a tool result', () => {
    expect(marks([user, agent, call('1'), result('1'), summary, user])).toBe('Uaa-UU')
  })

  it('is not between a call and its result, even if they are apart', () => {
    expect(marks([user, call('1'), call('2'), result('1'), result('2'), agent])).toBe('Ua---a')
    expect(marks([user, call('1', '2'), result('1'), user, result('2'), agent])).toBe('Ua-u-a')
  })

  it('may be after a call without a result', () => {
    expect(marks([user, call('1'), user, agent])).toBe('UaUa')
  })

  it('is not between entries of one response', () => {
    expect(marks([user, answer('m1'), answer('m1'), answer('m2')])).toBe('Ua-a')
  })

  it('distinguishes tool results in the role of the user from messages of the user', () => {
    const results: View = { ...result('1'), role: 'user' }
    expect(marks([user, call('1'), results, agent])).toBe('Ua-a')
  })
})

describe('Compaction selection: cutFor', () => {
  it('goes back until the tokens are kept', () => {
    expect(cutFor(pieces('UaUaUa'), 2)).toEqual({ kept: 4, turn: 4 })
    expect(cutFor(pieces('UaUaUa', 3), 4)).toEqual({ kept: 4, turn: 4 })
  })

  it('goes forward to the next possible cut, or back to the last one', () => {
    expect(cutFor(pieces('Ua-a--Ua'), 3)).toEqual({ kept: 6, turn: 6 })
    expect(cutFor(pieces('UaUa--'), 2)).toEqual({ kept: 3, turn: 2 })
  })

  it('returns the start of a split turn', () => {
    expect(cutFor(pieces('UaUa-a-a-a'), 3)).toEqual({ kept: 7, turn: 2 })
    expect(cutFor(pieces('a-a-a'), 1)).toEqual({ kept: 4, turn: 4 })
  })

  it('keeps nothing with 0 tokens, and makes no cut where all is kept', () => {
    expect(cutFor(pieces('UaUa'), 0)).toEqual({ kept: 4, turn: 4 })
    expect(cutFor(pieces('UaUa'), 5)).toBeUndefined()
    expect(cutFor(pieces('UaUa'), 4)).toBeUndefined()
    expect(cutFor(pieces('---'), 1)).toBeUndefined()
    expect(cutFor([], 0)).toBeUndefined()
    expect(cutAt(pieces('UaUa'), 0)).toBeUndefined()
  })

  it('agrees with a search of all cuts', () => {
    const piece = fc.record({ tokens: fc.nat(4), cuttable: fc.boolean(), opens: fc.boolean() })
    const bruteForce = (all: readonly CutItem[], keep: number): CutPoint | undefined => {
      const sumFrom = (at: number): number => all.slice(at).reduce((sum, { tokens }) => sum + tokens, 0)
      const places = all.flatMap(({ cuttable }, at) => (cuttable ? [at] : []))
      const enough = all.flatMap((_, at) => (sumFrom(at) >= keep ? [at] : []))
      if (enough.length === 0) return undefined
      const reached = Math.max(...enough)
      const kept = Math.min(...places.filter((at) => at >= reached))
      const at = Number.isFinite(kept) ? kept : Math.max(-1, ...places)
      if (at <= 0) return undefined
      const turns = all.flatMap(({ opens }, place) => (opens && place <= at ? [place] : []))
      return { kept: at, turn: turns.length === 0 ? at : Math.max(...turns) }
    }
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 30 }), (all, keep) => {
        expect(cutFor(all, keep)).toEqual(bruteForce(all, keep))
      }),
    )
  })
})
