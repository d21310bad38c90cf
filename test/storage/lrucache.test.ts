import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LruCache } from '../../src/storage/lrucache.ts'

const newCache = (limit: number): LruCache<string, number> => new LruCache(limit, (value) => value)

describe('Cache', () => {
  it('drops what was used least lately, up to its limit', () => {
    const cache = newCache(10)
    cache.set('a', 4)
    cache.set('b', 4)
    expect(cache.get('a')).toBe(4)
    cache.set('c', 4)
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([4, undefined, 4])
  })

  it('keeps the newest however large it is', () => {
    const cache = newCache(10)
    cache.set('a', 4)
    cache.set('b', 50)
    expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 50])
    cache.set('c', 1)
    expect([cache.get('b'), cache.get('c')]).toEqual([undefined, 1])
  })

  it('counts what is replaced or removed once', () => {
    const cache = newCache(10)
    for (let i = 0; i < 100; i++) cache.set('a', 5)
    cache.set('b', 5)
    cache.delete('b')
    cache.delete('b')
    cache.set('c', 5)
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([5, undefined, 5])
  })

  it('does as a list in the order of use does', () => {
    const anyStep = fc.tuple(fc.constantFrom('get', 'set', 'delete'), fc.constantFrom(...'abcdef'), fc.nat(6))
    fc.assert(
      fc.property(fc.array(anyStep), (steps) => {
        const cache = newCache(10)
        let model: [string, number][] = []
        for (const [what, key, value] of steps) {
          const known = model.find(([name]) => name === key)
          if (what === 'get') expect(cache.get(key)).toBe(known?.[1])
          else if (what === 'set') cache.set(key, value)
          else cache.delete(key)
          if (what === 'get' && !known) continue
          model = model.filter(([name]) => name !== key)
          if (what === 'get' && known) model.push(known)
          if (what === 'set') model.push([key, value])
          while (model.length > 1 && model.reduce((sum, [, cost]) => sum + cost, 0) > 10) model.shift()
        }
        for (const [key, value] of model) expect(cache.get(key)).toBe(value)
      }),
    )
  })
})
