import { describe, expect, it } from 'vitest'
import {
  addCounts,
  addedCost,
  addedTokens,
  countsSince,
  ModelCalls,
  priceSums,
  UsageSums,
} from '../../src/model/usage.ts'

const price = {
  input: 1e6,
  cached: 1e5,
  output: 5e6,
  long: { over: 272_000, input: 2e6, cached: 2e5, output: 9e6 },
}
const priceOf = (model: string) => (model === 'known' ? price : undefined)

describe('counts', () => {
  it('are added where they are known', () => {
    expect(addCounts({ input: 1, cost: 0.5 }, { input: 2, output: 0 })).toEqual({
      input: 3,
      output: 0,
      cost: 0.5,
    })
  })

  it('grow by what they have more, and by nothing less', () => {
    expect(countsSince({ input: 1, output: 9 }, { input: 3, output: 2, cacheRead: 0 })).toEqual({ input: 2 })
    expect(countsSince({ input: 1 }, { input: 1 })).toBeUndefined()
  })
})

describe('a model call', () => {
  it('adds with each entry what the entries before do not have, by the model of the first', () => {
    const calls = new ModelCalls()
    const added = [
      calls.add({ call: 'a', input: 2, output: 1 }, 'known'),
      calls.add({ call: 'b', input: 4 }, 'other'),
      calls.add({ call: 'a', input: 2, output: 3 }, 'other'),
      calls.add({ call: 'a', output: 2 }, 'known'),
      calls.add({ input: -7 }, 'known'),
    ]
    expect(added.map(addedTokens)).toEqual([3, 4, 2, 0, undefined])
    expect(added.map((one) => addedCost(one, priceOf))).toEqual([7, undefined, 10, 0, 0])
    const sums = new UsageSums()
    for (const one of added) sums.add(one)
    expect(priceSums(sums.value, priceOf)).toEqual({
      tokens: { input: 6, output: 3, cacheRead: 0, cacheWrite: 0, total: 9 },
      ...{ cost: 17, computed: 17, unpriced: 4 },
    })
  })

  it('of which the beginning is counted elsewhere counts with the rest', () => {
    const sums = new UsageSums()
    sums.add({ before: { output: 1 }, now: { output: 4 }, model: 'known' })
    expect(priceSums(sums.value, priceOf)).toMatchObject({ cost: 15, tokens: { total: 3 } })
  })
})
