import { expect, it } from 'vitest'
import { andThen, eachInTurn } from '../../src/model/awaitable.ts'

it('goes on at once with what is at hand', async () => {
  expect(andThen(1, (value) => value + 1)).toBe(2)
  expect(await andThen(Promise.resolve(1), (value) => value + 1)).toBe(2)
})

it('does something with each of some values in turn, at once as far as nothing has to be waited for', async () => {
  const seen: number[] = []
  const see = (value: number): void => {
    seen.push(value)
  }
  expect(eachInTurn([1, 2], see)).toBe(undefined)
  expect(seen).toEqual([1, 2])
  const waited = eachInTurn([3, 4, 5, 6], (value) =>
    value % 2 ? Promise.resolve(value).then(see) : see(value),
  )
  expect(seen).toEqual([1, 2])
  await waited
  expect(seen).toEqual([1, 2, 3, 4, 5, 6])
})

it('does nothing with those behind one that fails', async () => {
  const seen: number[] = []
  const go = (value: number): Promise<void> | undefined => {
    seen.push(value)
    return value === 2 ? Promise.reject(new Error('no')) : undefined
  }
  await expect(eachInTurn([1, 2, 3], go)).rejects.toThrow('no')
  expect(seen).toEqual([1, 2])
})
