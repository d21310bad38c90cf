import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitToBudget, tokensIn } from '../../src/graph/budget.ts'
import { contextOf, mergeMark } from '../../src/graph/context.ts'
import type { ContextItem, ContextPart } from '../../src/graph/contextwalk.ts'
import type { Block, View } from '../../src/model/view.ts'
import { accessTo, anyTree } from '../support/paths.ts'

const long = (of: string): string => of.repeat(400)
const item = (
  node: number,
  role: View['role'],
  block: Block,
  part: ContextPart = 'message',
): ContextItem<number> => ({
  node,
  part,
  view: { role, blocks: [block] },
})
const words = (text: string): Block => ({ kind: 'text', text })

/** Two turns, each of 100 tokens in each of its parts, behind a summary. */
const items: readonly ContextItem<number>[] = [
  {
    node: 0,
    part: 'compaction-summary',
    view: { role: null, blocks: [], effect: { kind: 'compaction', summary: long('s') } },
  },
  item(1, 'user', words(long('a'))),
  item(2, 'assistant', { kind: 'thinking', text: long('b') }),
  item(3, 'assistant', { kind: 'toolCall', id: 'x', name: 'bash', input: {} }),
  item(4, 'tool', { kind: 'toolResult', id: 'x', text: long('c'), error: false }),
  item(5, 'assistant', words(long('d'))),
  item(6, 'user', words(long('e'))),
  item(7, 'assistant', { kind: 'toolCall', id: 'y', name: 'bash', input: {} }),
  item(8, 'tool', { kind: 'toolResult', id: 'y', text: long('f'), error: false }),
  item(9, 'assistant', words(long('g'))),
]
const leftAt = (budget: number) => fitToBudget(items, budget).left.map(({ kind, node }) => `${kind} ${node}`)

describe('fitToBudget', () => {
  it('does not count the mark of a merge as a message of the user', () => {
    const asked = item(1, 'user', words('Which one?'))
    const { blocks } = mergeMark({ kind: 'merge', from: 'try' })
    const merged = [asked, item(2, 'user', blocks[0]!), item(3, 'assistant', words(long('a')))]
    expect(fitToBudget(merged, 1).items).toEqual([asked])
  })

  it('leaves out nothing that fits', () => {
    expect(fitToBudget(items, tokensIn(items))).toEqual({ items, left: [] })
  })

  it('leaves out results, thinking, turns, then what followed the last message, the oldest first', () => {
    const total = tokensIn(items)
    expect(total).toBe(804)
    expect(leftAt(803)).toEqual(['result 4'])
    expect(leftAt(700)).toEqual(['result 4', 'result 8'])
    expect(leftAt(600)).toEqual(['result 4', 'result 8', 'thinking 2'])
    const turn = ['message 1', 'message 3', 'message 4', 'message 5']
    expect(leftAt(500)).toEqual(['result 4', 'result 8', 'thinking 2', ...turn])
    expect(leftAt(300)).toEqual(['result 4', 'result 8', 'thinking 2', ...turn, 'message 7', 'message 8'])
    expect(fitToBudget(items, 0).items.map(({ node }) => node)).toEqual([0, 6])
  })

  it('describes images in words before it leaves out turns', () => {
    const seen = [item(1, 'user', words('a')), item(2, 'user', words('b'))]
    const picture = item(3, 'assistant', { kind: 'image', mediaType: 'image/png', bytes: 9 })
    const { items: rest, left } = fitToBudget([picture, ...seen], 50)
    expect(left).toEqual([{ kind: 'image', node: 3, tokens: 1193 }])
    expect(rest[0]?.view.blocks).toEqual([words('[image: image/png, 9 bytes]')])
  })

  it('keeps items with a summary, and system prompts', () => {
    const kept = [
      item(0, 'system', words(long('a'))),
      { ...item(1, 'user', words(long('b'))), summary: true as const },
      item(2, 'user', words(long('c'))),
      item(3, 'user', words(long('d'))),
    ]
    expect(fitToBudget(kept, 0).items.map(({ node }) => node)).toEqual([0, 1, 3])
  })

  it('fits any context or keeps only fixed items, and reports the tokens that it saved', async () => {
    await fc.assert(
      fc.asyncProperty(anyTree, fc.nat(100), async (nodes, budget) => {
        const context = (await contextOf(nodes.length - 1, accessTo(nodes), { valid: true })).items
        const { items: rest, left } = fitToBudget(context, budget)
        expect(tokensIn(rest)).toBe(tokensIn(context) - left.reduce((sum, { tokens }) => sum + tokens, 0))
        const least = tokensIn(fitToBudget(context, 0).items)
        expect(tokensIn(rest)).toBeLessThanOrEqual(Math.max(budget, least))
        expect(fitToBudget(context, budget)).toEqual({ items: rest, left })
      }),
    )
  })
})
