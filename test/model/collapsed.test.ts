import fc from 'fast-check'
import { expect, it } from 'vitest'
import { collapsed } from '../../src/model/collapsed.ts'
import { flat } from '../../src/model/markdown.ts'

it('leaves one of each run, however long', () => {
  const texts = fc
    .array(fc.tuple(fc.constantFrom(' ', '\\', 'a', '\n'), fc.nat(3000)))
    .map((runs) => runs.map(([char, length]) => char.repeat(length)).join(''))
  fc.assert(
    fc.property(texts, (text) => {
      expect(collapsed(text, ' ')).toBe(text.replace(/ +/g, ' '))
      expect(collapsed(text, '\\')).toBe(text.replace(/\\+/g, '\\'))
      expect(flat(text)).toBe(text.trim().replace(/\s+/g, ' '))
    }),
  )
})
