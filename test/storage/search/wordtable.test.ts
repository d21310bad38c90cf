import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { folded, WORDLESS } from '../../../src/model/words.ts'
import { WordTable } from '../../../src/storage/search/wordtable.ts'

/** Returns what a table holds, the units of each word in order. */
const contentOf = (table: WordTable): Record<string, number[]> =>
  Object.fromEntries(
    Array.from({ length: table.length }, (_, number) => [
      table.word(number),
      [...new Set(table.units(number))].sort((a, b) => a - b),
    ]),
  )

describe('a table of words', () => {
  it('holds each word of the texts once, with the units in which it is said', () => {
    const table = new WordTable()
    table.add('Tide of Saint-Malo: 潮汐', 4)
    table.add('tide x', 5)
    table.add('tide', 4)
    expect(contentOf(table)).toEqual({ tide: [4, 5], of: [4], saint: [4], malo: [4], 潮: [4], 汐: [4] })
  })

  it('takes a long run apart', () => {
    const table = new WordTable()
    table.add(`${'a'.repeat(40)}123 ${'9'.repeat(300)}`, 0)
    expect(contentOf(table)).toEqual({ '*': [0], ['a'.repeat(40)]: [0], 123: [0], [WORDLESS]: [0] })
  })

  it('grows with its words, with their units, and for a text that is larger than its room', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `wörd${i}`)
    const table = new WordTable()
    for (const unit of [0, 7, 14]) table.add(words.join(' '), unit)
    expect(table.length).toBe(words.length)
    expect(contentOf(table)).toEqual(Object.fromEntries(words.map((word) => [word, [0, 7, 14]])))
  })

  it('moves the words of later units to another table', () => {
    const [table, other] = [new WordTable(), new WordTable()]
    table.add('ebb flow', 1)
    table.add('flow tide', 8)
    table.moveTo(other, 8)
    expect(contentOf(other)).toEqual({ flow: [8], tide: [8] })
  })

  it('is as a map of any words', () => {
    const letter = fc.constantFrom(...'abz09éñжЯ中カς')
    const word = fc.string({ unit: letter, minLength: 2, maxLength: 4 })
    const separator = fc.constantFrom(' ', '…', '😀', '\n', '\ud800')
    fc.assert(
      fc.property(fc.array(fc.tuple(word, separator, fc.nat(9))), (texts) => {
        const table = new WordTable()
        const expected: Record<string, number[]> = {}
        for (const [said, end, unit] of texts) {
          table.add(said + end, unit)
          for (const one of folded(said).match(/[中カ]|[^中カ]+/g) ?? []) {
            if (/^[a-z0-9]$/.test(one)) continue
            const units = new Set(expected[one]).add(unit)
            expected[one] = [...units].sort((a, b) => a - b)
          }
        }
        expect(contentOf(table)).toEqual(expected)
      }),
    )
  })
})
