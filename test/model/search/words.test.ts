import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { demandsOf, folded, runsIn, WORDLESS, wordsOfRun } from '../../../src/model/search/words.ts'
import { runs } from '../../support/amount.ts'

/** Returns the words of a text. */
function wordsIn(text: string): Set<string> {
  const words = new Set<string>()
  const utf8 = Buffer.from(`${text}\0`)
  runsIn(utf8, utf8.length - 1, (from, to) => {
    for (const word of wordsOfRun(utf8.toString('utf8', from, to))) words.add(word)
  })
  return words
}

/** Whether words meet what is demanded of a text that contains a needle. */
function meets(words: ReadonlySet<string>, needle: string): boolean {
  const has = (piece: string): boolean => [...words].some((word) => word.includes(piece))
  return words.has(WORDLESS) || demandsOf(needle).every((ways) => ways.some((pieces) => pieces.every(has)))
}

const letters = fc.string({
  unit: fc.constantFrom(...'abz09 ._-/\n"é\u0307ñжЯ中文字カ😀…│σςΣ'),
  maxLength: 90,
})
const long = fc
  .tuple(fc.constantFrom('a', '7', 'f00d', 'é', '中'), fc.integer({ min: 1, max: 400 }))
  .map(([unit, times]) => unit.repeat(times))

describe('the words of a text', () => {
  it('are its runs of letters and digits', () => {
    expect([...wordsIn('the tide_table of saint-malo, 1.4 m x')]).toEqual([
      'the',
      'tide',
      'table',
      'of',
      'saint',
      'malo',
    ])
    expect([...wordsIn('été 潮汐 → прилив')]).toEqual(['été', '潮', '汐', 'прилив'])
  })

  it('of long runs are the parts of letters and digits', () => {
    expect([...wordsIn('0a1bc2def'.repeat(4))]).toEqual(['*', 'bc', 'def'])
    expect([...wordsIn('9'.repeat(300))]).toEqual(['!', '*'])
  })

  it('meet what is demanded of every text that contains a piece of it', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(letters, long), { maxLength: 4 }), fc.nat(), fc.nat(), (texts, a, b) => {
        const text = folded(texts.join(''))
        const [from, to] = [a % (text.length + 1), b % (text.length + 1)].sort((x, y) => x - y)
        expect(meets(wordsIn(text), text.slice(from, to))).toBe(true)
      }),
      { numRuns: runs(1000) },
    )
  })

  it('do not meet what is demanded of another word', () => {
    const words = wordsIn('the harmonics are computed again')
    for (const needle of ['harmonic', 'comput', 'a', 'the harm', 'cs are'])
      expect(meets(words, needle)).toBe(true)
    for (const needle of ['tides', 'harmonicas', 'theharm', '12']) expect(meets(words, needle)).toBe(false)
  })
})

describe('folded text', () => {
  it('has each unit in its place', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('İ', 'I', 'ẞ', ''), (text, odd) => {
        const whole = text + odd + text
        expect(folded(whole)).toHaveLength(whole.length)
        expect(folded(whole).slice(0, text.length)).toBe(folded(text))
      }),
    )
    expect(folded('Saint-MALO İ É')).toBe('saint-malo İ é')
  })
})

it('takes a run of millions of characters apart', () => {
  const run = 'é'.repeat(20_000_000)
  expect(wordsOfRun(`${run}2026`)).toEqual([WORDLESS, '*', '2026'])
})
