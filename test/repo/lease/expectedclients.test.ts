import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ExpectedClients } from '../../../src/repo/lease/expectedclients.ts'

/** Returns whether a promise is resolved once others had their turn. */
const isDone = (promise: Promise<void> | undefined): Promise<boolean> =>
  Promise.race([
    Promise.resolve(promise).then(() => true),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  ])

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] }))
afterEach(() => void vi.useRealTimers())

it('waits until all answered clients have sent their next request or disconnected', async () => {
  const gathering = new ExpectedClients<string>()
  expect(gathering.all()).toBe(undefined)
  for (const one of ['a', 'b', 'c']) gathering.answered(one)
  gathering.asked('b')
  const [all, other] = [gathering.all(), gathering.all()]
  expect(await isDone(all)).toBe(false)
  gathering.asked('b')
  gathering.asked('a')
  expect(await isDone(all)).toBe(false)
  gathering.asked('c')
  expect([await isDone(all), await isDone(other)]).toEqual([true, true])
  expect(gathering.all()).toBe(undefined)
})

it('waits only once, and briefly, for a client that sends no further request', async () => {
  const gathering = new ExpectedClients<string>()
  gathering.answered('a')
  const all = gathering.all()
  vi.advanceTimersByTime(100)
  expect(await isDone(all)).toBe(true)
  expect(gathering.all()).toBe(undefined)
  gathering.answered('b')
  vi.advanceTimersByTime(100)
  expect(gathering.all()).toBe(undefined)
})
