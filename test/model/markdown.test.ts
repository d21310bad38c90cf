import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cut, fencedBlock, flat, inlineCode, quotation } from '../../src/model/markdown.ts'

it('puts a text in one line', () => {
  expect(flat(' a \n\tb ')).toBe('a b')
})

it('cuts a text, and no character in two', () => {
  expect(cut('abcdef', 6)).toBe('abcdef')
  expect(cut('abcdef', 4)).toBe('abc…')
  expect(cut('ab😀', 4)).toBe('ab😀')
  expect(cut('ab😀d', 4)).toBe('ab\ufffd…')
})

it('quotes a text so that no line of it is out of the quotation', () => {
  expect(quotation('a\n\nb\r\n# c', 100)).toBe('> a\n>\n> b\n> # c')
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\u2028', '`', '>', ' ') }), (text) => {
      for (const line of quotation(text, 100).split(/[\n\r\u2028\u2029]/)) expect(line).toMatch(/^>/)
    }),
  )
})

it('fences code with more backquotes than it has in a row', () => {
  expect(inlineCode('a')).toBe('`a`')
  expect(inlineCode('a `` b')).toBe('```a `` b```')
  expect(inlineCode('`a`')).toBe('`` `a` ``')
})

it('fences a block with three backquotes, or more than it has in a row', () => {
  expect(fencedBlock('a ` b')).toBe('```\na ` b\n```')
  expect(fencedBlock('a\n')).toBe('```\na\n```')
  expect(fencedBlock('a ```` b ``')).toBe('`````\na ```` b ``\n`````')
  const long = '`'.repeat(30 * 2 ** 20)
  expect(fencedBlock(long) === `${long}\`\n${long}\n${long}\``).toBe(true)
})
