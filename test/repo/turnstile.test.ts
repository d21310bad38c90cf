import { expect, it } from 'vitest'
import { Turnstile } from '../../src/repo/turnstile.ts'

it('lets one in at a time, of those that wait the one with the smallest number', async () => {
  const turnstile = new Turnstile()
  const order: number[] = []
  const pass = async (number: number): Promise<void> => {
    const leave = await turnstile.enter(number)
    order.push(number)
    await Promise.resolve()
    order.push(number)
    leave()
  }
  await Promise.all([3, 5, 1, 4, 2].map(pass))
  expect(order).toEqual([3, 3, 1, 1, 2, 2, 4, 4, 5, 5])
  expect(turnstile.isBusy).toBe(false)
})
