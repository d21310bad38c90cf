import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Gathering } from '../../../src/repo/holder/gathering.ts'

/** Gives whether a promise is resolved once others had their turn. */
const isDone = (promise: Promise<void> | undefined): Promise<boolean> =>
  Promise.race([
    Promise.resolve(promise).then(() => true),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  ])

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it('waits until all who were answered have asked again, or never will', async () => {
  const gathering = new Gathering<string>()
  expect(gathering.all()).toBe(undefined)
  for (const one of ['a', 'b', 'c']) gathering.left(one)
  gathering.came('b')
  const [all, other] = [gathering.all(), gathering.all()]
  expect(await isDone(all)).toBe(false)
  gathering.came('b')
  gathering.came('a')
  expect(await isDone(all)).toBe(false)
  gathering.came('c')
  expect([await isDone(all), await isDone(other)]).toEqual([true, true])
  expect(gathering.all()).toBe(undefined)
})

it('waits once for whoever does something else, and not long', async () => {
  const gathering = new Gathering<string>()
  gathering.left('a')
  const all = gathering.all()
  vi.advanceTimersByTime(100)
  expect(await isDone(all)).toBe(true)
  expect(gathering.all()).toBe(undefined)
  gathering.left('b')
  vi.advanceTimersByTime(100)
  expect(gathering.all()).toBe(undefined)
})
