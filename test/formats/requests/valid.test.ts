import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitToBudget } from '../../../src/graph/budget.ts'
import { contextOf } from '../../../src/graph/context.ts'
import { repairToolPairs } from '../../../src/graph/repairtoolpairs.ts'
import type { Block, Role } from '../../../src/model/view.ts'
import { REQUESTS } from '../../../src/ops/context/context.ts'
import { ALL, runs } from '../../support/amount.ts'
import { accessTo, anyTree } from '../../support/paths.ts'
import { FINDINGS } from '../../support/requests.ts'

describe.each(['anthropic', 'openai', 'openai-chat'] as const)('%s', (format) => {
  it('takes the context of any path', async () => {
    await fc.assert(
      fc.asyncProperty(anyTree, async (nodes) => {
        const { items } = await contextOf(nodes.length - 1, accessTo(nodes), { valid: true })
        expect(FINDINGS[format](REQUESTS[format](items).value)).toEqual([])
      }),
      { numRuns: runs(1000) },
    )
  })

  it('takes the context of any path within any budget', async () => {
    await fc.assert(
      fc.asyncProperty(anyTree, fc.nat(60), async (nodes, budget) => {
        const { items } = await contextOf(nodes.length - 1, accessTo(nodes), { valid: true })
        const fit = repairToolPairs(fitToBudget(items, budget).items)
        expect(FINDINGS[format](REQUESTS[format](fit.items).value)).toEqual([])
      }),
      { numRuns: runs(500) },
    )
  })

  it('may be a path of hundreds of thousands of entries', () => {
    const count = ALL ? 75_000 : 25_000
    const item = (node: number, role: Role, block: Block) => ({
      node,
      part: 'message',
      view: { role, blocks: [block] },
    })
    const texts = Array.from({ length: 2 * count }, (_, at) => item(at, 'user', { kind: 'text', text: 'a' }))
    const called = Array.from({ length: count }, (_, at) => [
      item(at, 'assistant', { kind: 'toolCall', id: 'x', name: 'n', input: {} }),
      item(at, 'tool', { kind: 'toolResult', id: 'x', text: 'b', error: false }),
    ])
    const { value, repairs } = REQUESTS[format]([...texts, ...called.flat(), ...texts])
    expect(repairs).toHaveLength(count - 1)
    expect(FINDINGS[format](value)).toEqual([])
  })

  it('begins with the context of what comes before, but for what the end leaves open', async () => {
    const message = (role: 'user' | 'assistant', text: string) =>
      ({ view: { role, blocks: [{ kind: 'text', text }] } }) as const
    const nodes = Array.from({ length: 20 }, (_, at) =>
      message(at % 2 === 0 ? 'user' : 'assistant', `word ${at}`),
    )
    const partsAt = async (tip: number) =>
      REQUESTS[format]((await contextOf(tip, accessTo(nodes), { valid: true })).items).parts.map(
        ({ value }) => JSON.stringify(value),
      )
    const whole = await partsAt(19)
    for (let tip = 0; tip < 19; tip++) expect(whole.slice(0, tip + 1)).toEqual(await partsAt(tip))
  })
})
