import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { snippetsOf } from '../../../src/model/search/snippet.ts'

const at = (text: string, word: string): { from: number; to: number } => {
  const from = text.indexOf(word)
  return { from, to: from + word.length }
}

describe('snippets', () => {
  it('are the line of what was found, and one before and behind', () => {
    const text = 'one\ntwo\nthree\nfour\nfive'
    expect(snippetsOf(text, [at(text, 'three')], 2)).toEqual([
      { text: 'two\nthree\nfour', spans: [{ from: 4, to: 9 }], cut: [false, false] },
    ])
    expect(snippetsOf(text, [at(text, 'ne'), at(text, 'ive')], 2)).toEqual([
      { text: 'one\ntwo', spans: [{ from: 1, to: 3 }], cut: [false, false] },
      { text: 'four\nfive', spans: [{ from: 6, to: 9 }], cut: [false, false] },
    ])
  })

  it('tell nothing twice where what was found at the end of a line goes on behind it', () => {
    const text = 'one\ntwo\nthree'
    expect(snippetsOf(text, [at(text, 'one'), { from: 7, to: 8 }], 2)).toEqual([
      { text: 'one\ntwo', spans: [{ from: 0, to: 3 }], cut: [false, false] },
    ])
  })

  it('are cut where lines are long', () => {
    const text = `short\n${'a'.repeat(500)}found${'b'.repeat(500)}\nend`
    expect(snippetsOf(text, [at(text, 'found')], 1)).toEqual([
      {
        text: `${'a'.repeat(160)}found${'b'.repeat(160)}`,
        spans: [{ from: 160, to: 165 }],
        cut: [true, true],
      },
    ])
    const wide = `${'😀'.repeat(300)}x${'😀'.repeat(300)}`
    const [snippet] = snippetsOf(wide, [at(wide, 'x')], 1)
    expect(snippet?.text.isWellFormed()).toBe(true)
  })

  it('hold all that was found in them, each where it is', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'long '.repeat(50), '😀'), maxLength: 60 })
    fc.assert(
      fc.property(
        text,
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 9 })), { minLength: 1 }),
        (whole, places) => {
          fc.pre(whole.length > 0)
          const spans = places.map(([from, size]) => {
            const start = from % whole.length
            return { from: start, to: Math.min(whole.length, start + size) }
          })
          let last = 0
          for (const snippet of snippetsOf(whole, spans, 100)) {
            const place = whole.indexOf(snippet.text, last)
            expect(place).toBeGreaterThanOrEqual(0)
            expect(snippet.spans.length).toBeGreaterThan(0)
            for (const { from, to } of snippet.spans)
              expect(from < to && from >= 0 && to <= snippet.text.length).toBe(true)
            last = place
          }
        },
      ),
    )
  })
})
