import { expect, it } from 'vitest'
import { typable } from '../../src/model/shellword.ts'

it.each(['3b1f', 'a/b~1^2', 'Tides:u1', '@{1}', '019d-4482'])('lets %s stand', (word) => {
  expect(typable(word, 'SESSION')).toBe(word)
})

it.each([
  "'; touch owned; '",
  '$(touch owned)',
  '`x`',
  'a b',
  '-rf',
  '~',
  '{a,b}',
  'x\u001b[2J',
  'a\nb',
  '',
  '*',
  '\u202e',
])('says what %j is instead', (word) => {
  expect(typable(word, 'SESSION')).toBe('SESSION')
})
