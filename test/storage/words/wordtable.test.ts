import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashOf } from '../../../src/model/words.ts'
import { WordTable } from '../../../src/storage/words/wordtable.ts'

const numberOf = (table: WordTable, word: string, hash = hashOf(word)): number =>
  table.numberOf(word, 0, word.length, hash)

describe('a table of words', () => {
  it('numbers them as they come, and gives the same word the same number', () => {
    const table = new WordTable()
    expect(['tide', 'saint', 'tide', '潮', 'ti', 'saint'].map((word) => numberOf(table, word))).toEqual([
      0, 1, 0, 2, 3, 1,
    ])
    expect(table.numberOf('the tide turns', 4, 8, hashOf('tide'))).toBe(0)
    expect([0, 1, 2, 3].map((number) => table.word(number))).toEqual(['tide', 'saint', '潮', 'ti'])
  })

  it('tells words of one hash apart', () => {
    const words = ['aa', 'bb', 'ab', 'aaa', 'ba']
    const table = new WordTable()
    for (let again = 0; again < 2; again++)
      expect(words.map((word) => numberOf(table, word, 7))).toEqual([0, 1, 2, 3, 4])
  })

  it('grows with them', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `word${i}`)
    const table = new WordTable()
    for (const word of words) numberOf(table, word)
    expect(table.length).toBe(words.length)
    expect(words.map((word) => numberOf(table, word))).toEqual([...words.keys()])
    expect(words.map((_, number) => table.word(number))).toEqual(words)
  })

  it('is as a map of any words', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 })), (words) => {
        const table = new WordTable()
        const distinct = [...new Set(words)]
        expect(words.map((word) => distinct[numberOf(table, word)])).toEqual(words)
        expect(distinct.map((_, number) => table.word(number))).toEqual(distinct)
      }),
    )
  })
})
