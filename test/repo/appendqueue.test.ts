import { describe, expect, it } from 'vitest'
import { RequestGroups } from '../../src/repo/appendqueue.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { openRepo } from '../support/store.ts'

/** Asks for a number to be doubled; what was carried out together is noted in `groups`. */
const asker = (repo: Repo, groups: number[][]) => {
  const requests = new RequestGroups(repo)
  return (key: string, ask: number): Promise<number> =>
    requests.run({ coalesce: key }, ask, (_, asked: readonly number[]) => {
      groups.push([...asked])
      if (asked.includes(13)) return Promise.reject(new Error('unlucky'))
      return Promise.resolve(asked.map((n) => (n < 0 ? { error: new RangeError(`${n}`) } : { value: 2 * n })))
    })
}

describe('a group of requests', () => {
  it('carries out at once what waits for the same turn, and tells each what came of its own', async () => {
    const groups: number[][] = []
    const ask = asker(await openRepo(), groups)
    const results = await Promise.allSettled([ask('a', 1), ask('a', -2), ask('a', 3)])
    expect(results).toEqual([
      { status: 'fulfilled', value: 2 },
      { status: 'rejected', reason: new RangeError('-2') },
      { status: 'fulfilled', value: 6 },
    ])
    expect(await ask('a', 4)).toBe(8)
    expect(groups).toEqual([[1, -2, 3], [4]])
  })

  it('keeps the order among other work: only what follows directly joins', async () => {
    const repo = await openRepo()
    const groups: number[][] = []
    const ask = asker(repo, groups)
    const other = () =>
      repo.write({}, () => {
        groups.push([0])
      })
    await Promise.all([ask('a', 1), ask('a', 2), other(), ask('a', 3), ask('b', 4), ask('a', 5)])
    expect(groups).toEqual([[1, 2], [0], [3], [4], [5]])
  })

  it('fails all of a group whose work throws, and no other', async () => {
    const groups: number[][] = []
    const ask = asker(await openRepo(), groups)
    const results = await Promise.allSettled([ask('a', 1), ask('a', 13), ask('b', 2)])
    expect(results).toEqual([
      { status: 'rejected', reason: new Error('unlucky') },
      { status: 'rejected', reason: new Error('unlucky') },
      { status: 'fulfilled', value: 4 },
    ])
  })

  it('carries out 256 at most at once', async () => {
    const groups: number[][] = []
    const ask = asker(await openRepo(), groups)
    await Promise.all(Array.from({ length: 600 }, (_, i) => ask('a', 100 + i)))
    expect(groups.map(({ length }) => length)).toEqual([256, 256, 88])
  })
  it('joins nothing to what was refused before it began', async () => {
    let isBusy = true
    const write = async (_: unknown, work: (change: unknown) => unknown): Promise<unknown> => {
      await Promise.resolve()
      if (isBusy) throw new Error('busy')
      return work(undefined)
    }
    const groups: number[][] = []
    const ask = asker({ turns: 1, write } as unknown as Repo, groups)
    await expect(ask('a', 1)).rejects.toThrow('busy')
    isBusy = false
    expect(await ask('a', 2)).toBe(4)
    expect(groups).toEqual([[2]])
  })
})
