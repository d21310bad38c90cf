import { expect, it } from 'vitest'
import { Gate } from '../../src/mcp/gate.ts'

const never = new AbortController().signal

it('runs a number of calls at once, and the others in their order', async () => {
  const gate = new Gate(2)
  const began: number[] = []
  const ends: (() => void)[] = []
  const call = (n: number): Promise<void> =>
    gate.run(never, () => {
      began.push(n)
      return new Promise((resolve) => ends.push(resolve))
    })
  const calls = [1, 2, 3, 4].map(call)
  await Promise.resolve()
  expect(began).toEqual([1, 2])
  ends[0]?.()
  await calls[0]
  await Promise.resolve()
  expect(began).toEqual([1, 2, 3])
  ends[1]?.()
  ends[2]?.()
  await calls[1]
  await calls[2]
  ends[3]?.()
  await Promise.all(calls)
  expect(began).toEqual([1, 2, 3, 4])
})

it('takes a call that is cancelled out of the queue', async () => {
  const gate = new Gate(1)
  let end = (): void => undefined
  const first = gate.run(never, () => new Promise<void>((resolve) => (end = resolve)))
  const stop = new AbortController()
  const waits = gate.run(stop.signal, () => Promise.reject(new Error('it ran')))
  const last = gate.run(never, () => Promise.resolve('last'))
  stop.abort(new Error('cancelled'))
  await expect(waits).rejects.toThrow('cancelled')
  end()
  await first
  expect(await last).toBe('last')
  await expect(gate.run(stop.signal, () => Promise.resolve())).resolves.toBeUndefined()
})

it('lets the next call run after one that failed', async () => {
  const gate = new Gate(1)
  await expect(gate.run(never, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await gate.run(never, () => Promise.resolve(1))).toBe(1)
})
