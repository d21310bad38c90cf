import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EntrySet } from '../../src/model/entryset.ts'
import type { EntryHandle } from '../../src/model/node.ts'

const handle = fc
  .oneof(fc.nat(100), fc.integer({ min: 2 ** 14 - 40, max: 2 ** 14 + 40 }), fc.maxSafeNat(), fc.string())
  .map((value) => value as EntryHandle)

describe('a set of entries', () => {
  it('holds what a Set holds', () => {
    fc.assert(
      fc.property(fc.array(handle), handle, (handles, other) => {
        const [known, set] = [new Set<EntryHandle>(), new EntrySet()]
        for (const one of handles) {
          expect(set.add(one)).toBe(!known.has(one))
          known.add(one)
        }
        expect(set.size).toBe(known.size)
        expect(set.has(other)).toBe(known.has(other))
        expect(new Set(set)).toEqual(known)
      }),
    )
  })

  it('iterates over consecutive numbers in ascending order', () => {
    const set = new EntrySet()
    const all = Array.from({ length: 40_000 }, (_, i) => (i + 7) as EntryHandle)
    for (const one of all) set.add(one)
    expect([...set]).toEqual(all)
  })

  it('has room for more entries than a Set', () => {
    const set = new EntrySet()
    for (let i = 0; i <= 2 ** 24; i++) set.add(i as EntryHandle)
    expect(set.size).toBe(2 ** 24 + 1)
  })
})
