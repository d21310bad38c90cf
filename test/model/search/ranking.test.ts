import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Pattern, regularExpression } from '../../../src/model/pattern/pattern.ts'
import { partsOf, placeWords, rankOf } from '../../../src/model/search/ranking.ts'

const words = (...all: string[]): Pattern[][] => all.map((word) => [regularExpression(word)])
const prompt = (text: string) => partsOf([{ place: 'prompt', text }])
const apart = 'between '.repeat(40)

describe('the rank of a match', () => {
  it('counts how words stand together before where they stand', () => {
    expect(rankOf(words('tide', 'table'), prompt('The tide table'))).toBe(0)
    expect(rankOf(words('tide', 'table'), prompt('the tide-table'))).toBe(0)
    expect(rankOf(words('tide', 'table'), prompt('the table of the tide'))).toBe(3)
    expect(rankOf(words('tide', 'table'), prompt(`tide ${apart} table`))).toBe(6)
    expect(rankOf(words('tide', 'table'), prompt(`tide ${apart} table ${apart} tide in the table`))).toBe(3)
  })

  it('is that of the best part, else of the worst place that is needed', () => {
    const parts = partsOf([
      { place: 'tool', text: 'tide table' },
      { place: 'prompt', text: 'tide' },
    ])
    expect(rankOf(words('tide', 'table'), parts)).toBe(2)
    expect(rankOf(words('tide'), parts)).toBe(0)
    expect(placeWords(words('tide', 'table'), parts).place).toBe(2)
    expect(placeWords(words('tide', 'moon'), partsOf([{ place: 'prompt', text: 'tide' }])).place).toBe(3)
    const split = partsOf([
      { place: 'tool', text: 'table' },
      { place: 'reply', text: 'tide' },
    ])
    expect(rankOf(words('tide', 'table'), split)).toBe(8)
    expect(rankOf(words('tide', 'idea'), partsOf([{ place: 'tool', text: 'tide' }], ['idea']))).toBe(8)
    expect(rankOf([], parts)).toBe(0)
  })

  it('finds the narrowest stretch, as trying all does', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', '.'.repeat(70)),
      minLength: 3,
      maxLength: 30,
    })
    fc.assert(
      fc.property(text, (whole) => {
        const all = ['a', 'b', 'c'].map((word) => regularExpression(word).spans(whole, 99))
        fc.pre(all.every((spans) => spans.length > 0))
        let best = Number.POSITIVE_INFINITY
        for (const a of all[0]!)
          for (const b of all[1]!)
            for (const c of all[2]!)
              best = Math.min(best, Math.max(a.to, b.to, c.to) - Math.min(a.from, b.from, c.from))
        const rank = rankOf(words('a', 'b', 'c'), prompt(whole))
        if (rank > 0) expect(rank).toBe(best <= 200 ? 3 : 6)
        else expect(whole).toMatch(/a\.{0,3}b\.{0,3}c/)
      }),
    )
  })
})
