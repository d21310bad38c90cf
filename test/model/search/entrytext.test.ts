import { expect, it } from 'vitest'
import { inputText } from '../../../src/model/search/entrytext.ts'

it('returns the words of a command in a list as they are, not as JSON', () => {
  expect(inputText({ command: ['bash', '-lc', 'cd "lamp"\nls'], workdir: '/a' })).toBe(
    'command: cd "lamp"\nls\nworkdir: /a',
  )
  expect(inputText({ paths: ['a b', 'c'] })).toBe('paths: ["a b","c"]')
  expect(inputText({ command: ['a', 7] })).toBe('command: ["a",7]')
})
