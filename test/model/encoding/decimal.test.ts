import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { decimalText, isExact } from '../../../src/model/encoding/decimal.ts'
import { runs } from '../../support/amount.ts'

describe('decimalText', () => {
  it.each([
    ['7', '7'],
    ['7.0', '7'],
    ['70e-1', '7'],
    ['-0.0', '-0'],
    ['0e99', '0'],
    ['1200', '12e2'],
    ['0.00123', '123e-5'],
    ['1e400', '1e400'],
    ['1E+0400', '1e400'],
    [`1e${'0'.repeat(60)}5`, '1e5'],
    ['10e999999999999999999', '1e1000000000000000000'],
    ['0.1e1000000000000000', '1e999999999999999'],
    ['1.5e1000000000000000000000', '15e999999999999999999999'],
    ['10e-1000000000000000', '1e-999999999999999'],
    ['no number', 'no number'],
  ])('gives %s as %s', (literal, text) => {
    expect(decimalText(literal)).toBe(text)
  })

  const digits = (max: number) =>
    fc.string({ unit: fc.constantFrom('0', '0', '1', '9'), minLength: 1, maxLength: max })
  const parts = fc.tuple(
    fc.boolean(),
    digits(6),
    fc.option(digits(6)),
    fc.option(fc.tuple(fc.constantFrom('', '+', '-'), digits(25))),
  )

  test('adds exponents of any length', () => {
    fc.assert(
      fc.property(parts, ([minus, whole, fraction, exponent]) => {
        const literal = `${minus ? '-' : ''}${whole}${fraction ? `.${fraction}` : ''}${exponent ? `e${exponent.join('')}` : ''}`
        const all = `${whole}${fraction ?? ''}`.replace(/^0+/, '')
        const kept = all.replace(/0+$/, '')
        const power =
          BigInt(exponent?.join('') ?? 0) - BigInt(fraction?.length ?? 0) + BigInt(all.length - kept.length)
        const text = kept === '' ? '0' : power === 0n ? kept : `${kept}e${power}`
        expect(decimalText(literal)).toBe(`${minus ? '-' : ''}${text}`)
      }),
      { numRuns: runs(1000) },
    )
  })
})

describe('isExact', () => {
  it('holds for what a double gives back', () => {
    for (const literal of [
      '0',
      '0.0',
      '7',
      '7.0',
      '0.1',
      '1e21',
      '1E3',
      '123456789012',
      '5e-324',
      `1.${'0'.repeat(900)}`,
    ])
      expect([literal, isExact(literal)]).toEqual([literal, true])
  })

  it('does not hold for what a double changes', () => {
    for (const literal of ['-0', '-0.0e5', '9007199254740993', '0.10000000000000000001', '1e400', '1e-400'])
      expect([literal, isExact(literal)]).toEqual([literal, false])
  })

  test('every double is exact', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (x) => {
        expect(isExact(String(x))).toBe(true)
      }),
    )
  })
})
