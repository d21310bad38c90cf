import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FifoQueue } from '../../../src/repo/lease/fifoqueue.ts'

const HERE = { place: 'here' }
const THERE = { place: 'there' }
const ALL = [HERE, THERE] as const

describe('the FIFO queue', () => {
  it('starts work at the place of all unfinished earlier work', () => {
    const queue = new FifoQueue()
    for (const number of [0, 1, 2]) queue.put(number, HERE)
    expect(queue.isAfterAll(3, HERE)).toBe(true)
    expect(queue.isAfterAll(3, THERE)).toBe(false)
    queue.put(1, THERE)
    expect(queue.isAfterAll(1, HERE)).toBe(true)
    expect(queue.isAfterAll(3, HERE)).toBe(false)
    queue.leave(1)
    expect(queue.isAfterAll(3, HERE)).toBe(true)
  })

  it('agrees with a check of each number', () => {
    const step = fc.record({ kind: fc.nat(3), of: fc.nat(), place: fc.constantFrom(...ALL) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new FifoQueue()
        const plain = new Map<number, object>()
        let numbers = 0
        for (const { kind, of, place } of steps) {
          const number = kind === 0 || numbers === 0 ? numbers++ : of % numbers
          if (kind === 1) {
            plain.delete(number)
            queue.leave(number)
          } else if (kind === 0 || plain.has(number)) {
            plain.set(number, place)
            queue.put(number, place)
          }
          const told = [...plain].every(([other, at]) => other >= number || at === place)
          expect(queue.isAfterAll(number, place)).toBe(told)
        }
      }),
    )
  })

  it('admits one unit of work at a time, the smallest number first', async () => {
    const queue = new FifoQueue()
    const order: number[] = []
    const pass = async (number: number): Promise<void> => {
      const leave = await queue.enter(number)
      order.push(number)
      await Promise.resolve()
      order.push(number)
      leave()
    }
    await Promise.all([3, 5, 1, 4, 2].map(pass))
    expect(order).toEqual([3, 3, 1, 1, 2, 2, 4, 4, 5, 5])
  })

  it('starts work at once where nothing else has its turn or comes before it', async () => {
    const queue = new FifoQueue()
    expect(queue.join()).toEqual({ number: 0, isStarted: false })
    expect(queue.join(HERE)).toEqual({ number: 1, isStarted: true })
    expect(queue.join(THERE)).toEqual({ number: 2, isStarted: false })
    const leave = await queue.enter(2)
    expect(queue.join(HERE)).toEqual({ number: 3, isStarted: false })
    leave()
    expect(queue.join(HERE)).toEqual({ number: 4, isStarted: true })
  })
})
