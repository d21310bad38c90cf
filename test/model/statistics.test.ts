import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Figures, PathStatistics } from '../../src/model/statistics.ts'
import type { Block, Role, Usage, View } from '../../src/model/view.ts'

const said = (role: Role | null, ...blocks: Block[]): View => ({ role, blocks })
const text = (words: string): Block => ({ kind: 'text', text: words })
const call = (id: string, name: string, input: object = {}): Block => ({
  kind: 'toolCall',
  id,
  name,
  input: input as never,
})
const result = (id: string, error = false): Block => ({ kind: 'toolResult', id, text: 'out', error })
const took = (usage: Usage): View => ({ role: 'assistant', blocks: [text('x')], usage })

function tallied(...views: readonly View[]): Figures {
  const tally = new PathStatistics()
  for (const view of views) tally.add(view, 2)
  return tally.figures
}

describe('Tally', () => {
  it('counts who spoke, the tools by name, what failed and which files they named', () => {
    const figures = tallied(
      said('user', text('go')),
      said(null),
      said(
        'assistant',
        call('1', 'read', { path: 'b' }),
        call('2', 'read', { path: 'a' }),
        call('3', '__proto__'),
      ),
      said('tool', result('1')),
      said('tool', result('2', true), result('3')),
      said('assistant', call('4', 'edit', { path: 'b' })),
    )
    expect(figures).toEqual({
      entries: 6,
      messages: 5,
      roles: { user: 1, assistant: 2, tool: 2, system: 0 },
      calls: 4,
      tools: Object.fromEntries([
        ['read', 2],
        ['__proto__', 1],
        ['edit', 1],
      ]),
      errors: 1,
      files: { read: ['a', 'b'], changed: ['b'] },
      tokens: null,
      estimated: 12,
      cost: null,
      computed: 0,
      unpriced: 0,
      outcome: 'interrupted',
    })
  })

  it('counts a model call once, however often and wherever its entries repeat what it took', () => {
    const figures = tallied(
      took({ input: 10, output: 1, cost: 0.5, call: 'a' }),
      took({ input: 10, output: 5, call: 'a' }),
      took({ input: 3, call: 'b' }),
      took({ input: 10, output: 4, call: 'a' }),
      took({ input: 3 }),
      took({ cacheRead: 7, cacheWrite: 2 }),
    )
    expect(figures.tokens).toEqual({ input: 16, output: 5, cacheRead: 7, cacheWrite: 2, total: 30 })
    expect(figures.cost).toBe(0.5)
    expect(figures.messages).toBe(4)
    expect(tallied(took({ cost: 0 }))).toMatchObject({ tokens: null, cost: 0 })
    expect(tallied(took({ output: 0 }))).toMatchObject({ tokens: { total: 0 }, cost: null })
  })

  it('says how a path ends', () => {
    const end = (...views: View[]) => tallied(...views).outcome
    const asked = said('user', text('go'))
    const calls = said('assistant', call('1', 'bash'))
    expect(end()).toBeNull()
    expect(end(said('system', text('Be brief')), said(null))).toBeNull()
    expect(end(asked)).toBe('pending')
    expect(end(asked, said('assistant', text('Done.')), said(null))).toBe('complete')
    expect(end(asked, said('assistant', { kind: 'thinking', text: 'Hm' }))).toBe('interrupted')
    expect(end(asked, calls)).toBe('interrupted')
    expect(end(asked, calls, said('tool', result('1')))).toBe('interrupted')
    expect(end(asked, calls, said('tool', result('1', true)))).toBe('failed')
    expect(end(asked, calls, said('tool', result('1', true)), said('assistant', text('It fails.')))).toBe(
      'complete',
    )
    expect(end(asked, calls, said('assistant', text('Wait.')))).toBe('interrupted')
    expect(end(asked, calls, asked, said('assistant', text('Done.')))).toBe('complete')
  })

  it('tells the same tokens in whatever order calls are repeated', () => {
    const usage = fc.record(
      { input: fc.nat(50), output: fc.nat(50), cost: fc.nat(8), call: fc.constantFrom('a', 'b', 'c') },
      { requiredKeys: ['call'] },
    )
    const most = (all: readonly Usage[], name: 'input' | 'output' | 'cost'): number =>
      ['a', 'b', 'c'].reduce(
        (sum, id) => sum + Math.max(0, ...all.map((one) => (one.call === id ? (one[name] ?? 0) : 0))),
        0,
      )
    fc.assert(
      fc.property(fc.array(usage), (all) => {
        const { tokens, cost } = tallied(...all.map((one) => took(one as Usage)))
        expect(tokens?.total ?? 0).toBe(most(all as Usage[], 'input') + most(all as Usage[], 'output'))
        expect(cost ?? 0).toBe(most(all as Usage[], 'cost'))
      }),
    )
  })
})
