import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nameGlob, phrase, refGlob, regularExpression } from '../../../src/model/pattern/pattern.ts'
import { runs } from '../../support/amount.ts'
import { ANY_CHARACTER } from '../../support/characters.ts'
import { expectFailure } from '../../support/errors.ts'

const found = (source: string, text: string): string[] =>
  regularExpression(source)
    .spans(text, 100)
    .map(({ from, to }) => text.slice(from, to))

/** Generates an expression of constructs that this engine and the built-in one share. */
const expressions: fc.Arbitrary<string> = fc.letrec<{ whole: string; part: string }>((tie) => ({
  whole: fc
    .array(fc.array(tie('part'), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((choices) => choices.map((parts) => parts.join('')).join('|')),
  part: fc.oneof(
    { maxDepth: 3 },
    fc
      .tuple(
        fc.constantFrom(
          'a',
          'B',
          'b',
          '.',
          '\\.',
          '[ab]',
          '[^a]',
          '\\w',
          '\\S',
          '\\s',
          '\\p{L}',
          '\\u00e4',
          '😀',
        ),
        fc.constantFrom('', '', '?', '*', '+', '{2}', '{0,2}', '{1,}', '+?', '*?'),
      )
      .map((parts) => parts.join('')),
    fc.constantFrom('^', '$', '\\b', '\\B'),
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('whole'), fc.constantFrom('', '?', '*', '+', '{2}'))
      .map(([open, inner, quantifier]) => `${open}${inner})${quantifier}`),
  ),
})).whole
const texts = fc.string({
  unit: fc.constantFrom('a', 'A', 'b', '.', ' ', '\n', 'ä', 'Ä', '😀', '\ud83d'),
  maxLength: 7,
})

/** With more repetitions the built-in one may take minutes, even for seven characters. */
const MOST_REPETITIONS = 8

/** Returns the built-in expression; undefined where it would take too long or the names of two groups are the same. */
function builtIn(source: string): RegExp | undefined {
  if ((source.match(/[*+{]|\)\?/g) ?? []).length > MOST_REPETITIONS) return undefined
  try {
    return new RegExp(source, 'imu')
  } catch {
    return undefined
  }
}

describe('a regular expression', () => {
  it('matches the texts that the built-in one matches', () => {
    fc.assert(
      fc.property(expressions, texts, (source, text) => {
        const expected = builtIn(source)?.test(text)
        // Between the halves of a surrogate pair the built-in one finds that there is no word boundary.
        fc.pre(expected !== undefined && !(source.includes('\\B') && /[\ud83d]/.test(text)))
        expect(regularExpression(source).test(text)).toBe(expected)
      }),
      { numRuns: runs(3000) },
    )
  })

  it('finds spans that match, in order, and some wherever the built-in one finds characters', () => {
    fc.assert(
      fc.property(expressions, texts, (source, text) => {
        const expected = builtIn(source)
        fc.pre(expected !== undefined)
        const pattern = regularExpression(source)
        const spans = pattern.spans(text, 100)
        let last = 0
        for (const { from, to } of spans) {
          expect(from).toBeGreaterThanOrEqual(last)
          expect(to).toBeGreaterThan(from)
          last = to
          for (const literal of pattern.literals)
            expect(text.slice(from, to).toLowerCase()).toContain(literal)
        }
        if (spans.length > 0) expect(expected?.test(text)).toBe(true)
        // Only matches of nothing are left out.
        else if (pattern.test(text)) expect(pattern.test('') || /[$^]|\\b|\\B/i.test(source)).toBe(true)
      }),
      { numRuns: runs(3000), examples: [['\\b|\\B[^a]', 'a😀']] },
    )
  })

  it('goes line by line, in either case', () => {
    expect(found('Err(or)?', 'error ERR')).toEqual(['error', 'ERR'])
    expect(found('^B.*$', 'a\nb c\nbd')).toEqual(['b c', 'bd'])
    expect(found('\\D+\\S', '12ab')).toEqual(['ab'])
    expect(found('[A-C]+', 'xabcx')).toEqual(['abc'])
    expect(found('a{2,3}', 'a aa aaaa')).toEqual(['aa', 'aaa'])
    expect(found('größe', 'DIE GRÖSSE, DIE GRÖẞE')).toEqual(['GRÖẞE'])
    expect(found('stra\\u00dfe|\\x41\\t', 'STRAßE a\t')).toEqual(['STRAßE', 'a\t'])
  })

  it('takes linear time where backtracking takes exponential or quadratic time', () => {
    const long = 100_000
    for (const source of [
      '^(a+)+$',
      '(a|a)*b',
      '(.*)*x',
      '^(([a-z])+.)+[A-Z]([a-z])+[0-9]$',
      'a.*b',
      '(a*)*(a*)*b',
    ])
      expect(found(source, `${'a'.repeat(long)}!`)).toEqual([])
    expect(found('error.*failed', `${'error'.repeat(long)}\nfailed`)).toEqual([])
    expect(regularExpression('(e.*q)|e').spans(`${'error'.repeat(long)}\nq`, 1_000_000)).toHaveLength(long)
  })

  it('keeps a bounded number of states where a text leads to ever new ones', () => {
    let seed = 1
    const text = Array.from({ length: 30_000 }, () => 'xy'[(seed = (seed * 48271) % 2147483647) % 2]).join('')
    const pattern = regularExpression('x[xy]{60}z')
    expect(pattern.test(text)).toBe(false)
    expect(pattern.test(`${text}x${'y'.repeat(60)}z`)).toBe(true)
    expect(pattern.spans(`${text}x${'y'.repeat(60)}z`, 2)).toEqual([
      { from: text.length, to: text.length + 62 },
    ])
  })

  it('is refused where it is wrong, too large, or cannot run in linear time', () => {
    const flaws = {
      '(a)\\1': 'back references and look-around are not supported',
      '(?<=a)b': 'back references and look-around are not supported',
      '(?!a)b': 'back references and look-around are not supported',
      '(a': 'unterminated group',
      'a)': "')' closes no group",
      '[a': 'unterminated character class',
      '[z-a]': "'[z-a]' is no character class",
      'a**': 'there is nothing to repeat',
      '+': 'there is nothing to repeat',
      'a{3,2}': 'the numbers of a repetition are out of order',
      'a{1001}': 'more than 1000 repetitions are not supported',
      '((a{100}){100}){100}': 'it is too large',
      '\\q': "'\\q' is no escape",
      [`${'('.repeat(201)}a`]: 'more than 200 nested groups are not supported',
    }
    for (const [source, flaw] of Object.entries(flaws))
      expect(() => regularExpression(source)).toThrow(new Error(flaw))
  })
})

describe('the literals of an expression', () => {
  it('are in each match', () => {
    const literalsOf = (source: string): readonly string[] => regularExpression(source).literals
    expect(literalsOf('foo.*Bar')).toEqual(['foo', 'bar'])
    expect(literalsOf('colou?r')).toEqual(['colo', 'r'])
    expect(literalsOf('ab+c{2}d*e')).toEqual(['ab', 'bc', 'c', 'e'])
    expect(literalsOf('a(bc|de)f')).toEqual(['a', 'f'])
    expect(literalsOf('a(bc)?d[ef]g\\.h\\dk')).toEqual(['a', 'd', 'g.h', 'k'])
    expect(literalsOf('x{2,30}y')).toEqual(['x', 'xy'])
    expect(literalsOf('\\x41b')).toEqual(['ab'])
  })
})

describe('a phrase', () => {
  it('is found in either case, with any white space between its words', () => {
    expect(phrase('Added  by').spans('ADDED\n by, added by', 9)).toEqual([
      { from: 0, to: 9 },
      { from: 11, to: 19 },
    ])
    expect(phrase('a.c*').test('xA.C*x')).toBe(true)
    expect(phrase('a.c').test('abc')).toBe(false)
    expect(phrase('größe').test('DIE GRÖẞE')).toBe(true)
    expect(phrase('a b').spans('a a b a  b', 9)).toEqual([
      { from: 2, to: 5 },
      { from: 6, to: 10 },
    ])
    expect(phrase('aa').spans('aaaaa', 9)).toEqual([
      { from: 0, to: 2 },
      { from: 2, to: 4 },
    ])
    expect(phrase('aa').spans('aaaaa', 1)).toEqual([{ from: 0, to: 2 }])
  })

  it('may be of any length', () => {
    const long = 'x'.repeat(100_000)
    expect(phrase(long).spans(`a ${long}`, 9)).toEqual([{ from: 2, to: 100_002 }])
    expect(phrase(long).test('x')).toBe(false)
  })

  it('has no meaning of its own in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), fc.string({ unit: ANY_CHARACTER }), (text, around) => {
        fc.pre(text.isWellFormed() && around.isWellFormed())
        expect(phrase(text).test(around + text + around)).toBe(true)
        expect(nameGlob(text).test(text)).toBe(true)
      }),
    )
  })
})

