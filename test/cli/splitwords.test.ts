import { expect, it } from 'vitest'
import { splitWords } from '../../src/text/shellwords.ts'

it.each([
  ['', []],
  [' less  -R ', ['less', '-R']],
  [`llm -s 'Sum it up' "a b"`, ['llm', '-s', 'Sum it up', 'a b']],
  [`a'b'"c"d`, ['abcd']],
  [`it\\'s a\\ b`, ["it's", 'a b']],
  [`'it'\\''s'`, ["it's"]],
  [`"a\\"b\\\\c\\n\\$d"`, ['a"b\\c\\n$d']],
  [`x '' ""`, ['x', '', '']],
  ['a\n\tb', ['a', 'b']],
  [`echo $HOME $(x) * ~ | cat > f; y && z #`, 'echo $HOME $(x) * ~ | cat > f; y && z #'.split(' ')],
])('splits %j into words', (command, words) => {
  expect(splitWords(command)).toEqual(words)
})

it.each([`it's`, `"a`, 'a\\', `"a\\"`])('gives nothing where a quotation is left open: %j', (command) => {
  expect(splitWords(command)).toBeUndefined()
})
