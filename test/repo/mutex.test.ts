import { describe, expect, it } from 'vitest'
import { Mutex } from '../../src/repo/mutex.ts'

describe('Mutex', () => {
  it('admits one caller at a time, in order', async () => {
    const mutex = new Mutex()
    const seen: string[] = []
    const work = async (name: string, turns: number): Promise<void> => {
      const unlock = await mutex.lock()
      seen.push(`${name} in`)
      for (let i = 0; i < turns; i++) await Promise.resolve()
      seen.push(`${name} out`)
      unlock()
    }
    await Promise.all([work('a', 9), work('b', 0), work('c', 3)])
    await work('d', 1)
    expect(seen).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out', 'd in', 'd out'])
  })
  it('is taken at once where it is free', () => {
    const mutex = new Mutex()
    const unlock = mutex.lock()
    expect(unlock).toBeTypeOf('function')
    expect(mutex.lock()).toBeInstanceOf(Promise)
  })
})
