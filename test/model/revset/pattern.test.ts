import fc from 'fast-check'
import { expect, it } from 'vitest'
import { namePattern, textPattern } from '../../../src/model/revset/pattern.ts'

const word = (text: string, regex = false) => ({ text, regex, at: { from: 0, to: 0 } })
const names =
  (pattern: string, regex = false) =>
  (name: string) =>
    namePattern(word(pattern, regex)).test(name)

it('takes whole names in upper or lower case', () => {
  const tools = ['Edit', 'MultiEdit', 'edit_file', 'NotebookEdit', 'Ed\nit']
  expect(tools.filter(names('edit'))).toEqual(['Edit'])
  expect(tools.filter(names('*EDIT'))).toEqual(['Edit', 'MultiEdit', 'NotebookEdit'])
  expect(tools.filter(names('edi?*'))).toEqual(['Edit', 'edit_file'])
  expect(tools.filter(names('^(multi)?edit$', true))).toEqual(['Edit', 'MultiEdit'])
})

it('finds texts anywhere in upper or lower case', () => {
  expect(textPattern(word('a.c*')).test('xA.C*x')).toBe(true)
  expect(textPattern(word('a.c')).test('abc')).toBe(false)
  expect(textPattern(word('größe')).test('DIE GRÖẞE')).toBe(true)
  expect(textPattern(word('^b.c$', true)).test('b\nc')).toBe(true)
})

it('has no meaning of its own in any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, around) => {
      fc.pre(text.isWellFormed() && around.isWellFormed())
      expect(textPattern(word(text)).test(around + text + around)).toBe(true)
      expect(names(text)(text)).toBe(true)
    }),
  )
})
