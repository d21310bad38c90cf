import { expect, it } from 'vitest'
import { globOf } from '../../src/model/glob.ts'

const names = ['a', 'a/b', 'a/b/c', 'ab', 'a/bd', 'x.y', 'xzy']
const matching = (pattern: string): string[] => names.filter(globOf(pattern).matches)

it('takes a whole name, or its beginning up to a slash', () => {
  expect(matching('a')).toEqual(['a', 'a/b', 'a/b/c', 'a/bd'])
  expect(matching('a/')).toEqual(['a/b', 'a/b/c', 'a/bd'])
  expect(matching('a/b')).toEqual(['a/b', 'a/b/c'])
  expect(matching('x.y')).toEqual(['x.y'])
})

it('takes stars and question marks', () => {
  expect(matching('a/*')).toEqual(['a/b', 'a/bd'])
  expect(matching('a/**')).toEqual(['a/b', 'a/b/c', 'a/bd'])
  expect(matching('*')).toEqual(['a', 'ab', 'x.y', 'xzy'])
  expect(matching('a?')).toEqual(['ab'])
  expect(matching('x.*')).toEqual(['x.y'])
  expect(matching('**/c')).toEqual(['a/b/c'])
})

it('knows what every match begins with', () => {
  expect(['a/b', 'a/b*', '*/b', 'a?c/**'].map((pattern) => globOf(pattern).prefix)).toEqual([
    'a/b',
    'a/b',
    '',
    'a',
  ])
  for (const pattern of ['(a|b)', '[ab]', 'a\\*', 'a+', '^a$', '{a,b}'])
    expect(globOf(`${pattern}*`).matches(`${pattern}x`)).toBe(true)
})
