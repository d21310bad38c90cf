import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linear, literalsOf } from '../../src/model/pattern.ts'

const found = (source: string, text: string): string[] => text.match(linear(source) as RegExp) ?? []

describe('an expression', () => {
  it('is for folded text, line by line', () => {
    expect(found('Err(or)?', 'error err')).toEqual(['error', 'err'])
    expect(found('^B.*$', 'a\nb c\nbd')).toEqual(['b c', 'bd'])
    expect(found('\\D+\\S', '12ab')).toEqual(['ab'])
    expect(found('[A-C]+', 'xabcx')).toEqual(['abc'])
  })

  it('ends where another engine would not come back', () => {
    for (const source of ['^(a+)+$', '(a|a)*b', '(.*)*x', '^(([a-z])+.)+[A-Z]([a-z])+$'])
      expect(found(source, `${'a'.repeat(5000)}!`)).toEqual([])
  })

  it('is refused where it may never end, or is wrong', () => {
    expect(linear('(a)\\1')).toBe('back references and look-around are not supported')
    expect(linear('(?<=a)b')).toBe('back references and look-around are not supported')
    expect(linear('(a')).toBe('the regular expression is wrong: unterminated group')
  })
})

describe('literals', () => {
  it('are what each match contains', () => {
    expect(literalsOf('foo.*Bar')).toEqual(['foo', 'bar'])
    expect(literalsOf('colou?r')).toEqual(['colo', 'r'])
    expect(literalsOf('ab+c{2}d*e')).toEqual(['ab', 'e'])
    expect(literalsOf('a(bc|de)f')).toEqual([])
    expect(literalsOf('a(bc)?d[ef]g\\.h\\dk')).toEqual(['a', 'd', 'g.h', 'k'])
    expect(literalsOf('x{2,30}y')).toEqual(['y'])
    expect(literalsOf('\\x41b')).toEqual([])
  })

  it('stand in every match', () => {
    const atom = fc.constantFrom('a', 'b', 'ab', '[ab]', '.', '\\.', '\\w', '(ab)', '(?:b)', 'c')
    const quantifier = fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{0,1}', '+?')
    const source = fc
      .array(
        fc.tuple(atom, quantifier).map((parts) => parts.join('')),
        { minLength: 1, maxLength: 6 },
      )
      .map((parts) => parts.join(''))
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.'), maxLength: 12 })
    fc.assert(
      fc.property(source, text, (expression, line) => {
        for (const match of found(expression, line))
          for (const literal of literalsOf(expression)) expect(match).toContain(literal)
      }),
      { numRuns: 2000 },
    )
  })
})
