import { describe, expect, it } from 'vitest'
import { chunksOf, prefetched } from '../../src/model/async.ts'

const pause = (): Promise<void> => new Promise((done) => setImmediate(done))

describe('ahead', () => {
  it('gives what becomes of each in order, whichever is done first', async () => {
    const done: number[] = []
    const given: number[] = []
    const begin = async (n: number): Promise<number> => {
      for (let left = n % 3; left > 0; left--) await pause()
      done.push(n)
      return n
    }
    for await (const n of prefetched([2, 1, 3, 5, 4, 0, 6, 8, 7], begin)) given.push(n)
    expect(given).toEqual([2, 1, 3, 5, 4, 0, 6, 8, 7])
    expect(done).not.toEqual(given)
  })

  it('begins one, then more ahead of the one that is used, at most four', async () => {
    let begun = 0
    const more: number[] = []
    for await (const n of prefetched(
      Array.from({ length: 12 }, (_, i) => i),
      () => Promise.resolve(begun++),
    ))
      more.push(begun - 1 - n)
    expect(more).toEqual([0, 1, 2, 3, 4, 4, 4, 4, 3, 2, 1, 0])
  })

  it('throws what went wrong where its turn comes, and nothing before', async () => {
    const given: number[] = []
    const begin = (n: number): Promise<number> =>
      n < 3 ? Promise.resolve(n) : Promise.reject(new Error(`no ${n}`))
    const read = async (): Promise<void> => {
      for await (const n of prefetched([0, 1, 2, 3, 4, 5], begin)) {
        await pause()
        given.push(n)
      }
    }
    await expect(read()).rejects.toThrow('no 3')
    expect(given).toEqual([0, 1, 2])
  })

  it('gives all that was read before what it reads ends in an error', async () => {
    function* damaged(): Generator<number> {
      for (let n = 0; n < 10; n++) yield n
      throw new Error('no more')
    }
    const given: number[] = []
    const read = async (): Promise<void> => {
      for await (const n of prefetched(damaged(), (one) => Promise.resolve(one))) given.push(n)
    }
    await expect(read()).rejects.toThrow('no more')
    expect(given).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('lets go of what it reads where the one who asks stops', async () => {
    let closed = false
    function* endless(): Generator<number> {
      try {
        for (let n = 0; ; n++) yield n
      } finally {
        closed = true
      }
    }
    for await (const n of prefetched(endless(), (one) => Promise.resolve(one))) if (n === 5) break
    expect(closed).toBe(true)
  })
})

describe('pieces', () => {
  it('gives a list in parts, the last one shorter', () => {
    expect([...chunksOf([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]])
    expect([...chunksOf([], 2)]).toEqual([])
  })
})
