import { expect, it } from 'vitest'
import { nearest } from '../../../src/cli/errors/suggest.ts'

it.each([
  ['mian', ['main', 'master', 'at-1'], ['main']],
  ['Fix', ['fix the tests', 'prefix', 'other', 'a fix'], ['fix the tests', 'prefix', 'a fix']],
  ['lgo', ['log', 'ls', 'show'], ['log']],
  ['x', ['y', 'xy', 'abc'], ['y', 'xy']],
  ['unlike', ['anything'], []],
  ['same', ['same!', 'same!', 'same?', 'sane', 'some'], ['same!', 'same?', 'sane']],
])('of %j in %j gives %j', (word, names, expected) => {
  expect(nearest(word, names)).toEqual(expected)
})
