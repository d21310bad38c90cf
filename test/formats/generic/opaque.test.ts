import { expect, it } from 'vitest'
import { opaque } from '../../../src/formats/generic/opaque.ts'

it('takes everything and understands nothing', () => {
  expect(opaque.detect({ name: '', head: new Uint8Array(), lines: [], whole: true })).toBe(true)
  const reader = opaque.reader('x')
  expect(reader.read({ line: 1, bytes: Uint8Array.of(1), lead: 0, salvaged: false })).toEqual({})
  expect([reader.active(), reader.facts(), opaque.view('x', { role: 'user' })]).toEqual([
    null,
    {},
    { role: null, blocks: [] },
  ])
})
