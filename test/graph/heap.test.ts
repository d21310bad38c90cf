import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Heap } from '../../src/graph/order.ts'

describe('Heap', () => {
  it('returns items in order after any sequence of calls', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer({ min: -20, max: 20 }))), (steps) => {
        const heap = new Heap<number>((a, b) => a - b)
        const model: number[] = []
        for (const step of steps) {
          if (step === null) expect(heap.pop()).toBe(model.shift())
          else {
            heap.push(step)
            model.push(step)
            model.sort((a, b) => a - b)
          }
        }
        for (const value of model) expect(heap.pop()).toBe(value)
        expect(heap.pop()).toBeUndefined()
      }),
    )
  })
})
