import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PLACES } from '../../../src/model/search/entrytext.ts'
import { folded, WORDLESS } from '../../../src/model/search/words.ts'
import { GROUP, WordCollector, WordTable } from '../../../src/storage/search/wordtable.ts'

/** Returns what a table holds, the units of each word in order. */
const contentOf = (store: WordTable): Record<string, number[]> =>
  Object.fromEntries(
    Array.from({ length: store.length }, (_, number) => [
      store.word(number),
      [...new Set(store.units(number))].sort((a, b) => a - b),
    ]),
  )

describe('a store of words', () => {
  it('holds each word of the texts once, with the units in which it is said', () => {
    const store = new WordTable()
    store.add('Tide of Saint-Malo: 潮汐', 4)
    store.add('tide x', 5)
    store.add('tide', 4)
    expect(contentOf(store)).toEqual({ tide: [4, 5], of: [4], saint: [4], malo: [4], 潮: [4], 汐: [4] })
  })

  it('takes a long run apart', () => {
    const store = new WordTable()
    store.add(`${'a'.repeat(40)}123 ${'9'.repeat(300)}`, 0)
    expect(contentOf(store)).toEqual({ '*': [0], ['a'.repeat(40)]: [0], 123: [0], [WORDLESS]: [0] })
  })

  it('grows with its words, with their units, and for a text that is larger than its room', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `wörd${i}`)
    const store = new WordTable()
    for (const unit of [0, 7, 14]) store.add(words.join(' '), unit)
    expect(store.length).toBe(words.length)
    expect(contentOf(store)).toEqual(Object.fromEntries(words.map((word) => [word, [0, 7, 14]])))
  })

  it('is as a map of any words', () => {
    const letter = fc.constantFrom(...'abz09éñжЯ中カς')
    const word = fc.string({ unit: letter, minLength: 2, maxLength: 4 })
    const separator = fc.constantFrom(' ', '…', '😀', '\n', '\ud800')
    fc.assert(
      fc.property(fc.array(fc.tuple(word, separator, fc.nat(9))), (texts) => {
        const store = new WordTable()
        const expected: Record<string, number[]> = {}
        for (const [said, end, unit] of texts) {
          store.add(said + end, unit)
          for (const one of folded(said).match(/[中カ]|[^中カ]+/g) ?? []) {
            if (/^[a-z0-9]$/.test(one)) continue
            const units = new Set(expected[one]).add(unit)
            expected[one] = [...units].sort((a, b) => a - b)
          }
        }
        expect(contentOf(store)).toEqual(expected)
      }),
    )
  })
})

it.each([
  ['little', 1],
  ['much', 20_000],
])('gathers %s text, once', (_, often) => {
  const gatherer = new WordCollector()
  const rows = 2 * GROUP
  for (let row = 0; row < rows; row++) gatherer.add(row, [{ place: 'prompt', text: 'ebb '.repeat(often) }])
  gatherer.add(rows, [{ place: 'prompt', text: 'flow' }])
  const units = [0, 1, 2].map((group) => group * PLACES.length + PLACES.indexOf('prompt'))
  expect(gatherer.take(0, rows)).toEqual(new Map([['ebb', units.slice(0, 2)]]))
  expect(gatherer.take(rows, rows + GROUP)).toEqual(new Map([['flow', units.slice(2)]]))
})
