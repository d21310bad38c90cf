import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EntryPlaces } from '../../src/model/entryplaces.ts'
import type { EntryHandle } from '../../src/model/node.ts'

const handle = fc
  .oneof(fc.nat(100), fc.maxSafeInteger(), fc.string())
  .map((value) => value as unknown as EntryHandle)

describe('the places of entries', () => {
  it('are those of a Map', () => {
    fc.assert(
      fc.property(fc.uniqueArray(handle), handle, (handles, other) => {
        const places = new EntryPlaces(handles)
        for (const [place, one] of handles.entries()) expect(places.get(one)).toBe(place)
        expect(places.get(other)).toBe(handles.includes(other) ? handles.indexOf(other) : undefined)
        expect(places.has(other)).toBe(handles.includes(other))
      }),
    )
  })
})
