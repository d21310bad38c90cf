import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PLACES } from '../../../src/model/search/entrytext.ts'
import { encodeWords, WordSegment } from '../../../src/storage/search/wordsegment.ts'
import { GROUP } from '../../../src/storage/search/wordtable.ts'
import { runs } from '../../support/amount.ts'

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '中', '0'), minLength: 1, maxLength: 6 })
const groups = 7
const unit = fc.nat(groups * PLACES.length - 1)
const words = fc.dictionary(word, fc.uniqueArray(unit, { minLength: 1, maxLength: 12 }), {
  noNullPrototype: true,
  maxKeys: 40,
})

/** Writes words of groups from the one at a row on, and reads them. */
function segmentOf(first: number, units: ReadonlyMap<string, readonly number[]>): WordSegment {
  const shifted = new Map(
    Array.from(units, ([text, at]) => [text, at.map((n) => n + first * PLACES.length)] as const),
  )
  return new WordSegment(first * GROUP, encodeWords(first * GROUP, (first + groups) * GROUP, shifted))
}

describe('a segment of words', () => {
  it('gives all words back', () => {
    fc.assert(
      fc.property(words, fc.nat(1000), (record, first) => {
        const segment = segmentOf(first, new Map(Object.entries(record)))
        const back = new Map(Array.from(segment.units(), ([text, at]) => [text, new Set(at)]))
        const given = Object.entries(record).map(
          ([text, at]) => [text, new Set(at.map((n) => n + first * PLACES.length))] as const,
        )
        expect(back).toEqual(new Map(given))
        expect([segment.from, segment.to]).toEqual([first * GROUP, (first + groups) * GROUP])
      }),
    )
  })

  it('finds in which groups a piece of a word is said, and where', () => {
    fc.assert(
      fc.property(words, word, (record, piece) => {
        const marks = new Array<number>(groups).fill(0)
        for (const [text, at] of Object.entries(record))
          if (text.includes(piece))
            for (const n of at) marks[Math.floor(n / PLACES.length)]! |= 1 << (n % PLACES.length)
        expect([...segmentOf(3, new Map(Object.entries(record))).find(piece)]).toEqual(marks)
      }),
      { numRuns: runs(500) },
    )
  })

  it('refuses bytes that it does not write', () => {
    const bytes = encodeWords(0, GROUP, new Map([['word', [0, 2]]]))
    expect([...bytes]).toMatchInlineSnapshot(`
      [
        1,
        1,
        1,
        1,
        5,
        1,
        1,
        1,
        1,
        0,
        1,
        0,
        119,
        111,
        114,
        100,
        10,
        1,
        0,
        1,
        0,
        0,
      ]
    `)
    for (let length = 0; length < bytes.length; length++)
      expect(() => new WordSegment(0, bytes.subarray(0, length)).units()).toThrow(RangeError)
    expect(() => new WordSegment(0, Uint8Array.of(9, ...bytes.subarray(1)))).toThrow('no known version')
  })
})
