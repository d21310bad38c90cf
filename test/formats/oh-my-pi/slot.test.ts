import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { titleSlot } from '../../../src/formats/oh-my-pi.ts'
import { ANY_CHARACTER } from '../../support/characters.ts'

const bytes = (value: unknown): number => Buffer.byteLength(`${JSON.stringify(value)}\n`)

describe('the line of a title', () => {
  it('F9: holds the title, its source and its time', () => {
    const { pad, ...fields } = titleSlot({ title: 'Tides', source: 'user', updated: Date.UTC(2026, 0, 2) })
    expect(fields).toEqual({
      type: 'title',
      v: 1,
      title: 'Tides',
      source: 'user',
      updatedAt: '2026-01-02T00:00:00.000Z',
    })
    expect(pad).toMatch(/^ +$/)
  })

  it('F9: has 256 bytes whatever the title, of which whole characters are left', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 300 }), (title) => {
        const slot = titleSlot({ title, updated: 0 })
        expect(bytes(slot)).toBe(256)
        expect(title.startsWith(slot.title as string)).toBe(true)
        expect((slot.title as string).isWellFormed()).toBe(true)
      }),
    )
    expect(titleSlot({ title: '🌊'.repeat(200), updated: 0 }).title).toBe('🌊'.repeat(43))
  })
})
