import { describe, expect, it } from 'vitest'
import { costOf, PRICES, parsePrices, pricesWith } from '../../src/model/prices.ts'

describe('prices of models', () => {
  it('are found by the names that agents record', () => {
    const priceOf = pricesWith()
    const names = [
      'claude-opus-4-5-20251101',
      'claude-opus-4.5',
      'anthropic/claude-opus-4-5',
      'Claude-Opus-4-5[1m]',
    ]
    expect(names.map((name) => priceOf(name)?.output)).toEqual([25, 25, 25, 25])
    expect(priceOf('gpt-5-codex')).toEqual({ input: 1.25, cached: 0.125, output: 10 })
    expect(priceOf('gpt-5-2026-04-01')?.input).toBe(1.25)
  })

  it('are not guessed for a model that is not in the table', () => {
    const priceOf = pricesWith()
    expect(['claude-opus-9', 'gpt-5-codex-spark', 'haiku', '', 'constructor'].map(priceOf)).toEqual(
      Array.from({ length: 5 }, () => undefined),
    )
  })

  it('have a source, a date and no cached input dearer than uncached', () => {
    for (const { source, date, models } of PRICES) {
      expect(source).toMatch(/^https:\/\//)
      expect(date).toMatch(/^\d{4}-\d\d-\d\d$/)
      for (const { input, cached, output } of Object.values(models)) {
        expect(cached).toBeLessThan(input)
        expect(input).toBeLessThan(output)
      }
    }
  })

  it('are replaced and added to by own ones', () => {
    const own = parsePrices('claude-opus-4-5=1/0.1/2, mine=3/1/4/5')
    const priceOf = pricesWith(() => own)
    expect(priceOf('claude-opus-4-5-20251101')).toEqual({ input: 1, cached: 0.1, output: 2 })
    expect(priceOf('mine')).toEqual({ input: 3, cached: 1, output: 4, cacheWrite: 5 })
    expect(parsePrices('mine=3/1/4/5/8')?.get('mine')).toMatchObject({ cacheWrite: 5, cacheWriteLong: 8 })
    expect(parsePrices('')).toEqual(new Map())
    for (const bad of [
      'mine',
      'mine=1',
      'mine=1/2',
      'mine=a/b/c',
      'mine=1/2/3/4/5/6',
      'mine=1/2/3/',
      '=1/2/3',
      'mine=-1/2/3',
    ])
      expect(parsePrices(bad)).toBeUndefined()
  })

  it('make the cost of each kind of token', () => {
    const price = { input: 4, cached: 0.5, output: 20, cacheWrite: 5 }
    const tokens = { input: 1e6, cacheRead: 2e6, cacheWrite: 3e6, output: 4e6 }
    expect(costOf(tokens, price)).toBe(4 + 1 + 15 + 80)
    expect(costOf({ cacheWrite: 1e6 }, { input: 4, cached: 0.5, output: 20 })).toBe(4)
    const hour = { cacheWrite: 3e6, cacheWriteLong: 1e6 }
    expect(costOf(hour, { ...price, cacheWriteLong: 8 })).toBe(10 + 8)
    expect(costOf(hour, price)).toBe(15)
    expect(costOf({ cacheWriteLong: 1e6 }, price)).toBe(0)
  })

  it('are twice those of input for what Anthropic keeps for an hour', () => {
    const price = pricesWith()('claude-opus-4-5') ?? { input: 0, cached: 0, output: 0 }
    expect(costOf({ cacheWrite: 1e6, cacheWriteLong: 1e6 }, price)).toBe(10)
    expect(costOf({ cacheWrite: 1e6 }, price)).toBe(6.25)
  })

  it('are higher for a call with long input, which sums of calls do not tell', () => {
    const price = { input: 1, cached: 0.1, output: 5, long: { over: 100, input: 2, cached: 0.2, output: 10 } }
    expect(costOf({ input: 60, cacheRead: 40, output: 10 }, price)).toBeCloseTo((60 + 4 + 50) / 1e6, 12)
    expect(costOf({ input: 61, cacheRead: 40, output: 10 }, price)).toBeCloseTo((122 + 8 + 100) / 1e6, 12)
    expect(costOf({ input: 1000 }, price, 0)).toBeCloseTo(1000 / 1e6, 12)
    expect(costOf({ input: 1000 }, price, 100)).toBeCloseTo(2000 / 1e6, 12)
  })
})
