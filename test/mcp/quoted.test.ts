import { describe, expect, it } from 'vitest'
import { Quoted, Rest } from '../../src/mcp/quoted.ts'

const settled = (text: string, how: ConstructorParameters<typeof Quoted>[1]): Quoted => {
  const quote = new Quoted(text, how)
  quote.settle([])
  return quote
}

describe('a quoted text', () => {
  it('is a line unless its lines are asked for', () => {
    expect(settled('a\n\n b\t', { limit: 20 }).toJSON()).toBe('a b')
    expect(settled('a\n\n b\t', { limit: 20, lines: true }).toJSON()).toBe('a\n\n b\t')
  })

  it('cannot be shown before its secrets are known', () => {
    expect(() => JSON.stringify(new Quoted('a', { limit: 1 }))).toThrow('was not searched')
  })

  it.each([
    ['plain', 'abc '],
    ['quotes', '"\\\n'],
    ['control characters', '\x1b\u202e'],
    ['characters beside the plane', '😀\u{e0041}'],
    ['half a pair', '\ud800'],
  ])('is read whole in parts of a bounded size: %s', (_, piece) => {
    const text = piece.repeat(3000)
    const parts: string[] = []
    for (let from = 0; ; ) {
      const quote = settled(text, { limit: 500, from, lines: true })
      expect(JSON.stringify(quote).length).toBeLessThanOrEqual(503)
      const rest = new Rest(quote).toJSON()
      parts.push(rest ? quote.toJSON().slice(0, -1) : quote.toJSON())
      if (!rest) break
      expect(rest.from).toBeGreaterThan(from)
      expect(rest.characters).toBe(text.length - rest.from)
      from = rest.from
    }
    expect(parts.length).toBeGreaterThan(5)
    const whole = settled(text, { limit: 1e6, lines: true }).toJSON()
    expect(parts.join('')).toBe(whole)
  })

  it('shows no part of a secret that an end goes through, and goes on after it', () => {
    const quote = new Quoted('key: SECRET-SECRET, and more', { limit: 8 })
    quote.settle([{ start: 5, end: 18, mark: '[x]' }])
    expect([quote.toJSON(), quote.end]).toEqual(['key: [x]…', 18])
    const next = new Quoted('key: SECRET-SECRET, and more', { limit: 20, from: 10 })
    next.settle([{ start: 5, end: 18, mark: '[x]' }])
    expect(next.toJSON()).toBe('[x], and more')
  })

  it('is searched for secrets beyond what is shown', () => {
    const text = 'x'.repeat(100_000)
    const { searched } = new Quoted(text, { limit: 10, from: 50_000 })
    expect(searched.length).toBeGreaterThan(40_000)
    expect(searched.length).toBeLessThan(60_000)
  })
})
