import { expect, it } from 'vitest'
import { asIds, at, idAt, listAt, opened, textAt } from '../../../src/formats/claude-code/fields.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'

const value = {
  a: { b: new Verbatim('{"c":1,"c":["x",2,"y"]}') },
  empty: '',
  half: new Verbatim('"\\ud800"'),
}

it('looks into what is kept as text', () => {
  expect(at(value, 'a', 'b', 'c')).toEqual(['x', 2, 'y'])
  expect(listAt(value, 'a', 'b', 'c')).toEqual(['x', 2, 'y'])
  expect(asIds(at(value, 'a', 'b', 'c'))).toEqual(['x', 'y'])
  expect(textAt(value, 'half')).toBe('\ud800')
  expect(opened(new Verbatim('-0'))).toBe(-0)
  expect(opened(new Verbatim('no json'))).toBeUndefined()
})

it('finds nothing where nothing is', () => {
  expect(at(value, 'a', 'x', 'y')).toBeUndefined()
  expect(at(undefined)).toBeUndefined()
  expect(at('text', 'length')).toBeUndefined()
  expect(at(value, 'toString')).toBeUndefined()
  expect(listAt(value, 'a')).toEqual([])
  expect(idAt(value, 'empty')).toBeUndefined()
  expect(textAt(value, 'empty')).toBe('')
})