describe('a pattern of names', () => {
  it('takes whole names in either case', () => {
    const tools = ['Edit', 'MultiEdit', 'edit_file', 'NotebookEdit', 'Ed\nit']
    const matching = (pattern: string): string[] => tools.filter((name) => nameGlob(pattern).test(name))
    expect(matching('edit')).toEqual(['Edit'])
    expect(matching('*EDIT')).toEqual(['Edit', 'MultiEdit', 'NotebookEdit'])
    expect(matching('edi?*')).toEqual(['Edit', 'edit_file'])
    expect(matching('ed?it')).toEqual(['Ed\nit'])
  })

  it('takes linear time with many stars', () => {
    expect(nameGlob('*a*a*a*a*a*a*a*b').test('a'.repeat(100_000))).toBe(false)
  })
})

describe('a pattern of refs', () => {
  const names = ['a', 'a/b', 'a/b/c', 'ab', 'a/bd', 'x.y', 'xzy', 'AB']
  const matching = (pattern: string): string[] => names.filter((name) => refGlob(pattern).test(name))

  it('takes a whole name, or its beginning up to a slash', () => {
    expect(matching('a')).toEqual(['a', 'a/b', 'a/b/c', 'a/bd'])
    expect(matching('a/')).toEqual(['a/b', 'a/b/c', 'a/bd'])
    expect(matching('a/b')).toEqual(['a/b', 'a/b/c'])
    expect(matching('x.y')).toEqual(['x.y'])
  })

  it('takes stars and question marks, and regards case', () => {
    expect(matching('a/*')).toEqual(['a/b', 'a/bd'])
    expect(matching('a/**')).toEqual(['a/b', 'a/b/c', 'a/bd'])
    expect(matching('*')).toEqual(['a', 'ab', 'x.y', 'xzy', 'AB'])
    expect(matching('a?')).toEqual(['ab'])
    expect(matching('x.*')).toEqual(['x.y'])
    expect(matching('**/c')).toEqual(['a/b/c'])
  })

  it('knows the common prefix of what matches', () => {
    const prefixes = ['a/b', 'a/b*', '*/b', 'a?c/**'].map((pattern) => refGlob(pattern).prefix)
    expect(prefixes).toEqual(['a/b', 'a/b', '', 'a'])
    for (const pattern of ['(a|b)', '[ab]', 'a\\*', 'a+', '^a$', '{a,b}'])
      expect(refGlob(`${pattern}*`).test(`${pattern}x`)).toBe(true)
  })
})

it('says that the pattern of a name is too long', async () => {
  const long = `*${'x'.repeat(33_000)}`
  for (const test of [nameGlob(long), refGlob(long)])
    await expectFailure('bad-usage', () => test.test('name'))
})
