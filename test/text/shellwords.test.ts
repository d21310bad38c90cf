import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { quoted, typed } from '../../src/text/shellwords.ts'

it.each([
  ['3b1f~4', '3b1f~4'],
  ['a b', "'a b'"],
  ['', "''"],
  ["it's", "'it'\\''s'"],
  ['~', "'~'"],
  ['=ls', "'=ls'"],
  ['@{1}', '@{1}'],
  ['{a,b}', "'{a,b}'"],
  ['{1..3}', "'{1..3}'"],
  ["\u001b]0;it's\u0007\n\\", "$'\\x1b]0;it\\'s\\x07\\n\\\\'"],
  ['a\u202eb', "$'a\\u202eb'"],
])('gives %j as it is typed', (word, shown) => {
  expect(quoted(word)).toBe(shown)
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  expect(execFileSync('bash', ['-c', `printf %s ${shown}`], { encoding: 'utf8', env })).toBe(word)
})

it('puts arguments that begin with a dash behind two', () => {
  expect(typed('3b1f', 'a b')).toBe("3b1f 'a b'")
  expect(typed('3b1f', '-x')).toBe('-- 3b1f -x')
})
